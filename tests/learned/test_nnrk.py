"""NNRK: the network by hand, its training, and what it refuses."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cupel.errors import CupelError
from cupel.learned.nnrk.data.examples import Examples, joined, split
from cupel.learned.nnrk.files import load_model, save_model
from cupel.learned.nnrk.model.network import Design, Model, Network, Normalisation
from cupel.learned.nnrk.training.settings import Training
from cupel.neural.weights import from_bytes, to_bytes
from cupel.registry import get_metric


def sig(z: float) -> float:
    return 1 / (1 + math.exp(-z))


def tiny_network() -> Network:
    """x of one number, one unit a group: columns h_12, h_1r, h_2r over rows x_1, x_2, x_r."""
    return Network(
        hidden=np.array([[0.5, 1.0, 0.0], [-0.5, 0.0, 1.0], [0.0, 2.0, 2.0]]),
        hidden_bias=np.array([0.1, 0.2, 0.3]),
        output=np.array([1.0, -1.0, 0.5]),
        skip=np.array([2.0, -2.0]),
        bias=np.array([0.25]),
    )


def test_forward_pass_by_hand():
    # x1 = 1, x2 = -1, r = 0.5, psi = 0.3 and 0.1:
    # h12 = tanh(.5 + .5 + .1), h1r = tanh(1 + 1 + .2), h2r = tanh(-1 + 1 + .3)
    z = math.tanh(1.1) - math.tanh(2.2) + 0.5 * math.tanh(0.3) + 2 * 0.3 - 2 * 0.1 + 0.25
    rows = (np.array([[value]]) for value in (1.0, -1.0, 0.5, 0.3, 0.1))
    assert tiny_network().logit(*rows)[0] == pytest.approx(z, abs=1e-12)


def test_single_layer_is_logistic_regression():
    network = Network(
        np.zeros((3, 0)), np.zeros(0), np.zeros(0), np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.ones(1)
    )
    rows = (np.array([[value]]) for value in (0.1, 0.2, 0.3, 0.4, 0.5))
    assert network.logit(*rows)[0] == pytest.approx(0.1 + 0.4 + 0.9 + 1.6 + 2.5 + 1)


def one_to_one(features: int = 1, size: int = 1) -> Normalisation:
    low, high = -np.ones(size), np.ones(size)
    return Normalisation(low, high, low, high, -np.ones(features), np.ones(features))


def tiny_model() -> Model:
    return Model(
        tiny_network(), one_to_one(), np.array([0.2]), np.array([-0.1]), {"features": ["ter"]}
    )


def test_min_max_is_fitted_apart_and_not_clipped():
    norm = Normalisation.fit(
        np.array([[0.0], [10.0]]), np.array([[5.0], [6.0]]), np.array([[1.0], [1.0]])
    )
    assert norm.x(np.array([[5.0], [20.0]])).ravel().tolist() == [0.0, 3.0]
    assert norm.references(np.array([[5.0]])).item() == -1.0
    assert norm.psi(np.array([[7.0]])).item() == 0.0  # it never varied


def test_absolute_score_is_the_margin_against_an_empty_translation():
    model = tiny_model()
    x, r, psi = np.array([[0.4]]), np.array([[0.5]]), np.array([[0.3]])
    for empty, x0, psi0 in (("mean", 0.2, -0.1), ("zero", 0.0, 0.0)):
        e, p = np.array([[x0]]), np.array([[psi0]])
        win, lose = (
            model.probability(x, e, r, psi, p).item(),
            model.probability(e, x, r, p, psi).item(),
        )
        assert model.absolute(x, r, psi, empty).item() == pytest.approx(win - lose)
    assert win == pytest.approx(sig(tiny_network().logit(x, 0 * x, r, psi, 0 * psi).item()))


def test_preference_is_exactly_antisymmetric():
    rng = np.random.default_rng(0)
    a, b, r, psi1, psi2 = rng.normal(size=(5, 200, 1))
    model = tiny_model()
    there, back = model.preference(a, b, r, psi1, psi2), model.preference(b, a, r, psi2, psi1)
    assert (there + back == 1).all()
    assert (model.preference(a, a, r, psi1, psi1) == 0.5).all()
    assert not np.allclose(model.probability(a, b, r, psi1, psi2), there)


def examples(count: int = 400, seed: int = 0, size: int = 2) -> Examples:
    """Pairs whose better translation has the higher psi, and the x nearer to its reference."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(count, 2))
    references = rng.normal(size=(count, size)).astype(np.float32)
    noise = rng.normal(size=(count, 2, 1)) * 0.3
    psi = (quality[..., None] + noise).reshape(-1, 1)
    x = (references[:, None] * np.clip(quality, 0, 1)[..., None]).reshape(-1, size)
    return Examples(
        psi,
        x.astype(np.float32),
        references,
        np.repeat(np.arange(count), 2),
        np.arange(0, 2 * count, 2),
        np.arange(1, 2 * count, 2),
        (quality[:, 0] > quality[:, 1]).astype(np.int64),
        np.arange(count),
        np.zeros(count, np.int64),
        ("xx-en",),
        {"xx-en": np.arange(2 * count).reshape(count, 2).T},
    )


def test_a_split_keeps_all_translations_of_a_line_on_one_side():
    both = joined([examples(100), examples(100, 1)])
    training, development = split(both, 7)
    assert set(training.line % 20) == set(range(1, 20))
    assert set(development.line % 20) == {0}
    assert len(development) == 7
    # The second part's items and references lie behind the first's.
    assert both.reference[both.first[150]] == 150
    assert both.items["xx-en (2)"].min() == 200


def test_weights_survive_the_disk(tmp_path: Path):
    model = tiny_model()
    save_model(tmp_path / "m", model)
    again = load_model(tmp_path / "m")
    x, r, psi = np.random.default_rng(0).normal(size=(3, 9, 1))
    assert (again.absolute(x, r, psi) == model.absolute(x, r, psi)).all()
    assert again.features == ("ter",)
    safetensors = pytest.importorskip("safetensors.numpy")
    content = (tmp_path / "m" / "weights.safetensors").read_bytes()
    assert set(safetensors.load(content)) == set(from_bytes(content))
    arrays: dict[str, np.ndarray] = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.zeros(0, np.int64),
    }
    assert from_bytes(to_bytes(arrays))["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert safetensors.load(to_bytes(arrays))["b"].shape == (0,)


# What it refuses


def test_weights_and_normalisation_that_do_not_belong_together(tmp_path: Path):
    with pytest.raises(CupelError, match="do not belong together: the network takes 1 numbers"):
        Model(tiny_network(), one_to_one(size=2), np.zeros(2), np.zeros(1), {})
    save_model(tmp_path / "m", tiny_model())
    card = json.loads((tmp_path / "m" / "card.json").read_text())
    card["normalisation"] = "0" * 64
    (tmp_path / "m" / "card.json").write_text(json.dumps(card))
    with pytest.raises(CupelError, match="do not belong together: the card names"):
        load_model(tmp_path / "m")
    (tmp_path / "m" / "weights.safetensors").write_bytes(b"x" * 99)
    with pytest.raises(CupelError, match="is not the file that its card describes"):
        load_model(tmp_path / "m")
    with pytest.raises(CupelError, match="holds no model"):
        load_model(tmp_path / "none")


@pytest.mark.parametrize(
    "options", [{"architecture": "deep"}, {"cost": "hinge"}, {"batch": 0}, {"patience": 0}]
)
def test_settings_that_do_not_exist(options: dict):
    with pytest.raises(CupelError, match=next(iter(options))):
        (Design if "architecture" in options else Training)(**options)


def test_unknown_options_of_the_metric():
    for option in ("preset=best", "empty=none", "prediction=both", "aggregate=sum"):
        with pytest.raises(CupelError, match="NNRK has no"):
            get_metric(f"nnrk:{option}")


def test_majorities_of_judges():
    three = examples(2)
    repeated = replace(
        three,
        first=np.array([0, 0, 1, 2, 3, 0]),
        second=np.array([1, 1, 0, 3, 2, 0]),
        label=np.array([1, 0, 0, 1, 1, 1]),  # 0 beats 1 twice of three times; 2 and 3 draw
        line=np.zeros(6, np.int64),
        language=np.zeros(6, np.int64),
    )
    agreed = repeated.agreed()
    assert len(agreed) == 1
    assert (agreed.first[0], agreed.label[0]) in [(0, 1), (1, 0)]
