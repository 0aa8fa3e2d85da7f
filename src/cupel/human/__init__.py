"""Human judgments: WMT rankings, direct assessment, MQM and other scores, and system scores.

`rankings` reads the five-way rankings of WMT and turns them into pairs; `agreement` says how far
the judges agree; `system_scores` and `clusters` order the systems; `scores` holds scores of
segments and systems; the other modules read and write the files they come in. `raw` has what raters
marked and scored, one by one, and `raters` how far they agree.
"""
