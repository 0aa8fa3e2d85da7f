"""Presets: tuned parameters of a metric, saved under a name for `score` and `meta`.

`cupel tune` saves one, `redp:preset=NAME` reads it. A preset is a small JSON file in the user's
data folder, or anywhere by its path (a name that ends in .json or has a slash in it):

    {"metric": "redp", "parameters": {"alpha": 0.9, ...}, "tuned on": ["wmt13 cs-en"], ...}

All other entries say where the parameters came from; they are kept and never read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cupel.errors import CupelError
from cupel.folders import data_folder, write_text


@dataclass(frozen=True)
class Preset:
    """Parameters of a metric, and notes about where they came from."""

    metric: str
    parameters: Mapping[str, float]
    about: Mapping[str, object] = field(default_factory=dict)


def preset_path(name: str) -> Path:
    """The file of a preset: in the data folder by its name, or the path that is given."""
    if not name or name in (".", ".."):
        raise CupelError(f"A preset needs a name or a path, not {name!r}.")
    if name.endswith(".json") or "/" in name or "\\" in name:
        return Path(name).expanduser()
    return data_folder() / "presets" / f"{name}.json"


def preset_names() -> list[str]:
    """The presets of the data folder, in alphabetical order."""
    return sorted(path.stem for path in (data_folder() / "presets").glob("*.json"))


def save_preset(name: str, preset: Preset) -> Path:
    """Write a preset, over one of the same name; returns its file."""
    path = preset_path(name)
    content = {"metric": preset.metric, "parameters": dict(preset.parameters), **preset.about}
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return path


def load_preset(name: str, metric: str) -> Preset:
    """The preset of that name, which must be one of `metric`."""
    path = preset_path(name)
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        names = ", ".join(preset_names()) or "none"
        raise CupelError(f"There is no preset {name!r} ({path}); there are: {names}.") from None
    except OSError as error:
        raise CupelError(f"The preset {path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise CupelError(
            f"The preset {path} is damaged, it is not the JSON that `cupel tune` writes: tune again."
        ) from error
    if not isinstance(content, dict) or "metric" not in content:
        raise CupelError(f"{path} is not a preset: it does not name its metric.")
    if content["metric"] != metric:
        raise CupelError(
            f"The preset {path} is for the metric {content['metric']!r}; {metric!r} was expected."
        )
    del content["metric"]
    return Preset(metric, _numbers(content.pop("parameters", None), path), content)


def _numbers(parameters: object, path: Path) -> dict[str, float]:
    if not isinstance(parameters, dict) or not parameters:
        raise CupelError(f'The preset {path} has no "parameters"; names and numbers were expected.')
    for name, value in parameters.items():
        if not _is_number(value):
            raise CupelError(
                f"The preset {path} gives {name} as {_shown(value)}; a number was expected."
            )
    return {name: float(value) for name, value in parameters.items()}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _is_number(value: object) -> bool:
    """Whether a value of JSON is a number that a float can hold; true and false are not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max
