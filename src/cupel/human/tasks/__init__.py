"""Judgments of your own: which segments to judge, the sheets that annotators fill in, and their key.

`selection` orders segments by how much their judgment would tell; `files` reads and writes tasks (JSON
lines, what `cupel select` writes); `sheets` makes of tasks what each annotator sees, and the key that
says which system wrote what. The HTML page is in `cupel.report.annotation`; `cupel.human.raw.sheets`
reads what annotators saved.
"""
