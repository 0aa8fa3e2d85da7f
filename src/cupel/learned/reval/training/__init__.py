"""How ReVal learns: the loop on arrays, and a whole training from text to folder."""
