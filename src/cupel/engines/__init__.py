"""How work is spread: block by block in one process or several, in parts that are merged, on Ray.

All engines do the same: blocks of segments -> statistics of a block -> their sums, in order ->
scores. They give the numbers that `cupel.score` gives with everything in memory, bit for bit for
metrics whose scores of a segment do not depend on the other segments of a batch, as all lexical
ones.
"""
