"""Numbers in texts of many languages: what they may mean, and the unit that follows them.

`1,234.5`, `1.234,5`, `1 234,5` and `1’234.5` are one number; `3.500` may be 3500 or 3.5, so that
a number has several readings. Words for thousands, millions and so on, and the Chinese and Japanese
signs for them, multiply the number before them; that is a further reading.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_GROUPED = (
    r"\d{1,3}(?:(?P<mark>[.,'’\u00a0\u202f ])\d{3})(?:(?P=mark)\d{3})*(?:[.,]\d+)?(?![.,]?\d)"
)
_LISTED = r"\d+(?:[.]\d+){2,}"  # a date, a version: each number by itself
_NUMBER = re.compile(rf"(?<!\d)(?:{_GROUPED}|(?P<listed>{_LISTED})|\d+(?:[.,]\d+)?)")
_AFTER = re.compile(r"[\s\u00a0\u202f-]*[多余餘几]?([^\W\d_]+|[%‰°€$£¥₹]+[CF]?)")
_BEFORE = re.compile(r"([€$£¥₹]|US\$)\s*$")

_SCALES = {
    10**2: ("百", "hundred", "hundert"),
    10**3: ("千", "thousand", "thousands", "tausend", "mille", "mil", "mila", "tysiąc", "tisíc",
            "тысяча", "тысячи", "тысяч", "тыс", "хиляди", "हजार", "天", "duizend", "tusen"),
    10**4: ("万", "萬", "만"),
    10**5: ("lakh", "लाख"),
    10**6: ("million", "millions", "millionen", "mio", "mn", "millón", "millones", "milione",
            "milioni", "milhão", "milhões", "milion", "milionů", "miliony", "миллион", "миллиона",
            "миллионов", "млн", "百万", "miljoen", "miljoner"),
    10**7: ("crore", "करोड़", "千万"),
    10**8: ("亿", "億", "억"),
    10**9: ("billion", "billions", "bn", "milliarde", "milliarden", "mrd", "milliard", "milliards",
            "miliardo", "miliardi", "bilhão", "bilhões", "miliarda", "miliard", "миллиард",
            "миллиарда", "миллиардов", "млрд", "十亿", "十億", "miljard", "miljarder"),
    10**12: ("trillion", "trillions", "billion", "billionen", "billón", "billones", "万亿", "兆"),
}  # fmt: skip
_SCALE_OF: dict[str, set[int]] = {}
for _scale, _words in _SCALES.items():
    for _word in _words:
        _SCALE_OF.setdefault(_word, set()).add(_scale)
_LONGEST = max(map(len, _SCALE_OF))

_UNITS = (
    ("%", "percent", "prozent", "pct", "процент", "процента", "процентов"),
    ("‰",), ("km",), ("m",), ("cm",), ("mm",), ("µm", "μm", "um"), ("nm",), ("mi", "mile", "miles"),
    ("ft", "feet"), ("kg",), ("g",), ("mg",), ("µg", "μg", "mcg"), ("lb", "lbs", "pounds"),
    ("l", "liter", "litre"), ("ml",), ("°c", "℃"), ("°f", "℉"), ("€", "eur", "euro", "euros"),
    ("$", "us$", "usd", "dollar", "dollars"), ("£", "gbp"), ("¥", "jpy", "cny", "rmb"), ("₹", "inr"),
    ("kw",), ("mw",), ("gb",), ("mb",), ("kb",), ("hz",), ("mhz",), ("ghz",), ("mmhg",), ("mmol",),
)  # fmt: skip
_UNIT_OF = {name: names[0] for names in _UNITS for name in names}


_SMALL = {
    word: value for value, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen".split(), start=1,
    )
}  # fmt: skip
_TENS = {
    word: value for value, word in zip(
        range(20, 100, 10), "twenty thirty forty fifty sixty seventy eighty ninety".split(),
        strict=True,
    )
}  # fmt: skip
_ENGLISH = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>{'|'.join(list(_SMALL)[:9])}))?"
    rf"|(?P<units>{'|'.join(_SMALL)}))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Number:
    """A number as it stands in a text.

    readings  what its digits may mean
    scaled    the same times the thousands, millions ... after it; empty where there are none
    unit      where it is one of ours
    minutes   whether it stands behind a colon, as in 14:30
    """

    text: str
    readings: frozenset[Decimal]
    scaled: frozenset[Decimal] = frozenset()
    unit: str | None = None
    minutes: bool = False

    def equals(self, other: Number) -> bool:
        """Whether they may be the same number, written in two languages."""
        if self.scaled and other.scaled:
            return not self.scaled.isdisjoint(other.scaled)
        return not (self.readings | self.scaled).isdisjoint(other.readings | other.scaled)


def numbers(text: str) -> list[Number]:
    """The numbers of a text, in their order.

    >>> [n.text for n in numbers("12,000 of 3.5 million on 3.5.2021")]
    ['12,000', '3.5', '3', '5', '2021']
    """
    normal = unicodedata.normalize("NFKC", text)
    result = []
    for match in _NUMBER.finditer(normal):
        if match["listed"]:
            result += [Number(part, _readings(part)) for part in match[0].split(".")]
            continue
        readings = _readings(match[0])
        after = _AFTER.match(normal, match.end())
        follower = after[1] if after else ""
        scaled = frozenset(reading * scale for reading in readings for scale in _scales(follower))
        minutes = normal[: match.start()].endswith(":")
        result.append(Number(match[0], readings, scaled, _unit(follower, normal, match), minutes))
    return result


def english_words(text: str) -> list[Number]:
    """Numbers that are written as English words, up to 99.

    >>> [n.text for n in english_words("Seventy-one rivers and two lakes")]
    ['Seventy-one', 'two']
    """
    result = []
    for match in _ENGLISH.finditer(text):
        tens, units = (
            part.lower() for part in (match["tens"] or "", match["units"] or match["unit"] or "")
        )
        value = Decimal(_TENS.get(tens, 0) + _SMALL.get(units, 0))
        result.append(Number(match[0], frozenset([value])))
    return result


def _readings(text: str) -> frozenset[Decimal]:
    digits = re.sub(r"['’\u00a0\u202f ]", "", text)
    marks = [mark for mark in digits if mark in ".,"]
    forms = set()
    if len(set(marks)) == 2:  # the last one is the decimal point
        forms.add(digits.replace(marks[0], "").replace(marks[-1], "."))
    elif len(marks) > 1:
        forms.add(digits.replace(marks[0], ""))
    elif marks:
        forms.add(digits.replace(marks[0], "."))
        if len(digits.partition(marks[0])[2]) == 3:
            forms.add(digits.replace(marks[0], ""))
    else:
        forms.add(digits)
    readings = set()
    for form in forms:
        try:
            readings.add(Decimal(form).normalize())
        except InvalidOperation:  # digits of a script that Decimal does not read
            continue
    return frozenset(readings or {Decimal(0)})


def _scales(follower: str) -> set[int]:
    """What the word after a number multiplies it by; Chinese signs may begin a longer word."""
    lower = follower.lower().rstrip(".")
    if lower in _SCALE_OF:
        return _SCALE_OF[lower]
    if lower[:1] > "\u2e80":
        for size in range(min(_LONGEST, len(lower)), 0, -1):
            if lower[:size] in _SCALE_OF:
                return _SCALE_OF[lower[:size]]
    return set()


def _unit(follower: str, text: str, match: re.Match[str]) -> str | None:
    before = _BEFORE.search(text, max(0, match.start() - 4), match.start())
    if before:
        return _UNIT_OF.get(before[1].lower())
    return _UNIT_OF.get(follower.lower())
