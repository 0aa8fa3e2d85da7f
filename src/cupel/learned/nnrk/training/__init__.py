"""How NNRK learns: the step, the loop on tensors, and a whole training from text to folder."""
