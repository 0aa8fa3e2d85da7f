"""Tags: markup and placeholders of the source that the translation lost or changed.

Measures: The share of tags, placeholders and entities that the source and the translation do not
have in common, in percent. Lower is better.

Use: For software strings, subtitles, help pages and templates, where a lost `{name}` breaks a
program. Not as a measure of quality.

Needs: Sources, and no references. Any language.

Formula:
    tags = 100 * |tags in only one of the texts| / |tags in both texts together|

Tags are counted as often as they occur. They are <b>, </b>, <br/>, {name}, {{name}}, ${name},
%s, %d, %1$s, %(name)s, &amp;, &#39; and [[name]]. A segment without tags has 0.

Paper: None: the check was made for Cupel.

Equal to: No other program was compared; docs/checks.md has its precision and recall.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from cupel.metrics.check import Check
from cupel.registry import register

_TAG = re.compile(
    r"</?[A-Za-z][\w:.-]{0,40}(?:\s[^<>]{0,400})?/?>|\$?\{\{?[\w .:#$-]{1,60}\}?\}|\[\[[^\[\]]{1,60}\]\]"
    r"|%(?:\(\w{1,40}\)|\d{1,2}\$)?[sdifu@](?!\w)|&(?:#\d{1,6}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});"
)


@register("tags", "markup and placeholders that were lost or changed; needs no reference")
@dataclass(frozen=True)
class Tags(Check):
    """The check."""

    name = "tags"

    def fault(self, source: str, translation: str) -> float:
        ours, theirs = Counter(_TAG.findall(source)), Counter(_TAG.findall(translation))
        every = (ours | theirs).total()
        return 1 - (ours & theirs).total() / every if every else 0.0
