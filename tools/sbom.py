"""A software bill of materials of this environment, as CycloneDX 1.5 in JSON: `make sbom`.

    python tools/sbom.py [DISTRIBUTION] > sbom.json

The distribution (default: cupel) and all that it requires here, with extras that are installed:
name, version, licence, package address and what each of them depends on.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def normal(name: str) -> str:
    """A name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed() -> dict[str, metadata.Distribution]:
    """Every distribution that is here, by its normal name."""
    return {normal(one.metadata["Name"]): one for one in metadata.distributions()}


def required(one: metadata.Distribution, here: dict[str, metadata.Distribution]) -> list[str]:
    """The distributions that it names as requirements, whatever the condition, and that are here."""
    names = (_NAME.match(line) for line in one.requires or ())
    return sorted({normal(name[0]) for name in names if name} & set(here))


def component(name: str, one: metadata.Distribution) -> dict[str, Any]:
    """One entry of the bill."""
    about = one.metadata
    text = about["License-Expression"] or about["License"] or ""
    licence = text.splitlines()[0][:100] if text else _classified(about)
    entry: dict[str, Any] = {
        "type": "library", "bom-ref": reference(name, one), "name": name, "version": one.version,
        "purl": reference(name, one),
    }  # fmt: skip
    return entry | ({"licenses": [{"license": {"name": licence}}]} if licence else {})


def _classified(about: Any) -> str:
    lines = [line for line in about.get_all("Classifier") or () if line.startswith("License ::")]
    return lines[0].rpartition(" :: ")[2] if lines else ""


def reference(name: str, one: metadata.Distribution) -> str:
    """The package address."""
    return f"pkg:pypi/{name}@{one.version}"


def bill(root: str = "cupel") -> dict[str, Any]:
    """The whole document."""
    here = installed()
    waiting, depends = [normal(root)], dict[str, list[str]]()
    while waiting:
        name = waiting.pop()
        if name not in depends:
            depends[name] = required(here[name], here)
            waiting += depends[name]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(normal(root), here[normal(root)])},
        "components": [
            component(name, here[name]) for name in sorted(depends) if name != normal(root)
        ],
        "dependencies": [
            {"ref": reference(name, here[name]),
             "dependsOn": [reference(other, here[other]) for other in depends[name]]}
            for name in sorted(depends)
        ],
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(bill(*sys.argv[1:2]), indent=1))
