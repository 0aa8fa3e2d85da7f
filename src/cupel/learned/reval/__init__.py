"""ReVal (Gupta, Orăsan and van Genabith 2015): similarity of a translation and its reference by Tree-LSTM."""
