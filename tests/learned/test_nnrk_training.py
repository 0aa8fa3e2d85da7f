"""NNRK's trainer: gradients, what every variant learns, early stopping, and killed trainings."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from test_nnrk import examples  # noqa: E402

import cupel  # noqa: E402
from cupel.errors import CupelError, MissingPart  # noqa: E402
from cupel.learned.nnrk.data.examples import Examples  # noqa: E402
from cupel.learned.nnrk.model.network import Design, Model, Network, sigmoid  # noqa: E402
from cupel.learned.nnrk.training import run as nnrk_run  # noqa: E402
from cupel.learned.nnrk.training.loop import Pairs, pairwise_tau  # noqa: E402
from cupel.learned.nnrk.training.networks import Networks, Sentences  # noqa: E402
from cupel.learned.nnrk.training.run import Trained, check_development, train  # noqa: E402
from cupel.learned.nnrk.training.settings import Training  # noqa: E402
from cupel.learned.nnrk.training.step import Step  # noqa: E402
from cupel.neural import packages  # noqa: E402


def trained(
    how: Training, count: int = 200, architecture: str = "pairwise", **more: Any
) -> Trained:
    design = Design(architecture)  # type: ignore[arg-type]
    return train(examples(), examples(count, 1), how, design, **more)


def tau_of(model: Model, pairs: Examples, both: bool = False) -> float:
    a, b = pairs.first, pairs.second
    r = pairs.references[pairs.reference[a]]
    decide = model.preference if both else model.probability
    return pairwise_tau(decide(pairs.x[a], pairs.x[b], r, pairs.psi[a], pairs.psi[b]), pairs.label)


@pytest.mark.parametrize(
    ("architecture", "how"),
    [
        ("pairwise", Training(rate=0.1, epochs=15)),
        ("single-layer", Training(rate=0.1, epochs=15)),
        ("fully-connected", Training(rate=0.1, epochs=15)),
        ("single-layer", Training(epochs=15, cost="kendall")),
        ("pairwise", Training(rate=0.05, epochs=15, cost="kendall")),
        ("pairwise", Training(rate=0.1, epochs=20, cost="logistic+kendall", patience=4)),
    ],
    ids=lambda value: value if isinstance(value, str) else value.cost,
)
def test_every_variant_learns(architecture: str, how: Training):
    done = trained(how, architecture=architecture)
    assert done.taus[0] > 0.7
    both = how.cost.endswith("kendall")
    assert tau_of(done.model, examples(200, 1), both) == pytest.approx(done.taus[0], abs=0.02)
    assert done.model.absolute(np.zeros((2, 2)), np.zeros((2, 2)), np.array([[-2.0], [2.0]]))[1] > 0


def test_the_kendall_cost_learns_from_any_start_but_not_where_ties_cost_as_much_as_errors():
    def taus(ties: float) -> list[float]:
        how = Training(rate=0.05, epochs=12, cost="kendall", ties=ties)
        return [trained(replace(how, seed=seed)).taus[0] for seed in range(4)]

    assert min(taus(0.01)) > 0.7
    assert min(taus(1.0)) < 0.5  # some start is in the wrong order, and held there


def test_swapped_labels_teach_the_reverse_ranking():
    how = Training(rate=0.1, epochs=10)
    right = trained(how)
    wrong = train(examples().swapped_labels(), examples(200, 1).swapped_labels(), how)
    assert tau_of(right.model, examples(300, 2)) > 0.6
    assert tau_of(wrong.model, examples(300, 2)) < -0.6


def test_the_latest_of_equal_epochs_is_kept_and_patience_ends():
    done = trained(Training(patience=3), 20)
    taus = [epoch.figures["tau"] for epoch in done.log]
    best = max(taus)
    assert done.epochs == [max(i for i, tau in enumerate(taus, 1) if tau == best)]
    assert len(taus) == taus.index(best) + 1 + 3


def test_one_seed_one_model():
    runs = [trained(Training(epochs=3, seed=seed), 50) for seed in (1, 1, 2)]
    hidden = [run.model.network.hidden for run in runs]
    assert np.array_equal(hidden[0], hidden[1])
    assert not np.array_equal(hidden[0], hidden[2])


def of_weights(weights: dict[str, Any]) -> Network:
    """The network of weights without the leading K, and zeros where it has no hidden units."""
    w = {name: np.asarray(value, np.float64) for name, value in weights.items()}
    none = np.zeros((6, 0))
    return Network(
        w.get("hidden", none),
        w.get("hidden-bias", none[:0]).reshape(-1),
        w.get("output", none[:0]).reshape(-1),
        w["skip"].reshape(-1),
        w["output-bias"].reshape(-1),
    )


@pytest.mark.parametrize("cost", ["logistic", "kendall"])
@pytest.mark.parametrize("architecture", ["pairwise", "fully-connected", "single-layer"])
def test_gradients_are_those_of_the_cost(cost: str, architecture: str):
    """After one minibatch AdaGrad's totals are squared gradients: held against differences."""
    data = examples(6)
    how = Training(gamma=3.0, beta=2.0, ties=0.7, decay=0.01, batch=12)
    design = Design(architecture, hidden=2)  # type: ignore[arg-type]
    zeros = np.zeros((6, 1), np.float32)
    sentences = Sentences(
        torch.from_numpy(np.concatenate([data.x, data.references])),
        torch.from_numpy(np.concatenate([data.psi.astype(np.float32), zeros])),
    )
    rows = np.stack([data.first, data.second, 12 + data.reference[data.first]], 1)
    pairs = Pairs(torch.from_numpy(rows), torch.from_numpy(2.0 * data.label - 1).float())
    networks = Networks(sentences, design, [0])
    before = {name: w[0].detach().numpy().copy() for name, w in networks.weights.items()}
    mask = design.mask(2)

    def total(weights: dict[str, Any]) -> float:
        net, a, b = of_weights(weights), data.first, data.second
        r = data.references[data.reference[a]]
        s = sigmoid(net.logit(data.x[a], data.x[b], r, data.psi[a], data.psi[b]))
        t = sigmoid(net.logit(data.x[b], data.x[a], r, data.psi[b], data.psi[a]))
        y = data.label
        decaying = [net.hidden, net.output, net.skip]
        shrink = how.decay * sum((w**2).sum() for w in decaying)
        if cost == "logistic":
            p = np.where(y == 1, [s, 1 - t], [1 - s, t])
            return float(-np.log(p).mean() + shrink)
        delta = s - t
        wrong = np.where(y == 1, -1, 1) * how.gamma * delta
        ties = how.ties * np.exp(-how.beta * delta**2 / 2)
        return float((1 / (1 + np.exp(-wrong)) + ties).mean() + shrink)

    step = Step(networks, cost, how)
    some = pairs.take(torch.arange(6)[None])
    if cost == "logistic":
        some = pairs.ordered(torch.arange(12)[None])
    for batch in step.batches(some.rows, some.label[..., None]):
        step(*batch)
    for name, values in before.items():
        squared, after = step.totals[name][0], networks.weights[name][0].detach().numpy()
        for place in list(np.ndindex(values.shape))[:8]:
            if name == "hidden" and not mask[place]:
                assert squared[place] == 0
                assert after[place] == 0
                continue
            sides = []
            for change in (1e-3, -1e-3):
                moved = values.astype(np.float64)
                moved[place] += change
                sides.append(total({**before, name: moved}))
            slope = (sides[0] - sides[1]) / 2e-3
            assert math.sqrt(squared[place]) == pytest.approx(abs(slope), abs=2e-4)
            if abs(slope) > 1e-3:  # the step goes down
                assert np.sign(after[place] - values[place]) == -np.sign(slope)


def test_the_pairwise_network_sees_what_its_groups_see():
    mask = Design(hidden=1).mask(1)
    assert mask.tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 1]]  # rows x_1, x_2, x_r
    assert Design("fully-connected", hidden=1).mask(1).all()


@pytest.mark.parametrize("architecture", ["pairwise", "single-layer"])
@pytest.mark.parametrize("cost", ["logistic", "logistic+kendall"])
def test_networks_side_by_side_are_those_trained_alone(cost: str, architecture: str):
    """Each with its own order of examples and its own end; averaged before the sigmoid."""
    how = Training(rate=0.1, epochs=8, patience=2, cost=cost)  # type: ignore[arg-type]
    alone = [trained(replace(how, seed=s), 50, architecture) for s in (1, 2)]
    both = trained(replace(how, seed=1), 50, architecture, networks=2)
    assert both.taus == [one.taus[0] for one in alone]
    assert both.epochs == [one.epochs[0] for one in alone]
    assert both.model.card["averaged-seeds"] == [1, 2]
    x1, x2, r = np.random.default_rng(0).normal(size=(3, 9, 2))
    psi1, psi2 = np.random.default_rng(1).normal(size=(2, 9, 1))
    rows = (x1, x2, r, psi1, psi2)
    mean = np.mean([one.model.network.logit(*rows) for one in alone], axis=0)
    assert np.allclose(both.model.network.logit(*rows), mean, atol=1e-5)


def test_vectors_alone_and_skip_arcs_alone():
    """Without skip arcs the network has hidden units only; without vectors it has none."""

    def part(data: Examples, keep: str) -> Examples:
        if keep == "x":
            return replace(data, psi=data.psi[:, :0])
        return replace(data, x=data.x[:, :0], references=data.references[:, :0])

    for keep, skips, units, least in (("x", 0, 12, 0.0), ("psi", 2, 0, 0.7)):
        how = Training(rate=0.1, epochs=10)
        done = train(part(examples(), keep), part(examples(200, 1), keep), how)
        network = done.model.network
        assert (len(network.skip), network.hidden.shape[1]) == (skips, units)
        assert done.taus[0] > least
        assert tau_of(done.model, part(examples(200, 1), keep)) == pytest.approx(done.taus[0])


def test_dropout_leaves_the_skip_arcs_alone():
    assert trained(Training(rate=0.1, epochs=10, dropout=0.5)).taus[0] > 0.6
    with pytest.raises(CupelError, match="dropout must be"):
        Training(dropout=1.0)


@pytest.mark.parametrize("killed", [1, 4, 6])
def test_a_killed_training_goes_on_to_the_same_result(killed: int, tmp_path: Path):
    """Within either cost, and between the two; with dropout, whose random numbers go on, too."""
    how = Training(rate=0.1, epochs=9, patience=3, cost="logistic+kendall", dropout=0.1, seed=3)
    unbroken = trained(how, 50, networks=2)

    class Killed(Exception):
        pass

    def die(epoch: Any) -> None:
        if epoch.epoch == killed:
            raise Killed

    with pytest.raises(Killed):
        trained(how, 50, networks=2, folder=tmp_path, report=die)
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == killed
    seen: list[int] = []
    done = trained(
        how, 50, networks=2, folder=tmp_path, report=lambda epoch: seen.append(epoch.epoch)
    )
    assert seen == list(range(killed + 1, len(unbroken.log) + 1))
    assert (done.taus, done.epochs) == (unbroken.taus, unbroken.epochs)
    assert np.array_equal(done.model.network.hidden, unbroken.model.network.hidden)
    assert [(e.loss, e.figures) for e in done.log] == [(e.loss, e.figures) for e in unbroken.log]
    with pytest.raises(CupelError, match=r"other settings \(rate\)"):
        trained(replace(how, rate=0.2), 50, networks=2, folder=tmp_path)
    with pytest.raises(CupelError, match=r"other settings \(data\)"):
        trained(how, 60, networks=2, folder=tmp_path)


def test_a_development_set_without_preferences():
    with pytest.raises(CupelError, match="development set has no preferences"):
        check_development(examples().pairs(np.zeros(400, bool)))
    with pytest.raises(CupelError, match="development set has no preferences"):
        train(examples(), examples(0))


def test_a_finished_model_is_not_overwritten(tmp_path: Path):
    (tmp_path / "card.json").write_text(json.dumps({}))
    with pytest.raises(CupelError, match="holds a trained model already"):
        nnrk_run.train_nnrk(nnrk_run.Order(), tmp_path)


def test_training_without_torch_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    for name, extra in (("nnrk", "neural"), ("assay", "contextual")):
        with pytest.raises(MissingPart, match="needs torch and safetensors") as error:
            cupel.train(name, tmp_path / name)
        assert f"pip install 'cupel[{extra}]'." in str(error.value)
