"""Write what WMT names for each campaign: standard references, gold scores, outliers, submissions.

    python tools/build_campaigns.py MT_METRICS_EVAL

MT_METRICS_EVAL is a clone of google-research/mt-metrics-eval; the facts are those of its
`meta_info.py`. They go into `resources/campaigns/campaigns.toml`: the values that most language
pairs of a campaign share, and for each pair those that differ.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "src/cupel/resources/campaigns/campaigns.toml"
LEVELS = {"seg": "segment", "doc": "document", "domain": "domain", "sys": "system"}
HEADER = "# Facts of the WMT metrics tasks, written by tools/build_campaigns.py: see CARD.md.\n"


def facts(info: Any) -> dict[str, str]:
    """One language pair: name -> value as TOML."""
    gold = ", ".join(f'{LEVELS[level]} = "{name}"' for level, name in sorted(info.std_gold.items()))
    return {
        "reference": f'"{info.std_ref}"',
        "gold": f"{{ {gold} }}" if gold else "{}",
        "outliers": strings(info.outlier_systems),
        "primary": strings(info.primary_metrics),
        "baselines": strings(info.baseline_metrics or ()),
    }


def strings(names: Any) -> str:
    """A list of names as TOML, several lines long where it must be."""
    lines, line = [], ""
    for name in sorted(names):
        part = f'"{name}", '
        if len(line) + len(part) > 96:
            lines.append(line)
            line = ""
        line += part
    lines.append(line)
    whole = "\n  ".join(text.rstrip() for text in lines)
    return f"[{whole.rstrip(',')}]" if len(lines) == 1 else f"[\n  {whole}\n]"


def toml(campaigns: dict[str, dict[str, Any]]) -> str:
    """All campaigns, the oldest first."""
    text = HEADER
    for campaign in sorted(campaigns):
        pairs = {pair: facts(info) for pair, info in campaigns[campaign].items()}
        shared = {
            key: Counter(one[key] for one in pairs.values()).most_common(1)[0][0]
            for key in next(iter(pairs.values()))
        }
        text += f'\n["{campaign}"]\n' + "".join(f"{key} = {shared[key]}\n" for key in shared)
        text += f"pairs = {strings(pairs)}\n"
        for pair, own in sorted(pairs.items()):
            if different := {key: value for key, value in own.items() if value != shared[key]}:
                text += f'\n["{campaign}"."{pair}"]\n'
                text += "".join(f"{key} = {value}\n" for key, value in different.items())
    return text


def main(clone: str) -> None:
    """Write the file from the clone's facts."""
    path = Path(clone) / "mt_metrics_eval" / "meta_info.py"
    spec = importlib.util.spec_from_file_location("meta_info", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["meta_info"] = module
    spec.loader.exec_module(module)
    TARGET.write_text(toml(module.DATA), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
