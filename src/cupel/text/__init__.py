"""What metrics see of a sentence: tokens, characters, and (later) stems, synonyms and vectors."""
