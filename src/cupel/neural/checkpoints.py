"""A training that can be killed and goes on: its state after each epoch, and its log.

A run is a folder. `checkpoint.safetensors` is the whole state (model, optimizer, random numbers,
whatever else the loop names) and a JSON record in its header; it is replaced at once or not at
all. `log.jsonl` has a line per epoch and is written from the record, so that it never holds an
epoch that the checkpoint has not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cupel.errors import CupelError
from cupel.folders import write_text, writing
from cupel.neural.training import Epoch

if TYPE_CHECKING:
    import numpy as np
    import torch
CHECKPOINT, LOG = "checkpoint.safetensors", "log.jsonl"


class Run:
    """A training's folder: `resume`, then `save` after every epoch.

    settings  everything that determines the result; a checkpoint of others is refused
    """

    def __init__(self, folder: Path | str, settings: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self.settings = json.loads(json.dumps(settings))

    def resume(self) -> tuple[dict[str, torch.Tensor], list[Epoch]] | None:
        """The tensors of the last checkpoint and the log so far; None where there is none."""
        from safetensors import SafetensorError, safe_open

        path = self.folder / CHECKPOINT
        if not path.exists():
            return None
        try:
            with safe_open(path, "pt") as file:
                record = json.loads(file.metadata()["record"])
                state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
            raise CupelError(f"{path} is not a checkpoint: remove it to start again.") from error
        if record["settings"] != self.settings:
            differing = sorted(
                name
                for name in {*record["settings"], *self.settings}
                if record["settings"].get(name) != self.settings.get(name)
            )
            raise CupelError(
                f"{path} is of a training with other settings ({', '.join(differing)}): remove it "
                "or choose another folder."
            )
        return state, [Epoch.of(entry) for entry in record["log"]]

    def save(self, state: Mapping[str, torch.Tensor], log: Sequence[Epoch]) -> None:
        """Keep the state after an epoch, and the log up to it."""
        from safetensors.torch import save_file

        entries = [epoch.record() for epoch in log]
        record = json.dumps({"settings": self.settings, "log": entries})
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in state.items()}
        with writing(self.folder / CHECKPOINT) as beside:
            save_file(tensors, beside, {"record": record})
        write_text(self.folder / LOG, "".join(json.dumps(entry) + "\n" for entry in entries))

    def finish(self) -> None:
        """Remove the checkpoint of a training that is done; the log stays."""
        (self.folder / CHECKPOINT).unlink(missing_ok=True)


def flat_state(**parts: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Tensors of several parts as one mapping `PART.NAME`; copies, so that none share memory."""
    return {
        f"{part}.{name}": tensor.detach().clone()
        for part, tensors in parts.items()
        for name, tensor in tensors.items()
    }


def part_of(state: Mapping[str, torch.Tensor], part: str) -> dict[str, torch.Tensor]:
    """The tensors that `flat_state` was given under that name."""
    prefix = f"{part}."
    return {
        key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)
    }


def optimizer_state(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """An optimizer's tensors as a mapping `INDEX.NAME`."""
    import torch

    return {
        f"{index}.{name}": torch.as_tensor(value)
        for index, entries in optimizer.state_dict()["state"].items()
        for name, value in entries.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, state: Mapping[str, torch.Tensor]) -> None:
    """Give an optimizer of the same parameters the tensors of `optimizer_state` back."""
    entries: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in state.items():
        index, _, name = key.partition(".")
        entries.setdefault(int(index), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": entries})


def random_state(
    generators: Sequence[np.random.Generator], device: torch.device
) -> dict[str, torch.Tensor]:
    """Where NumPy's generators and PyTorch's random numbers have come to."""
    import torch

    state = {
        str(number): torch.tensor(list(json.dumps(generator.bit_generator.state).encode()))
        for number, generator in enumerate(generators)
    }
    state["torch"] = torch.get_rng_state()
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    return state


def restore_random(
    generators: Sequence[np.random.Generator],
    device: torch.device,
    state: Mapping[str, torch.Tensor],
) -> None:
    """Go on with the random numbers behind those of `random_state`."""
    import torch

    for number, generator in enumerate(generators):
        generator.bit_generator.state = json.loads(bytes(state[str(number)].tolist()))
    torch.set_rng_state(state["torch"])
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)
