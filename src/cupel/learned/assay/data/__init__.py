"""What Assay learns from: preferences, grades, corrupted sentences, and scores of teachers."""
