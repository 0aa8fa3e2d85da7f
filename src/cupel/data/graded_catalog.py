"""The catalog's entries of campaigns in which people judged translations one by one, and of WMT15.

The counts are those of the archives whose checksums are given, or of what the recipes make.
"""

from __future__ import annotations

from cupel.data.dataset import Counts, Dataset, Expected, graded_files, json_files

_WMT15_RANKINGS = {"cs-en": 2496, "de-en": 1989, "fi-en": 1744, "fr-en": 2136, "ru-en": 2407}
_WMT15 = Dataset(
    name="wmt15-rankings",
    what="newstest2015 into English, 5 pairs: 10,772 human rankings of two to five translations",
    licence="ranks: not stated; texts: BSD 3-Clause (LICENSE)",
    published="https://www.statmt.org/wmt15/",
    used_for="training",
    sha256="4672317007a8f4600ca49daf6a804bb34a8a81c1f3f42e25effb0c8d386dcab7",
    files=json_files(_WMT15_RANKINGS),
    kind="rankings-json",
    pairs=tuple(_WMT15_RANKINGS),
    languages="cs de fi fr ru → en",
    systems="63",
    judgments="10,772 rankings",
    size=11_485_200,
)

_DA15_PAIRS = dict.fromkeys(("cs-en", "de-en", "fi-en", "ru-en"), 500)
_DA15 = Dataset(
    name="da15",
    what="direct assessment of newstest2015, 4 pairs into English: 2,000 translations",
    licence="MIT (LICENSE)",
    published="https://github.com/cyr19/MENLI",
    used_for="training",
    sha256="0d900a63add597af5b791d98844c37dce833f60eca8046cbd2e3d6d2df475008",
    files=json_files(_DA15_PAIRS),
    kind="graded-json",
    pairs=tuple(_DA15_PAIRS),
    languages="cs de fi ru → en",
    systems="not named",
    judgments="2,000 grades (direct assessment)",
    size=917_330,
)

_DA17_PAIRS = {
    "cs-en": 560,
    "de-en": 560,
    "fi-en": 560,
    "lv-en": 560,
    "ru-en": 560,
    "tr-en": 560,
    "zh-en": 501,
    "en-ru": 560,
    "en-zh": 513,
}
_DA17 = Dataset(
    name="da17",
    what="direct assessment of newstest2017, 9 language pairs: 4,934 translations",
    licence="MIT (LICENSE)",
    published="https://github.com/cyr19/MENLI",
    used_for="training",
    sha256="650e305c869dbefb78b358e752020424a63a67827e1aaf5f76fbbdd7e7dc3281",
    files=json_files(_DA17_PAIRS),
    kind="graded-json",
    pairs=tuple(_DA17_PAIRS),
    languages="cs de fi lv ru tr zh → en; en → ru zh",
    systems="not named",
    judgments="4,934 grades (direct assessment)",
    size=2_437_549,
)

_MQM20_PAIRS = {"zh-en": Counts(2000, 8, 2), "en-de": Counts(1418, 7, 3)}
_MQM20 = Dataset(
    name="mqm20",
    what="newstest2020, zh-en and en-de: expert MQM of all segments of 15 systems",
    licence="Apache-2.0 (LICENSE of Google's repository; the copy states none)",
    published="https://github.com/google/wmt-mqm-human-evaluation",
    used_for="training, testing on neural systems",
    sha256="",
    files=graded_files(_MQM20_PAIRS, "mqm"),
    kind="graded",
    pairs=tuple(_MQM20_PAIRS),
    languages="zh → en; en → de",
    systems="15",
    judgments="25,926 grades (MQM, three experts each)",
    size=8_875_870,
)

_MQM21_PAIRS = {"zh-en": Counts(1948, 8), "en-de": Counts(1002, 7, 3)}
_MQM21 = Dataset(
    name="mqm21",
    what="newstest2021, zh-en and en-de: expert MQM of 15 systems",
    licence="scores: Apache-2.0 (LICENSE); texts: not stated",
    published="https://github.com/google/wmt-mqm-human-evaluation",
    used_for="training, testing on neural systems",
    sha256="8779683e56584fd2923a3c247f399a5d67d007d3e788c703350a20f512a42ef3",
    files=graded_files(_MQM21_PAIRS, "mqm"),
    kind="graded",
    pairs=tuple(_MQM21_PAIRS),
    languages="zh → en; en → de",
    systems="15",
    judgments="8,889 grades (MQM)",
    size=6_192_387,
)

_TED21_PAIRS = {"zh-en": Counts(529, 13), "en-de": Counts(529, 13)}
_TED21 = Dataset(
    name="ted21",
    what="TED talks of WMT21, zh-en and en-de: expert MQM of 26 systems",
    licence="Apache-2.0 (LICENSE)",
    published="https://github.com/google/wmt-mqm-human-evaluation",
    used_for="training, testing on neural systems; speech",
    sha256="25f72a092dea3e92a9a5394bcdfcbfb98076fa9dadb31fd4cda1bccc0812ffbb",
    files=graded_files(_TED21_PAIRS, "mqm"),
    kind="graded",
    pairs=tuple(_TED21_PAIRS),
    languages="zh → en; en → de",
    systems="26",
    judgments="13,754 grades (MQM)",
    size=1_812_662,
)

_BIO21_PAIRS = {
    "de-en": Counts(459, 11),
    "es-en": Counts(437, 10),
    "fr-en": Counts(350, 11),
    "it-en": Counts(513, 1),
    "pt-en": Counts(411, 3),
    "ru-en": Counts(426, 7),
    "zh-en": Counts(329, 14),
    "en-de": Counts(498, 8),
    "en-es": Counts(438, 7),
    "en-fr": Counts(384, 8),
    "en-it": Counts(514, 1),
    "en-pt": Counts(464, 1),
    "en-ru": Counts(354, 6),
    "en-zh": Counts(410, 15),
}
_BIO21 = Dataset(
    name="bio21",
    what="biomedical abstracts of WMT21, 14 language pairs: expert MQM of 103 systems",
    licence="Apache-2.0 (LICENSE)",
    published="https://github.com/amazon-science/bio-mqm-dataset",
    used_for="training, testing on neural systems; another domain, many target languages",
    sha256="b313379256207f47fc6a67319b53e0cf59ce55e7c9c634f1a111560e92713616",
    files=graded_files(_BIO21_PAIRS, "mqm"),
    kind="graded",
    pairs=tuple(_BIO21_PAIRS),
    languages="de es fr it pt ru zh ↔ en",
    systems="103",
    judgments="39,951 grades (MQM)",
    size=9_369_660,
)

_MQM22_PAIRS = {
    "zh-en": Counts(1875, 14, 2),
    "en-de": Counts(2037, 14, 2),
    "en-ru": Counts(2037, 15),
}
_MQM22 = Dataset(
    name="mqm22",
    what="the general test of WMT22, zh-en, en-de and en-ru: expert MQM of 43 systems, 4 domains",
    licence="zh-en and Google's scores: Apache-2.0 (LICENSE); other texts: not stated",
    published="https://github.com/google/wmt-mqm-human-evaluation",
    used_for="training, testing on neural systems; four domains",
    sha256="",
    files=graded_files(_MQM22_PAIRS, "mqm"),
    kind="graded",
    pairs=tuple(_MQM22_PAIRS),
    languages="zh → en; en → de ru",
    systems="43",
    judgments="64,385 grades (MQM)",
    size=16_712_917,
)

_ESA24_PAIRS = {
    "cs-uk": Counts(1954, 11),
    "en-cs": Counts(634, 15),
    "en-es": Counts(634, 13),
    "en-hi": Counts(634, 10),
    "en-is": Counts(634, 10),
    "en-ja": Counts(634, 12),
    "en-ru": Counts(634, 13),
    "en-uk": Counts(634, 10),
    "en-zh": Counts(634, 12),
}
_ESA24_RATINGS = {
    "cs-uk": 21548,
    "en-cs": 14100,
    "en-es": 8268,
    "en-hi": 9352,
    "en-is": 6356,
    "en-ja": 15274,
    "en-ru": 8261,
    "en-uk": 6367,
    "en-zh": 15343,
}
_ESA24 = Dataset(
    name="esa24",
    what="the general test of WMT24, 9 language pairs: ESA scores and error spans of 106 systems",
    licence="not stated (texts of WMT: free for research)",
    published="https://github.com/wmt-conference/wmt24-news-systems",
    used_for="training, testing on language models; error spans; paragraphs of several domains",
    sha256="c96e28ef07ec1f42bf45b0530bea5c22a917d3919c92bd97a9e1346c0aac9cd4",
    files=(
        *graded_files(_ESA24_PAIRS, "esa"),
        *(Expected(f"spans/{pair}.jsonl", lines=n) for pair, n in _ESA24_RATINGS.items()),
    ),
    kind="graded",
    pairs=tuple(_ESA24_PAIRS),
    languages="en → cs es hi is ja ru uk zh; cs → uk",
    systems="106",
    judgments="81,619 grades (ESA), 104,869 ratings with error spans",
    size=50_478_878,
)

_MLQE_PAIRS = {
    "et-en": Counts(8000, 1),
    "ne-en": Counts(7526, 1),
    "ro-en": Counts(8000, 1),
    "ru-en": Counts(7996, 1),
    "si-en": Counts(3125, 1),
    "en-de": Counts(8000, 1),
    "en-zh": Counts(8000, 1),
}
_MLQE = Dataset(
    name="mlqe",
    what="MLQE-PE, 7 language pairs, one system each: direct assessment, post-edits as references",
    licence="CC0 1.0 (LICENSE)",
    published="https://github.com/sheffieldnlp/mlqe-pe",
    used_for="training",
    sha256="b0cc2acb00a2964619a91fc42864dac3eef02d5ecf8e4ddc280882a659f712ce",
    files=graded_files(_MLQE_PAIRS, "da"),
    kind="graded",
    pairs=tuple(_MLQE_PAIRS),
    languages="et ne ro ru si → en; en → de zh",
    systems="7",
    judgments="50,647 grades (direct assessment)",
    size=17_361_534,
)

WMT15_RANKINGS = _WMT15
GRADED = (_DA15, _DA17, _MQM20, _MQM21, _TED21, _BIO21, _MQM22, _ESA24, _MLQE)
