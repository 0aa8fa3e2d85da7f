"""How NNRK learns: gradient descent on pairs, with early stopping."""
