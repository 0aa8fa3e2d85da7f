"""Cupel inside other programs: training loops of PyTorch, torchmetrics, Hugging Face; the service.

Names are loaded at their first use: only `TorchMetric` imports torchmetrics, and PyTorch with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cupel.adapters.distributed import all_reduce
    from cupel.adapters.hugging_face import compute_metrics, evaluate_module
    from cupel.adapters.torch_metric import TorchMetric

__all__ = ["TorchMetric", "all_reduce", "compute_metrics", "evaluate_module"]

_HOMES = {
    "TorchMetric": "torch_metric",
    "all_reduce": "distributed",
    "compute_metrics": "hugging_face",
    "evaluate_module": "hugging_face",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'cupel.adapters' has no attribute {name!r}")
        from importlib import import_module

        if name == "TorchMetric":
            from cupel.neural.packages import check_packages

            check_packages("TorchMetric", ["torch", "torchmetrics"], "torchmetrics")
        return getattr(import_module(f"cupel.adapters.{_HOMES[name]}"), name)
