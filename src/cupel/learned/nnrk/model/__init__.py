"""What NNRK is: a network that compares two translations, and the features it sees."""
