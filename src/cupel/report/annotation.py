"""The page of an annotator: one HTML file that opens from disk, with the tasks, style and script inside.

It has ids and texts, but neither the names of systems nor which tasks are checks: those are in the key
(`cupel.human.tasks.key`). A content security policy allows the style and script of the page by their
hashes, and nothing from elsewhere.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from cupel.human.tasks.sheets import CATEGORIES, SEVERITIES, Screen, Sheets
from cupel.report.page import GENERATOR, asset, opening, policy_of
from cupel.report.svg import escape

SCRIPTS = ("annotate-text.js", "annotate-store.js", "annotate-panels.js", "annotate.js")
OMISSION = "Accuracy/Omission"
_RIGHT_TO_LEFT = set("ar arc azb ckb dv fa he iw ks nqo pnb prs ps sd syr ug ur yi".split())


def default_instructions(protocol: str) -> str:
    """What annotators of a protocol read first, unless told otherwise."""
    path = files("cupel.report") / "assets" / f"instructions-{protocol}.txt"
    return path.read_text("utf-8")


def annotation_page(
    sheets: Sheets,
    part: str,
    name: str,
    *,
    title: str = "",
    instructions: str = "",
    references: bool = False,
) -> str:
    """The page of one part. name: of the tasks, in the name of the file that the page saves.

    instructions: plain text; a blank line divides paragraphs, `# ` begins a heading and `* ` an item
    of a list. references: show them.
    """
    text = instructions or default_instructions(sheets.protocol)
    style = asset("annotate.css")
    script = "".join(map(asset, SCRIPTS))
    # "<" never occurs in the data, so that no text can end the element or begin another.
    data = json.dumps(_data(sheets, part, name, references), ensure_ascii=False)
    data = data.replace("<", "\\u003c")
    title = title or "Judge translations"
    return (
        f"{opening(title, style, policy_of(style, script), GENERATOR)}"
        f"{_body(escape(title), formatted(text))}\n"
        f'<script type="application/json" id="sheet">{data}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _data(sheets: Sheets, part: str, name: str, references: bool) -> dict[str, Any]:
    screens = sheets.parts[part]
    shown = {screen.segment for screen in screens}
    pair = sheets.tasks[0].pair or ""
    source, _, target = pair.partition("-")
    return {
        "tasks": sheets.id,
        "name": name,
        "part": part,
        "annotator": sheets.annotators[part],
        "protocol": sheets.protocol,
        "source_language": source,
        "target_language": target,
        "source_direction": direction(source),
        "target_direction": direction(target),
        "severities": SEVERITIES.get(sheets.protocol, []),
        "categories": CATEGORIES if sheets.protocol == "mqm" else [],
        "omission": OMISSION,
        "segments": {
            str(task.segment): {
                "source": task.source,
                "reference": task.reference if references else None,
            }
            for task in sheets.tasks
            if task.segment in shown
        },
        "screens": [_screen(screen) for screen in screens],
    }


def _screen(screen: Screen) -> dict[str, Any]:
    return {
        "id": screen.id,
        "segment": str(screen.segment),
        "options": [{"id": one.id, "text": one.text} for one in screen.options],
        "context": [list(pair) for pair in screen.context],
    }


def direction(language: str) -> str:
    """`rtl` for a language that is written from right to left, else `auto`: by the text itself.

    >>> direction("ar"), direction("fa-IR"), direction("de")
    ('rtl', 'rtl', 'auto')
    """
    return "rtl" if re.split(r"[-_]", language)[0].lower() in _RIGHT_TO_LEFT else "auto"


def formatted(text: str) -> str:
    """Instructions as HTML: paragraphs, headings and lists of plain text, all of it escaped."""
    blocks = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").strip()):
        lines = block.split("\n")
        if lines[0].startswith("# "):
            blocks.append(f"<h3>{escape(lines.pop(0)[2:])}</h3>")
        items = [line[2:] for line in lines if line.startswith("* ")]
        before = [line for line in lines if not line.startswith("* ")]
        if before:
            blocks.append(f'<p dir="auto">{escape(" ".join(before))}</p>')
        if items:
            entries = "".join(f'<li dir="auto">{escape(item)}</li>' for item in items)
            blocks.append(f"<ul>{entries}</ul>")
    return "".join(blocks)


def read_instructions(path: Path | str) -> str:
    """Instructions of the user's own; an error if there are none in the file."""
    from cupel.errors import CupelError
    from cupel.reading.lines import display_name, read_text

    text = read_text(path)
    if not text.strip():
        raise CupelError(
            f"{display_name(path)} is empty; instructions for annotators were expected."
        )
    return text


def _body(heading: str, instructions: str) -> str:
    warning = (
        "This browser cannot keep your work: its storage is full or switched off. Go on, but save "
        "a file now and then, and before you close this page."
    )
    return f"""<a class="skip" href="#main">Skip to the task</a>
<header>
<h1 dir="auto">{heading}</h1>
<div class="where"><progress id="done" value="0" aria-label="Tasks done"></progress>
<span id="count" role="status"></span>
<button type="button" class="save">Save as a file</button></div>
<p class="warning" id="storage" role="alert" hidden>{escape(warning)}</p>
</header>
<main id="main">
<noscript><p class="warning">This page needs JavaScript, which is switched off in this browser.</p></noscript>
<section id="start" aria-labelledby="start-title" hidden>
<h2 id="start-title">Before you begin</h2>
<div class="card">{instructions}</div>
<form id="begin" class="card">
<label class="field">Your name <input type="text" id="name" required autocomplete="off" maxlength="60"></label>
<button class="main">Begin or go on</button>
</form>
<div class="card"><label class="field">Go on with a file that you saved on another device
<input type="file" id="load" accept=".json,application/json"></label>
<p role="status" id="loaded"></p>
<p class="remark">Your work stays in this browser, and nothing is sent anywhere. Save it as a file at the end, and send that file to whoever asked you.</p></div>
</section>
<section id="work" aria-labelledby="place" hidden>
<h2 id="place" tabindex="-1"></h2>
<details class="instructions"><summary>Instructions</summary><div class="card">{instructions}</div></details>
<div id="screen"></div>
<div class="foot">
<p class="status" id="status" role="status"></p>
<div class="bar">
<button type="button" id="back">Back</button>
<button type="button" id="undo" aria-keyshortcuts="Control+Z">Undo<kbd>Ctrl Z</kbd></button>
<button type="button" id="next" class="main" aria-keyshortcuts="Enter">Next<kbd>Enter</kbd></button>
</div></div>
</section>
<section id="end" aria-labelledby="end-title" hidden>
<h2 id="end-title" tabindex="-1">The end</h2>
<p id="left"></p>
<div class="bar">
<button type="button" class="save main">Save as a file</button>
<button type="button" id="unfinished">Go to the first open task</button>
<button type="button" id="again">Back to the last task</button>
</div>
<p class="remark">Save the file, and send it to whoever asked you.</p>
</section>
</main>"""
