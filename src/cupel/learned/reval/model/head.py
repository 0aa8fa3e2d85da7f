"""ReVal's similarity head and cost (Gupta et al. 2015, equations 2 and 3)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

CLASSES = 5
"""K: similarities go from 1 to 5."""


class SimilarityHead(nn.Module):
    """Equation 2: two sentence vectors -> log probabilities of the similarities 1 to K.

    h_s = sigmoid(W_x (h_ref * h_tra) + W_+ |h_ref - h_tra| + b),  p = softmax(W_p h_s + b_p)
    """

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.of_product = nn.Linear(inputs, hidden)
        self.of_distance = nn.Linear(inputs, hidden, bias=False)
        self.classes = nn.Linear(hidden, CLASSES)

    def forward(self, reference: Tensor, translation: Tensor) -> Tensor:
        product = self.of_product(reference * translation)
        distance = self.of_distance((reference - translation).abs())
        return torch.log_softmax(self.classes(torch.sigmoid(product + distance)), dim=-1)


def expected(log_probabilities: Tensor) -> Tensor:
    """y-hat = r^T p with r = [1 2 ... K]."""
    values = torch.arange(1, CLASSES + 1, device=log_probabilities.device)
    return log_probabilities.exp() @ values.to(log_probabilities.dtype)


def targets(similarity: Tensor) -> Tensor:
    """(n,) y from 1 to K -> (n, K) the sparse distribution with r^T p = y.

    >>> targets(torch.tensor([2.7])).round(decimals=3)
    tensor([[0.0000, 0.3000, 0.7000, 0.0000, 0.0000]])
    """
    values = torch.arange(1, CLASSES + 1, device=similarity.device, dtype=similarity.dtype)
    return (1 - (similarity[:, None] - values).abs()).clamp(min=0)


def divergence(log_probabilities: Tensor, similarity: Tensor) -> Tensor:
    """The data term of equation 3: the mean of KL(p || p-hat)."""
    wanted = targets(similarity)
    return nn.functional.kl_div(log_probabilities, wanted, reduction="batchmean")
