"""Which processor a model runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupel.errors import CupelError

if TYPE_CHECKING:
    import torch


def find_device(name: str = "auto") -> torch.device:
    """`cpu`, `cuda`, `cuda:1`, ...; `auto` is the first GPU where there is one."""
    import torch

    # cuDNN's attention builds a plan for each new shape of a batch, and ours all differ: on an
    # H200 a step of assay's training took 508 ms with it and 60 ms without (PyTorch 2.11).
    torch.backends.cuda.enable_cudnn_sdp(False)
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise CupelError(f"There is no kind of device {name!r}: give cpu, cuda or auto.") from error
    if device.type == "cuda":
        count = torch.cuda.device_count()
        if (device.index or 0) >= count:
            raise CupelError(f"The device {name!r} is not there: PyTorch sees {count} GPUs.")
    return device


def moved(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A tensor of the main memory, on the device; a GPU takes it in its turn and is not waited for."""
    if device.type != "cuda":
        return tensor
    return tensor.pin_memory().to(device, non_blocking=True)
