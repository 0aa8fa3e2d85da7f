"""A training that can be killed and goes on: its state after each epoch, and its log.

A run is a folder. `checkpoint.safetensors` is the whole state (model, optimizer, random numbers,
whatever else the loop names) and a JSON record in its header; it is replaced at once or not at
all. `log.jsonl` has a line per epoch and is written anew from the record, so that it never holds
an epoch that the checkpoint has not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cupel.errors import CupelError
from cupel.folders import write_text, writing

if TYPE_CHECKING:
    import torch
CHECKPOINT, LOG = "checkpoint.safetensors", "log.jsonl"


class Run:
    """A training's folder: `resume`, then `save` after every epoch.

    settings  everything that determines the result; a checkpoint of others is refused
    """

    def __init__(self, folder: Path | str, settings: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self.settings = json.loads(json.dumps(settings))

    def resume(self) -> tuple[dict[str, torch.Tensor], list[dict[str, Any]]] | None:
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
            raise CupelError(f"{path} is not a checkpoint: remove it to begin anew.") from error
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
        return state, record["log"]

    def save(self, state: Mapping[str, torch.Tensor], log: list[dict[str, Any]]) -> None:
        """Keep the state after an epoch, and the log up to it."""
        from safetensors.torch import save_file

        record = json.dumps({"settings": self.settings, "log": log})
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in state.items()}
        with writing(self.folder / CHECKPOINT) as beside:
            save_file(tensors, beside, {"record": record})
        lines = "".join(json.dumps(entry) + "\n" for entry in log)
        write_text(self.folder / LOG, lines)

    def finish(self) -> None:
        """Remove the checkpoint of a training that is done; the log stays."""
        (self.folder / CHECKPOINT).unlink(missing_ok=True)


def optimizer_state(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """An optimizer's tensors as a flat mapping `optimizer.INDEX.NAME`."""
    import torch

    return {
        f"optimizer.{index}.{name}": torch.as_tensor(value)
        for index, entries in optimizer.state_dict()["state"].items()
        for name, value in entries.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, state: Mapping[str, torch.Tensor]) -> None:
    """Give an optimizer of the same parameters the tensors of `optimizer_state` back."""
    entries: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in state.items():
        prefix, _, rest = key.partition(".")
        if prefix == "optimizer":
            index, _, name = rest.partition(".")
            entries.setdefault(int(index), {})[name] = tensor
    whole = optimizer.state_dict()
    optimizer.load_state_dict({**whole, "state": entries})
