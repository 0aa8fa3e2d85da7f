"""What Assay is: contextual vectors of both sentences, matched word by word and scored."""
