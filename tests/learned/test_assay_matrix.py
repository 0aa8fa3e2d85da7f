"""Scores of all pairs at once beside those of single pairs."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cupel.arrays import IntArray  # noqa: E402
from cupel.learned.assay.model.matrix import score_matrix  # noqa: E402
from cupel.learned.assay.model.network import Assay, Design, Side  # noqa: E402
from cupel.neural.encoder import Config, Encoder  # noqa: E402

SIZE = 16
CONFIG = Config(
    vocabulary=9, size=SIZE, heads=2, inner=32, layers=1, positions=64, types=2, activation="gelu",
    epsilon=1e-12, dropout=0.0, first_position=0, padding=0,
)  # fmt: skip
DESIGNS = [
    Design(),
    Design(phrases=False),
    Design(worst=False, repeats=False),
    Design(pooled=True, level=True),
]


def side(count: int, longest: int) -> Side:
    """Random sentences of 0 to `longest` pieces of four kinds, so that pairs of pieces repeat."""
    vectors = torch.nn.functional.normalize(torch.randn(count, longest, SIZE), dim=-1)
    whole = torch.nn.functional.normalize(torch.randn(count, SIZE), dim=-1)
    lengths = torch.randint(0, longest + 1, (count,))
    lengths[0], lengths[1] = 0, 1
    mask = torch.arange(longest) < lengths[:, None]
    ids = torch.randint(0, 4, (count, longest))
    return vectors, whole, torch.rand(count, longest) * mask, mask, ids


def taken(given: Side, rows: IntArray) -> Side:
    vectors, whole, weights, mask, ids = (part[rows] for part in given)
    return vectors, whole, weights, mask, ids


@pytest.mark.parametrize("design", DESIGNS)
def test_the_matrix_has_the_scores_of_its_pairs(design: Design) -> None:
    torch.manual_seed(1)
    model = Assay(Encoder(CONFIG), design)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter)
    first, second = side(13, 9), side(7, 12)
    row, column = np.divmod(np.arange(13 * 7), 7)
    with torch.inference_mode():
        pairs = model.features(taken(first, row), taken(second, column))
        expected = model.head(pairs).view(13, 7)
        matrix = score_matrix(model, first, second)
    assert float(expected.std()) > 0.5
    assert float((matrix - expected).abs().max()) < 1e-5
