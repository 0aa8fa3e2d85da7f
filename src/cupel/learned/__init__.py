"""Metrics that are learned from human judgments: ReVal, NNRK and Assay, each in a room of its own.

The three rooms are divided alike, and a part imports only from those before it:

model     what the metric is: the network (`network`), and text as the network reads it
files     what it is kept in: weights and card
data      what it learns from: judgments as arrays (`examples`)
training  how it learns: `settings`, the `loop` on arrays, and a whole training from text to folder
          (`run`)

Blocks that two of them share are in `cupel.neural`; the metrics themselves, as `cupel score` knows
them, are `cupel.metrics.reval`, `cupel.metrics.nnrk` and `cupel.metrics.assay`.
"""
