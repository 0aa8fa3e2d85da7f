"""NNRK (Guzmán, Joty, Màrquez and Nakov 2017): which of two translations is the better one?

features  what the network sees of a translation and its reference
examples  judged pairs of translations with their features
model     the network, its normalisation and the absolute score
training  gradient descent with early stopping
encoders, encoded_training  the same where sentences are encoded on the fly
"""
