"""Assay, the metric of this project: contextual vectors matched word by word, trained on preferences."""
