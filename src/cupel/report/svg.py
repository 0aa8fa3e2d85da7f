"""The parts that charts are drawn with: SVG elements as strings, axes with round ticks, colours.

Every text goes through `escape`, so that no label can become markup. Colours of ink, grid and
series are CSS variables with a fallback, so that a page can set them for light and dark while a
chart saved by itself still shows. Only presentation attributes are used, no style attributes:
they work under a content security policy without inline styles.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

INK = "var(--ink,#1d2129)"
MUTED = "var(--muted,#5b6270)"
GRID = "var(--grid,#d9dde3)"
SERIES = (
    "var(--series-1,#2266bb)",
    "var(--series-2,#b4540a)",
    "var(--series-3,#1b7f5c)",
    "var(--series-4,#9a3a8f)",
    "var(--series-5,#6b5d00)",
    "var(--series-6,#b3263f)",
)
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"

_UNPRINTABLE = (*range(9), 11, 12, *range(14, 32), 127, *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
"""Characters that neither XML nor HTML can carry; they are shown as the replacement character."""

_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"}
_ESCAPES |= dict.fromkeys(_UNPRINTABLE, "\N{REPLACEMENT CHARACTER}")


def escape(text: object) -> str:
    """Text as it may stand in element content and in double-quoted attributes."""
    return str(text).translate(_ESCAPES)


def number(value: float) -> str:
    """A coordinate: at most two decimals, no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, content: str = "", **attributes: object) -> str:
    """`element("rect", x=1, stroke_width=2)`: content is markup already, attributes are text."""
    parts = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{parts}>{content}</{name}>" if content else f"<{name}{parts}/>"


def _attribute(value: object) -> str:
    return number(value) if isinstance(value, float) else escape(value)


def text(content: object, x: float, y: float, **attributes: object) -> str:
    """A label. Its direction follows its first letter, so that Arabic or Hebrew reads well."""
    defaults: dict[str, object] = {"fill": INK, "font_size": 12, "unicode_bidi": "plaintext"}
    return element("text", escape(content), x=float(x), y=float(y), **(defaults | attributes))


class Picture(str):
    """The text of a picture, which a notebook shows as the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<Picture: {len(self)} characters of SVG>"


def svg(width: float, height: float, title: str, description: str, *parts: str) -> Picture:
    """A whole picture with its text alternative."""
    whole = "\0".join((title, description, *parts))
    digest = hashlib.sha256(whole.encode("utf-8", "replace"))
    name = f"chart-{digest.hexdigest()[:10]}"
    body = (
        f'<title id="{name}-t">{escape(title)}</title>'
        f'<desc id="{name}-d">{escape(description)}</desc>' + "".join(parts)
    )
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="chart" '
        f'aria-labelledby="{name}-t {name}-d" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" font-family="{escape(FONT)}">'
        f"{body}</svg>"
    )


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` on pixels from `start` to `end`, with round ticks."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float, *, zero: bool = False) -> Scale:
        """Wide enough for all finite values, out to round numbers."""
        finite = [value for value in values if math.isfinite(value)] + [0.0] * zero
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        if low == high:
            low, high = low - (abs(low) * 0.05 or 0.5), high + (abs(high) * 0.05 or 0.5)
        step = round_step(high - low)
        return cls(math.floor(low / step) * step, math.ceil(high / step) * step, start, end)

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 6) -> list[float]:
        step = round_step(self.high - self.low, about)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [index * step for index in range(first, last + 1)]


def round_step(span: float, about: int = 6) -> float:
    """1, 2 or 5 times a power of ten, so that `about` of them make up the span.

    >>> round_step(37)
    5.0
    """
    raw = span / about
    power = 10.0 ** math.floor(math.log10(raw))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999))


def label(value: float) -> str:
    """A tick as people write it."""
    return f"{value:.6g}".replace("-", "\N{MINUS SIGN}")


def x_axis(scale: Scale, top: float, bottom: float, title: str) -> str:
    """Ticks with grid lines from `top` to `bottom`, numbers below, and the title below them."""
    parts = []
    for tick in scale.ticks():
        x = scale(tick)
        parts.append(element("line", x1=x, x2=x, y1=top, y2=bottom, stroke=GRID))
        parts.append(
            text(label(tick), x, bottom + 16, text_anchor="middle", fill=MUTED, font_size=11)
        )
    middle = (scale.start + scale.end) / 2
    parts.append(text(title, middle, bottom + 34, text_anchor="middle", fill=MUTED))
    return "".join(parts)


def y_axis(scale: Scale, left: float, right: float, title: str) -> str:
    """The same for values that go up."""
    parts = []
    for tick in scale.ticks(5):
        y = scale(tick)
        parts.append(element("line", x1=left, x2=right, y1=y, y2=y, stroke=GRID))
        parts.append(
            text(label(tick), left - 6, y + 4, text_anchor="end", fill=MUTED, font_size=11)
        )
    middle = (scale.start + scale.end) / 2
    turned = f"rotate(-90 14 {number(middle)})"
    parts.append(text(title, 14, middle, text_anchor="middle", fill=MUTED, transform=turned))
    return "".join(parts)


Colour = tuple[int, int, int]
Ramp = Callable[[float], Colour]

_SEQUENTIAL: tuple[Colour, ...] = ((247, 244, 236), (176, 204, 214), (72, 134, 172), (20, 58, 104))
_DIVERGING: tuple[Colour, ...] = (
    (146, 52, 28), (222, 164, 128), (246, 244, 240), (134, 178, 206), (24, 76, 132),
)  # fmt: skip


def _between(stops: Sequence[Colour], share: float) -> Colour:
    place = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    at = min(int(place), len(stops) - 2)
    rest = place - at
    mixed = [round(a + (b - a) * rest) for a, b in zip(stops[at], stops[at + 1], strict=True)]
    return mixed[0], mixed[1], mixed[2]


def sequential(share: float) -> Colour:
    """0 to 1 as pale to deep blue."""
    return _between(_SEQUENTIAL, share)


def diverging(value: float) -> Colour:
    """-1 to 1 as red over white to blue."""
    return _between(_DIVERGING, (value + 1) / 2)


def hexadecimal(colour: Colour) -> str:
    """`#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def readable(colour: Colour) -> str:
    """Black or white, whichever contrasts more with the colour (always 4.5:1 or more)."""
    return "#000" if luminance(colour) > 0.179 else "#fff"


def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG 2 defines it."""

    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
