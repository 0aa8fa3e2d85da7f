"""Files into a `Corpus`: plain text, SGM and XML, tables with named columns, standard input.

An input is named as on the command line: `FILE`, `FILE:COLUMN` for a table, `-` for standard
input. `read_corpus` reads and joins them all; `read_segments` and `read_lines` read one.
"""

from cupel.reading.assemble import read_corpus, read_segments, read_systems, read_texts
from cupel.reading.lines import iterate_lines, open_bytes, read_lines
from cupel.reading.segments import Segments

__all__ = [
    "Segments",
    "iterate_lines",
    "open_bytes",
    "read_corpus",
    "read_lines",
    "read_segments",
    "read_systems",
    "read_texts",
]
