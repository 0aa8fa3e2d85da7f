"""Blocks that the learned metrics share, in PyTorch (`pip install 'cupel[neural]'`).

encoder, wordpiece, token_match  a pretrained encoder, its word pieces, matches of its vectors
weights, checkpoints             models and unfinished trainings on disk
training, devices, packages      settings and records of trainings; where they run, what they need

Modules here import NumPy, PyTorch and safetensors, and of Cupel only `arrays`, `errors` and
`folders`, so that a training on prepared arrays runs on a machine that has little else.
"""
