"""Encoders, heads and training loops in PyTorch (`pip install 'cupel[neural]'`).

Modules here import NumPy, PyTorch and safetensors, and of Cupel only `errors` and `folders`, so
that a training on prepared arrays runs on a bare machine with a GPU.
"""
