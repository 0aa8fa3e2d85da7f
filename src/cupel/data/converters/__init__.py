"""How each dataset is made from files that anyone can download.

A converter is a function that the catalog names: it takes a folder for each repository of its
dataset, with the files that `resources/datasets/NAME.tsv` lists and nothing else, and the folder to
fill. The dataset's README.md is written for it.
"""
