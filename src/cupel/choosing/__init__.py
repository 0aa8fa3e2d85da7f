"""Metrics that choose among candidate translations: minimum Bayes risk decoding and reranking.

`cupel.mbr` and `cupel.rerank` are the front doors. A segment's candidates (`segment`) are compared
with its pseudo-references by a metric (`utilities`), over all pairs or by a shortcut (`methods`);
several metrics can be combined (`combining`), and many segments go through in a stream (`streams`).
"""
