"""What metrics see of a sentence: tokens, characters, stems, synonyms, paraphrases and vectors."""
