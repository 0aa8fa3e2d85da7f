"""Where is one system worse than another? Buckets of segments and words, with intervals.

`cupel.diagnose.run.diagnose` is the whole of it: texts into words (`words`), words aligned and
errors counted (`alignment`), segments and words put into buckets (`segment_buckets`,
`word_buckets`), each bucket compared and ranked (`comparison`, `findings`), what changed
(`changes`, `ngrams`), and sentences about it all (`summary`). `compare_mt` has the tables of
compare-mt, figure for figure.
"""
