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
from cupel.learned.nnrk.model.network import Model, Network, Normalisation, load_model
from cupel.learned.nnrk.training.basic import (
    Settings,
    check_development,
    mask_of,
    pairwise_tau,
    train,
)
from cupel.neural.arrays import from_bytes, to_bytes
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


def tau_of(model: Model, pairs: Examples, both: bool = False) -> float:
    a, b = pairs.first, pairs.second
    r = pairs.references[pairs.reference[a]]
    decide = model.preference if both else model.probability
    return pairwise_tau(decide(pairs.x[a], pairs.x[b], r, pairs.psi[a], pairs.psi[b]), pairs.label)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(rate=0.1, epochs=15),
        Settings(rate=0.1, epochs=15, architecture="single-layer"),
        Settings(rate=0.1, epochs=15, architecture="fully-connected"),
        Settings(epochs=15, architecture="single-layer", cost="kendall"),
        Settings(rate=0.05, epochs=15, cost="kendall"),
        Settings(rate=0.1, epochs=20, cost="logistic+kendall", patience=4),
    ],
    ids=lambda s: f"{s.architecture}, {s.cost}",
)
def test_every_variant_learns(settings: Settings):
    done = train(examples(), examples(200, 1), settings, {"features": ["ter"]})
    assert done.tau > 0.7
    both = settings.cost.endswith("kendall")
    assert tau_of(done.model, examples(200, 1), both) == pytest.approx(done.tau, abs=0.02)
    assert done.model.absolute(np.zeros((2, 2)), np.zeros((2, 2)), np.array([[-2.0], [2.0]]))[1] > 0


def test_the_kendall_cost_learns_from_any_start_but_not_where_ties_cost_as_much_as_errors():
    def taus(ties: float) -> list[float]:
        return [
            train(
                examples(),
                examples(200, 1),
                Settings(rate=0.05, epochs=12, cost="kendall", ties=ties, seed=seed),
                {"features": ["ter"]},
            ).tau
            for seed in range(4)
        ]

    assert min(taus(0.01)) > 0.7
    assert min(taus(1.0)) < 0.5  # some start is in the wrong order, and held there


def test_swapped_labels_teach_the_reverse_ranking():
    settings = Settings(rate=0.1, epochs=10)
    right = train(examples(), examples(200, 1), settings, {"features": ["ter"]})
    wrong = train(
        examples().swapped_labels(),
        examples(200, 1).swapped_labels(),
        settings,
        {"features": ["ter"]},
    )
    assert tau_of(right.model, examples(300, 2)) > 0.6
    assert tau_of(wrong.model, examples(300, 2)) < -0.6


def test_the_latest_of_equal_epochs_is_kept_and_patience_ends():
    done = train(examples(), examples(20, 1), Settings(patience=3), {"features": ["ter"]})
    best = max(done.taus)
    assert done.epoch == max(i for i, tau in enumerate(done.taus, 1) if tau == best)
    first_best = done.taus.index(best) + 1
    assert len(done.taus) == first_best + 3


def test_one_seed_one_model():
    runs = [
        train(examples(), examples(50, 1), Settings(epochs=3, seed=seed), {"features": ["ter"]})
        for seed in (1, 1, 2)
    ]
    hidden = [run.model.network.hidden for run in runs]
    assert np.array_equal(hidden[0], hidden[1])
    assert not np.array_equal(hidden[0], hidden[2])


@pytest.mark.parametrize("cost", ["logistic", "kendall"])
@pytest.mark.parametrize("architecture", ["pairwise", "fully-connected", "single-layer"])
def test_gradients_are_those_of_the_cost(cost: str, architecture: str):
    """After one minibatch AdaGrad's totals are squared gradients: held against differences."""
    from cupel.kernels.pairwise import KENDALL, LOGISTIC, Inputs, Parameters, train_epoch
    from cupel.learned.nnrk.training.basic import _start, predictions

    pairs = examples(6)
    settings = Settings(
        architecture=architecture, hidden=2, gamma=3.0, beta=2.0, ties=0.7, decay=0.01
    )
    network = _start(settings, 2, 1, np.random.default_rng(0))
    pairs = replace(pairs, psi=pairs.psi.astype(np.float32))
    mask = mask_of(settings, 2, network.hidden.shape[1])

    def total(net: Network) -> float:
        s = predictions(net, pairs)
        t = predictions(net, replace(pairs, first=pairs.second, second=pairs.first))
        y = pairs.label
        weights = [net.hidden, net.output, net.skip]
        shrink = settings.decay * sum((w.astype(np.float64) ** 2).sum() for w in weights)
        if cost == "logistic":
            p = np.where(y == 1, [s, 1 - t], [1 - s, t])
            return float(-np.log(p).mean() + shrink)
        delta = s - t
        wrong = np.where(y == 1, -1, 1) * settings.gamma * delta
        ties = settings.ties * np.exp(-settings.beta * delta**2 / 2)
        return float((1 / (1 + np.exp(-wrong)) + ties).mean() + shrink)

    arrays = [np.array(getattr(network, name)) for name in Parameters._fields]
    totals = Parameters(*(np.zeros_like(a) for a in arrays))
    kind = KENDALL if cost == "kendall" else LOGISTIC
    count = 6 if cost == "kendall" else 12
    inputs = Inputs(
        pairs.x, pairs.references, pairs.psi.astype(np.float32), pairs.reference, pairs.first, pairs.second,
        pairs.label, network.direct,
    )  # fmt: skip
    after = Parameters(*(a.copy() for a in arrays))
    train_epoch(
        after, totals, mask, inputs, np.arange(count), count,
        0.01, settings.decay, kind, settings.gamma, settings.beta, settings.ties,
    )  # fmt: skip
    for name, squared in zip(Parameters._fields, totals, strict=True):
        values = getattr(network, name)
        for place in list(np.ndindex(values.shape))[:8]:
            if name == "hidden" and not mask[place]:
                assert squared[place] == 0
                continue
            sides = []
            for step in (1e-3, -1e-3):
                moved = values.astype(np.float64)
                moved[place] += step
                sides.append(total(replace(network, **{name: moved})))
            slope = (sides[0] - sides[1]) / 2e-3
            assert math.sqrt(squared[place]) == pytest.approx(abs(slope), abs=2e-4)
            if abs(slope) > 1e-3:  # the step goes down
                assert np.sign(getattr(after, name)[place] - values[place]) == -np.sign(slope)


def test_the_pairwise_network_sees_what_its_groups_see():
    mask = mask_of(Settings(hidden=1), 1, 3)
    assert mask.tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 1]]  # rows x_1, x_2, x_r
    assert mask_of(Settings(hidden=1, architecture="fully-connected"), 1, 3).all()


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
    model.save(tmp_path / "m")
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
    tiny_model().save(tmp_path / "m")
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


def test_a_development_set_without_preferences():
    with pytest.raises(CupelError, match="development set has no preferences"):
        check_development(examples().pairs(np.zeros(400, bool)))
    with pytest.raises(CupelError, match="development set has no preferences"):
        train(examples(), examples(0), Settings(), {"features": []})


@pytest.mark.parametrize(
    "options", [{"architecture": "deep"}, {"cost": "hinge"}, {"batch": 0}, {"patience": 0}]
)
def test_settings_that_do_not_exist(options: dict):
    with pytest.raises(CupelError, match=next(iter(options))):
        Settings(**options)


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


def test_networks_are_averaged_before_the_sigmoid():
    from cupel.learned.nnrk.model.network import averaged

    models = [
        train(
            examples(), examples(50, 1), Settings(rate=0.1, epochs=2, seed=s), {"features": ["ter"]}
        ).model
        for s in (1, 2)
    ]
    x1, x2, r = np.random.default_rng(0).normal(size=(3, 9, 2))
    psi1, psi2 = np.random.default_rng(1).normal(size=(2, 9, 1))
    rows = (x1, x2, r, psi1, psi2)
    mean = np.mean([model.network.logit(*rows) for model in models], axis=0)
    assert np.allclose(averaged(models).network.logit(*rows), mean, atol=1e-5)
    other = replace(models[1], normalisation=one_to_one(size=2), card={"features": ["ter"]})
    with pytest.raises(CupelError, match="same features and training data"):
        averaged([models[0], other])


def test_dropout_leaves_the_skip_arcs_alone():
    settings = Settings(rate=0.1, epochs=10, dropout=0.5)
    assert train(examples(), examples(200, 1), settings, {"features": ["ter"]}).tau > 0.6
    with pytest.raises(CupelError, match="dropout must be"):
        Settings(dropout=1.0)
