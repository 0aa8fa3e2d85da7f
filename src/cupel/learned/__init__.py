"""Metrics that are learned from human judgments: ReVal, NNRK and Assay, each in a room of its own.

The three rooms are divided alike:

model     what the metric is: the network, and text as the network reads it
data      what it learns from: judgments as arrays
training  how it learns: the loop over the data, and a whole training from text to folder
files     what it is kept in: weights and card

Blocks that two of them share are in `cupel.neural`; the metrics themselves, as `cupel score` knows
them, are `cupel.metrics.reval`, `cupel.metrics.nnrk` and `cupel.metrics.assay`.
"""
