"""The named datasets: what each is, where it is published, and the files it consists of.

None of them is part of this package. The counts are those of the archives whose checksums are
given; your own copy with the same files will do as well.
"""

from __future__ import annotations

from cupel.data.dataset import Counts, Dataset, Expected, graded_files
from cupel.data.graded_catalog import GRADED, WMT15_RANKINGS

NOT_STATED = "not stated"


def _wmt(
    year: int,
    what: str,
    used_for: str,
    sha256: str,
    size: int,
    languages: str,
    systems: dict[str, int],
    judgments: int,
    files: tuple[Expected, ...],
) -> Dataset:
    outputs = f"system-outputs/newstest20{year}"
    return Dataset(
        name=f"wmt{year}",
        what=what,
        licence=NOT_STATED,
        published=f"https://www.statmt.org/wmt{year}/",
        used_for=used_for,
        sha256=sha256,
        files=(
            Expected("judgments.csv", lines=judgments + 1),
            *files,
            *(Expected(f"{outputs}/{pair}/newstest20{year}.*", n) for pair, n in systems.items()),
        ),
        kind="wmt",
        pairs=tuple(systems),
        languages=languages,
        systems=str(sum(systems.values())),
        judgments=f"{judgments:,} five-way rankings",
        size=size,
    )


_WMT12 = _wmt(
    12,
    "newstest2012, 8 language pairs: 103 system outputs and 12,339 five-way human rankings",
    "testing metrics against the published tables",
    "b3752433608fe1babcbf5a943402c4dab09553747599a2dd429b126fa41bd2e6",
    47_554_650,
    "cs de es fr ↔ en",
    {
        "cs-en": 6,
        "de-en": 16,
        "es-en": 12,
        "fr-en": 15,
        "en-cs": 13,
        "en-de": 15,
        "en-es": 11,
        "en-fr": 15,
    },
    12_339,
    (
        Expected("references/newstest2012-ref.*", 5),
        Expected("sources/newstest2012-src.*", 5),
    ),
)
_WMT13 = _wmt(
    13,
    "newstest2013 into English, 5 pairs: 94 system outputs and 45,223 five-way human rankings",
    "training ReVal and NNRK, tuning REDp",
    "6758a92c679b8c150e0f64a1ea178abf94edfe6466d655fbb4c96e8ce6a690ed",
    48_004_412,
    "cs de es fr ru → en",
    {"cs-en": 12, "de-en": 23, "es-en": 17, "fr-en": 19, "ru-en": 23},
    45_223,
    (
        Expected("references/newstest2013-ref.*", 6),
        Expected("sources/newstest2013-src.*", 6),
    ),
)
_WMT14 = _wmt(
    14,
    "newstest2014 into English, 5 pairs: 48 system outputs, 12,239 five-way human rankings and "
    "the official system-level human scores",
    "testing ReVal, NNRK and RED against the published tables",
    "2ee09a20313d86960c1167605b82e0ec0cc1ec0eddd54a007107f213431cd61f",
    28_254_228,
    "cs de fr hi ru → en",
    {"cs-en": 5, "de-en": 13, "fr-en": 8, "hi-en": 9, "ru-en": 13},
    12_239,
    (
        Expected("human-system-scores.txt"),
        *(Expected(f"references/newstest2014-{pair}-ref.en") for pair in ("csen", "deen", "fren")),
        *(Expected(f"references/newstest2014-{pair}-ref.en") for pair in ("hien", "ruen")),
        *(Expected(f"sources/newstest2014-{la}en-src.{la}") for la in ("cs", "de", "fr")),
        *(Expected(f"sources/newstest2014-{la}en-src.{la}") for la in ("hi", "ru")),
    ),
)

_DA13_SEGMENTS = {
    "cs-en": 70,
    "de-en": 70,
    "es-en": 500,
    "fr-en": 70,
    "ru-en": 70,
    "en-de": 140,
    "en-es": 140,
    "en-fr": 70,
    "en-ru": 140,
}
_DA13 = Dataset(
    name="da13",
    what="direct assessment of WMT13 segments, 9 language pairs",
    licence=NOT_STATED,
    published="https://github.com/ygraham/direct-assessment",
    used_for="segment-level Pearson correlation",
    sha256="5758d6e0271104ab5bf77783ed6049dbcd66e7396a99854ab8254ed75e07a7f4",
    files=tuple(
        Expected(f"{stem}.{pair}{end}", lines=segments + header)
        for pair, segments in _DA13_SEGMENTS.items()
        for stem, end, header in (
            ("human-scores", ".csv", 1),
            ("src", "", 0),
            ("ref", "", 0),
            ("sys", "", 0),
            ("src.pre-tok", "", 0),
            ("ref.pre-tok", "", 0),
            ("sys.pre-tok", "", 0),
        )
    ),
    languages="cs de es fr ru → en; en → de es fr ru",
    systems="173",
    judgments="1,270 grades (direct assessment)",
    size=1_041_957,
)

_SICK = Dataset(
    name="sick",
    what="SICK (SemEval-2014 task 1): 9,840 sentence pairs with relatedness and entailment",
    licence="CC BY-NC-SA 3.0",
    published="https://zenodo.org/record/2787612",
    used_for="ReVal's training sets with SICK, MUTT's templates",
    sha256="02f0ea5fe2a217f6300e9ec4bbb90cd16ba6f93872b2a637dbd2913595f1ff28",
    files=(Expected("SICK.txt", lines=9_841),),
    languages="en",
    systems="none",
    judgments="9,840 graded sentence pairs",
    size=2_432_818,
)

MUTT_TRIALS = {
    "det_sub": 65,
    "double_PP": 202,
    "near_syms": 240,
    "neg_subj": 336,
    "neg_verb": 198,
    "passive": 214,
    "remove_prep": 202,
    "sem_opps": 246,
    "shuffled": 14,
    "swap_chunks": 500,
}
_MUTT = Dataset(
    name="mutt",
    what="the trials of the MUTT paper: 10 corruptions, 2,217 trials with 5, 10 and 20 references",
    licence="none given; its sentences come from SICK (CC BY-NC-SA 3.0) and Flickr8k",
    published="https://github.com/text-machine-lab/MUTT",
    used_for="unit tests of metrics",
    sha256="3b872f8c30bbf3d97c62a2dd82a7fa200ae1140a4616590820d5132908bab892",
    files=tuple(
        Expected(f"trials/{corruption}_{part}.json")
        for corruption in MUTT_TRIALS
        for part in ("a", "b", "r5", "r10", "r20")
    ),
    kind="mutt",
    languages="en",
    systems="none",
    judgments="2,217 trials",
    size=11_585_691,
)

_EWT = Dataset(
    name="ud-english-ewt",
    what="Universal Dependencies English-EWT: web text with dependency trees",
    licence="CC BY-SA 4.0",
    published="https://github.com/UniversalDependencies/UD_English-EWT",
    used_for="checking a parser, training syntactic vectors",
    sha256="c0c45fdcbbd0823c0cbf7ac35fee56115e70a236c8c120b5e19282886ca1add5",
    files=tuple(Expected(f"en_ewt-ud-{part}.conllu") for part in ("train", "dev", "test")),
    languages="en",
    systems="none",
    judgments="16,622 trees",
    size=17_813_217,
)

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        *(_WMT12, _WMT13, _WMT14, WMT15_RANKINGS),
        *(_DA13, *GRADED),
        *(_SICK, _MUTT, _EWT),
    )
}
_SAMPLE = Dataset(
    name="sample",
    what="biomedical abstracts, 3 language pairs of bio21: 12,287 expert grades (MQM); part of Cupel",
    licence="Apache-2.0",
    published="https://github.com/amazon-science/bio-mqm-dataset",
    used_for="trying `cupel meta` and `cupel train assay`",
    sha256="",
    files=graded_files(
        {"de-en": Counts(459, 11), "zh-en": Counts(329, 14), "en-de": Counts(498, 8)}, "mqm"
    ),
    kind="graded",
    pairs=("de-en", "zh-en", "en-de"),
    languages="de zh → en, en → de",
    systems="33",
    judgments="12,287 grades (MQM)",
)
EMBEDDED = {_SAMPLE.name: _SAMPLE}
"""What comes with Cupel and is always here."""

RANKED = tuple(name for name, dataset in DATASETS.items() if dataset.kind == "wmt")
"""Those with human rankings: WMT's."""
CAMPAIGNS = (*EMBEDDED, *(name for name, one in DATASETS.items() if one.kind == "graded"))
"""Those with human grades, laid out as mt-metrics-eval's."""
