"""The pages for people: a form that compares two translations, and the description of the service.

They look like the reports and have their content security policy: the style and the script of the page
are allowed by their hashes, and requests to the service itself; nothing is loaded from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from cupel import __version__
from cupel.adapters.service.settings import Ability
from cupel.report.html import Cell, Section, paragraph, table
from cupel.report.page import asset, opening, source_hash
from cupel.report.svg import escape


@dataclass(frozen=True)
class Html:
    """A page and its content security policy, which is sent as a header as well."""

    text: str
    policy: str


def front(offered: Mapping[str, Ability]) -> Html:
    """The form: a source, a reference and two translations."""
    data = [
        {
            "name": label,
            "higher": ability.higher_is_better,
            "decimals": ability.decimals,
            "needs": ability.needs,
            "aligns": ability.aligns,
            "prefers": ability.prefers,
            "english": ability.english,
        }
        # Where several metrics compare directly, assay does; it agrees best with people.
        for label, ability in sorted(offered.items(), key=lambda item: item[0] != "assay")
    ]
    fields = "".join(
        f'<label>{name} <small>{note}</small><textarea name="{key}" dir="auto" rows="4" '
        f'spellcheck="false"{required}></textarea></label>'
        for key, name, note, required in (
            ("source", "Source", "optional", ""),
            ("reference", "Reference", "optional; most metrics need it", ""),
            ("first", "Translation 1", "", " required"),
            ("second", "Translation 2", "", " required"),
        )
    )
    holder = json.dumps(data).replace("<", r"\u003c")
    content = (
        "<noscript><p>This page needs JavaScript. Without it, see the <a href='docs'>description "
        "of the service</a>.</p></noscript>"
        f'<form aria-label="Texts"><div class="fields">{fields}</div>'
        '<div class="actions"><button type="submit">Compare</button>'
        '<button type="reset" class="plain">Clear</button>'
        '<span id="status" role="status" aria-live="polite" class="remark"></span></div></form>'
        '<div id="results"></div>'
        f'<script type="application/json" id="metrics">{holder}</script>'
    )
    remark = f"Cupel {__version__}, with {', '.join(offered)}."
    script = asset("marks.js") + _own("service.js")
    return _page("Which translation is better?", remark, content, script)


def docs(description: Mapping[str, Any]) -> Html:
    """What `openapi.json` says, for reading."""
    sections, answers = [], {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            name = path.strip("/").replace(".", "-")
            content = paragraph(operation["summary"])
            if "requestBody" in operation:
                content += _body(path, operation)
                answers = operation["responses"]
            sections.append(str(Section(name, f"{method.upper()} {path}", content)))
    rows = [[status, Cell(what["description"], "text")] for status, what in answers.items()]
    statuses = table(["status", "meaning"], rows, "HTTP status of an answer to a POST")
    sections.append(str(Section("answers", "Answers", statuses)))
    remark = f"Cupel {__version__}. For programs: openapi.json."
    return _page("The service", remark, "".join(sections), "")


def _body(path: str, operation: Mapping[str, Any]) -> str:
    body = operation["requestBody"]["content"]["application/json"]
    required = body["schema"]["required"]
    fields = [
        [name, "yes" if name in required else "no", Cell(field["description"], "text")]
        for name, field in body["schema"]["properties"].items()
    ]
    example = json.dumps(body["example"], ensure_ascii=False)
    command = f"curl -H 'Content-Type: application/json' -d '{example}' http://HOST:PORT{path}"
    return (
        table(["field", "required", "meaning"], fields, f"Fields of the JSON sent to {path}")
        + f'<pre tabindex="0"><code>{escape(command)}</code></pre>'
    )


def _own(name: str) -> str:
    return (files("cupel.adapters.service") / "assets" / name).read_text("utf-8")


def _page(title: str, remark: str, content: str, script: str) -> Html:
    style = asset("report.css") + _own("service.css")
    scripts = f"; script-src {source_hash(script)}; connect-src 'self'" if script else ""
    policy = (
        f"default-src 'none'; style-src {source_hash(style)}{scripts}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    links = '<li><a href=".">Compare</a></li><li><a href="docs">Description</a></li>'
    return Html(
        opening(f"{title} – Cupel", style, policy, '<link rel="icon" href="data:,">')
        + '<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header><h1>{escape(title)}</h1><p class="meta">{escape(remark)}</p></header>\n'
        f'<nav aria-label="Pages"><ul>{links}</ul></nav>\n<main id="main">\n{content}\n</main>\n'
        f"<footer>Cupel {__version__}. Texts go to this service only; nothing is loaded from "
        "elsewhere.</footer>\n"
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n",
        policy,
    )
