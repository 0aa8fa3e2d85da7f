"""Layers packed for oneDNN read as they did before, and a row does not depend on its batch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from cupel.learned.assay.files import load_assay, open_assay  # noqa: E402
from cupel.learned.assay.model.releases import named_folder  # noqa: E402
from cupel.neural.encoder import Config, Encoder  # noqa: E402
from cupel.neural.encoder_files import ACTIVATIONS  # noqa: E402
from cupel.neural.packed import PackedLayer, pack  # noqa: E402

pytestmark = pytest.mark.skipif(
    not hasattr(torch.ops.mkldnn, "_linear_pointwise"), reason="this PyTorch is without oneDNN"
)


@pytest.mark.parametrize("span", [0, 4])
@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_packed_layers_read_as_they_did(span: int, activation: str) -> None:
    torch.manual_seed(1)
    config = Config(
        vocabulary=50, size=8, heads=2, inner=16, layers=2, positions=32, types=2,
        activation=activation, epsilon=1e-12, dropout=0.1, first_position=0, padding=0, buckets=0,
        span=span,
    )  # fmt: skip
    encoder = Encoder(config).eval()
    ids = torch.randint(1, 50, (3, 9))
    mask = torch.arange(9)[None] < torch.tensor([[9], [4], [1]])
    with torch.inference_mode():
        before = encoder(ids, mask)
        pack(encoder)
        after = encoder(ids, mask)
        alone = encoder(ids[1:2, :4], mask[1:2, :4])
    assert isinstance(encoder.layers[0], PackedLayer)
    for ours, theirs in zip(after, before, strict=True):
        assert torch.allclose(ours[mask], theirs[mask], atol=1e-5)
    assert torch.allclose(alone[-1][0], after[-1][1, :4], atol=1e-5)


def test_a_model_that_scores_is_packed_and_one_to_train_is_not() -> None:
    folder = named_folder("assay-wmt13")
    assert not isinstance(load_assay(folder)[0].encoder.layers[0], PackedLayer)
    assert isinstance(open_assay(folder, None, "cpu", "float32")[0].encoder.layers[0], PackedLayer)
