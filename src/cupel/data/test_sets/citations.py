"""What to cite for a test set, as BibTeX: written from the papers' entries in the ACL Anthology."""

from __future__ import annotations

from typing import NamedTuple

from cupel.data.test_sets.sacrebleu_sets import sacrebleu_tables
from cupel.errors import CupelError

_ANTHOLOGY = "https://aclanthology.org/"
_SMT, _CONFERENCE = (
    "Workshop on Statistical Machine Translation",
    "Conference on Machine Translation",
)
_BOJAR, _BARRAULT = "Bojar, Ondřej and others", "Barrault, Loïc and others"
_KOCMI = "Kocmi, Tom and others"


class Paper(NamedTuple):
    """A paper of the ACL Anthology; `title` if it is not that of the year's findings."""

    number: str
    authors: str
    book: str
    address: str
    pages: str
    title: str = ""

    @property
    def year(self) -> int:
        return 2000 + int(self.number[1:3]) if self.number[0] == "W" else int(self.number[:4])

    @property
    def full_title(self) -> str:
        meeting = self.book.partition(" ")[2]
        short = f" (WMT{self.year - 2000})" if self.year > 2016 else ""
        return self.title or f"Findings of the {self.year} {meeting}{short}"


_METRICS21 = Paper(
    "2021.wmt-1.73",
    "Freitag, Markus and Rei, Ricardo and Mathur, Nitika and Lo, Chi-kiu and Stewart, Craig and Foster, "
    "George and Lavie, Alon and Bojar, Ondřej",
    f"Sixth {_CONFERENCE}",
    "Online",
    "733--774",
    "Results of the WMT21 Metrics Shared Task: Evaluating Metrics with Expert-based Human Evaluations on "
    "TED and News Domain",
)
_PAPERS = {
    "wmt12": Paper(
        "W12-3102",
        "Callison-Burch, Chris and Koehn, Philipp and Monz, Christof and Post, Matt and Soricut, Radu "
        "and Specia, Lucia",
        f"Seventh {_SMT}",
        "Montréal, Canada",
        "10--51",
    ),
    "wmt13": Paper(
        "W13-2201",
        "Bojar, Ondřej and Buck, Christian and Callison-Burch, Chris and Federmann, Christian and "
        "Haddow, Barry and Koehn, Philipp and Monz, Christof and Post, Matt and Soricut, Radu and "
        "Specia, Lucia",
        f"Eighth {_SMT}",
        "Sofia, Bulgaria",
        "1--44",
    ),
    "wmt14": Paper(
        "W14-3302",
        "Bojar, Ondřej and Buck, Christian and Federmann, Christian and Haddow, Barry and Koehn, "
        "Philipp and Leveling, Johannes and Monz, Christof and Pecina, Pavel and Post, Matt and "
        "Saint-Amand, Herve and Soricut, Radu and Specia, Lucia and Tamchyna, Aleš",
        f"Ninth {_SMT}",
        "Baltimore, Maryland, USA",
        "12--58",
    ),
    "wmt15": Paper("W15-3001", _BOJAR, f"Tenth {_SMT}", "Lisbon, Portugal", "1--46"),
    "wmt16": Paper("W16-2301", _BOJAR, f"First {_CONFERENCE}", "Berlin, Germany", "131--198"),
    "wmt17": Paper("W17-4717", _BOJAR, f"Second {_CONFERENCE}", "Copenhagen, Denmark", "169--214"),
    "wmt18": Paper("W18-6401", _BOJAR, f"Third {_CONFERENCE}", "Brussels, Belgium", "272--303"),
    "wmt19": Paper("W19-5301", _BARRAULT, f"Fourth {_CONFERENCE}", "Florence, Italy", "1--61"),
    "wmt20": Paper("2020.wmt-1.1", _BARRAULT, f"Fifth {_CONFERENCE}", "Online", "1--55"),
    "wmt21": Paper(
        "2021.wmt-1.1", "Akhbardeh, Farhad and others", f"Sixth {_CONFERENCE}", "Online", "1--88"
    ),
    "wmt22": Paper("2022.wmt-1.1", _KOCMI, f"Seventh {_CONFERENCE}", "Abu Dhabi", "1--45"),
    "wmt23": Paper(
        "2023.wmt-1.1",
        _KOCMI,
        f"Eighth {_CONFERENCE}",
        "Singapore",
        "1--42",
        "Findings of the 2023 Conference on Machine Translation (WMT23): LLMs Are Here but Not Quite "
        "There Yet",
    ),
    "wmt24": Paper(
        "2024.wmt-1.1",
        _KOCMI,
        f"Ninth {_CONFERENCE}",
        "Miami, Florida, USA",
        "1--46",
        "Findings of the WMT24 General Machine Translation Shared Task: The LLM Era Is Here but MT Is "
        "Not Solved Yet",
    ),
    "mqm20": Paper("2020.wmt-1.1", _BARRAULT, f"Fifth {_CONFERENCE}", "Online", "1--55"),
    "mqm21": _METRICS21,
    "mqm22": Paper(
        "2022.wmt-1.2",
        "Freitag, Markus and Rei, Ricardo and Mathur, Nitika and Lo, Chi-kiu and Stewart, Craig and "
        "Avramidis, Eleftherios and Kocmi, Tom and Foster, George and Lavie, Alon and Martins, André F. T.",
        f"Seventh {_CONFERENCE}",
        "Abu Dhabi",
        "46--68",
        "Results of WMT22 Metrics Shared Task: Stop Using BLEU -- Neural Metrics Are Better and More "
        "Robust",
    ),
    "ted21": _METRICS21,
    "bio21": Paper(
        "2024.acl-short.45",
        "Zouhar, Vilém and Ding, Shuoyang and Currey, Anna and Badeka, Tatyana and Wang, Jenyuan and "
        "Thompson, Brian",
        "62nd Annual Meeting of the Association for Computational Linguistics (Volume 2: Short Papers)",
        "Bangkok, Thailand",
        "488--500",
        "Fine-Tuned Machine Translation Metrics Struggle in Unseen Domains",
    ),
    "mlqe": Paper(
        "2022.lrec-1.530",
        "Fomicheva, Marina and Sun, Shuo and Fonseca, Erick and Zerva, Chrysoula and Blain, Frédéric and "
        "Chaudhary, Vishrav and Guzmán, Francisco and Lopatina, Nina and Specia, Lucia and Martins, "
        "André F. T.",
        "Thirteenth Language Resources and Evaluation Conference",
        "Marseille, France",
        "4963--4974",
        "MLQE-PE: A Multilingual Quality Estimation and Post-Editing Dataset",
    ),
}


def citation(name: str) -> str:
    """The BibTeX entry of a test set; for additions to a set of WMT, and for sets that are not listed
    here, the one that sacreBLEU has.
    """
    entry = sacrebleu_tables().get(name)
    own = entry.citation if entry is not None else None
    # The embedded sample is three language pairs of bio21.
    name = "bio21" if name == "sample" else name
    paper = _PAPERS.get(name.partition("/")[0])
    if own and (paper is None or "/" in name):
        text = str(own).strip()
        return text + "\n}" * (text.count("{") - text.count("}"))  # some are not closed there
    if paper is None:
        raise CupelError(
            f"There is no citation for the test set {name!r}: see where it was published."
        )
    return _bibtex(paper)


def _bibtex(paper: Paper) -> str:
    family = paper.authors.partition(",")[0].lower()
    fields = {
        "author": paper.authors,
        "title": f"{{{paper.full_title}}}",
        "booktitle": f"Proceedings of the {paper.book}",
        "address": paper.address,
        "year": str(paper.year),
        "pages": paper.pages,
        "url": _ANTHOLOGY + paper.number,
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@inproceedings{{{family}-{paper.year}-{paper.number},\n{lines},\n}}"
