"""A small campaign folder: four systems, a human translation, two references, stored scores."""

from __future__ import annotations

from pathlib import Path

WORDS = "the cat sat on a warm mat and slept all day".split()
SYSTEMS = ("best", "good", "fair", "poor")


def texts(damage: int) -> list[str]:
    """Twelve segments; in each, every `damage`-th word is another one."""
    return [
        " ".join(
            "x" if damage and (place + start) % damage == 0 else word
            for place, word in enumerate(WORDS[: 4 + start % 7])
        )
        for start in range(12)
    ]


def build(folder: Path, pair: str = "aa-bb") -> Path:
    """Human scores have gaps; COMET is stored against both references, QE without any."""
    damages = {"best": 9, "good": 5, "fair": 3, "poor": 2, "refB": 7}
    files: dict[str, list[str]] = {
        f"sources/{pair}.txt": [f"source {number}" for number in range(12)],
        f"references/{pair}.refA.txt": texts(0),
        f"references/{pair}.refB.txt": texts(7),
        f"documents/{pair}.docs": [f"{'news' if n < 6 else 'chat'}\td{n // 3}" for n in range(12)],
    }
    for system, damage in damages.items():
        files[f"system-outputs/{pair}/{system}.txt"] = texts(damage)
    grades = {
        system: [str(-((number * 7 + damage) % 3) - 10 / damage) for number in range(12)]
        for system, damage in damages.items()
    }
    grades["fair"][2:5] = ["None"] * 3
    files[f"human-scores/{pair}.mqm.seg.score"] = lines(grades)
    files[f"human-scores/{pair}.esa.seg.score"] = lines({s: grades[s] for s in SYSTEMS[:3]})
    for metric in ("COMET-refA", "COMET-refB", "QE-src", "only-refB"):
        numbers = {
            system: [
                repr(damage / 9 + (number * sum(map(ord, metric)) % 7) / 9) for number in range(12)
            ]
            for system, damage in damages.items()
            if not (metric.endswith("refB") and system == "refB")
        }
        files[f"metric-scores/{pair}/{metric}.seg.score"] = lines(numbers)
        means = {system: [row[0]] for system, row in numbers.items()}
        files[f"metric-scores/{pair}/{metric}.sys.score"] = lines(means)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in content), encoding="utf-8")
    return folder


def lines(rows: dict[str, list[str]]) -> list[str]:
    """SYSTEM SCORE, one line a segment."""
    return [f"{system}\t{cell}" for system, cells in rows.items() for cell in cells]
