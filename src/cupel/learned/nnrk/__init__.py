"""NNRK (Guzmán, Joty, Màrquez and Nakov 2017): which of two translations is the better one?"""
