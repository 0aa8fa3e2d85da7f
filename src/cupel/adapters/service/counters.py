"""What the service counts, in the text form that Prometheus reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)


@dataclass
class Histogram:
    """How many values are at most as large as each of the limits, and their sum."""

    limits: tuple[float, ...]
    counts: Counter[float] = field(default_factory=Counter)
    total: float = 0.0
    number: int = 0

    def add(self, value: float) -> None:
        """One more value."""
        self.total += value
        self.number += 1
        for limit in reversed(self.limits):
            if value > limit:
                break
            self.counts[limit] += 1

    def lines(self, name: str, labels: Mapping[str, str]) -> Iterable[str]:
        """As Prometheus has histograms: cumulative buckets, sum and count."""
        for limit in self.limits:
            yield _line(f"{name}_bucket", {**labels, "le": f"{limit:g}"}, self.counts[limit])
        yield _line(f"{name}_bucket", {**labels, "le": "+Inf"}, self.number)
        yield _line(f"{name}_sum", labels, self.total)
        yield _line(f"{name}_count", labels, self.number)


@dataclass
class Counters:
    """Everything since the start."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    seconds: dict[str, Histogram] = field(default_factory=dict)
    segments: Counter[str] = field(default_factory=Counter)
    batches: Histogram = field(default_factory=lambda: Histogram(SIZES))
    restarts: int = 0

    def request(self, path: str, status: int, seconds: float) -> None:
        """An answered request."""
        self.requests[path, status] += 1
        self.seconds.setdefault(path, Histogram(SECONDS)).add(seconds)

    def task(self, metrics: Iterable[str], segments: int) -> None:
        """Segments that were computed, by metric."""
        for label in metrics:
            self.segments[label] += segments

    def batch(self, requests: int) -> None:
        """Requests that were given to a worker together."""
        self.batches.add(requests)

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of it. gauges: name -> help and present value of what goes up and down."""
        lines = _head("cupel_requests_total", "counter", "Requests by address and HTTP status.")
        for (path, status), count in sorted(self.requests.items()):
            lines.append(
                _line("cupel_requests_total", {"path": path, "status": str(status)}, count)
            )
        lines += _head("cupel_request_seconds", "histogram", "Time until a request is answered.")
        for path, histogram in sorted(self.seconds.items()):
            lines += histogram.lines("cupel_request_seconds", {"path": path})
        lines += _head("cupel_segments_total", "counter", "Segments computed, by metric.")
        for metric, count in sorted(self.segments.items()):
            lines.append(_line("cupel_segments_total", {"metric": metric}, count))
        lines += _head("cupel_batch_requests", "histogram", "Requests computed together.")
        lines += self.batches.lines("cupel_batch_requests", {})
        lines += _head("cupel_worker_restarts_total", "counter", "Workers that were replaced.")
        lines.append(_line("cupel_worker_restarts_total", {}, self.restarts))
        for name, (help_, value) in gauges.items():
            lines += [*_head(name, "gauge", help_), _line(name, {}, value)]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, help_: str) -> list[str]:
    return [f"# HELP {name} {help_}", f"# TYPE {name} {kind}"]


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{inside}}} {value!r}" if inside else f"{name} {value!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
