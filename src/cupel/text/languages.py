"""Languages by their codes: which exist, their scripts, and which are written without spaces.

Codes are those of ISO 639-1 (two letters), or of three letters (ISO 639-3), of which those that we do
not have pass unchecked. A language pair is written `en-de`; a region or script behind the target
(`en-pt_BR`, `eng_Latn-deu_Latn`) makes no difference here.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from cupel.errors import CupelError
from cupel.text.scripts import HAN, KANA, scripts, words

NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian",
    "ja": "Japanese", "ka": "Georgian", "kk": "Kazakh", "km": "Khmer", "ko": "Korean",
    "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian", "mr": "Marathi", "my": "Burmese",
    "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "ps": "Pashto",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "si": "Sinhala", "sk": "Slovak",
    "sl": "Slovene", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil",
    "te": "Telugu", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "xh": "Xhosa", "yi": "Yiddish", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip
"""English names of languages that WMT, FLORES or the datasets of Cupel translate into."""
_OTHER_CODES = (
    "aa ab ae af ak am an as av ay az ba be bh bi bm bo br bs ce ch co cr cu cv cy dv dz ee eo ff fj "
    "fo fy gd gl gn gv ha ho ht hz ia ie ig ii ik io iu jv kg ki kj kl kn kr ks ku kv kw ky la lb lg "
    "li ln lu mg mh mi mk ml mn ms mt na nb nd ng nn nr nv ny oc oj om or os pa pi qu rm rn rw sa sc "
    "sd se sg sm sn so sq ss st su tg ti tk tl tn to ts tt tw ty ug uz ve vo wa wo za"
).split()
CODES = frozenset([*NAMES, *_OTHER_CODES])
_THREE_LETTERS = dict(
    pair.split("=")
    for pair in (
        "amh=am ara=ar arb=ar ben=bn bul=bg cat=ca ces=cs cze=cs cmn=zh dan=da deu=de ger=de dut=nl "
        "ell=el gre=el eng=en est=et eus=eu baq=eu fas=fa per=fa pes=fa fin=fi fra=fr fre=fr gle=ga "
        "guj=gu hau=ha heb=he hin=hi hrv=hr hun=hu hye=hy arm=hy ind=id isl=is ice=is ita=it jpn=ja "
        "kat=ka geo=ka kaz=kk khm=km kor=ko lao=lo lit=lt lav=lv lvs=lv mar=mr mya=my bur=my nep=ne "
        "npi=ne nld=nl nor=no nob=nb nno=nn pol=pl pus=ps por=pt ron=ro rum=ro rus=ru sin=si slk=sk "
        "slo=sk slv=sl spa=es srp=sr swe=sv swa=sw swh=sw tam=ta tel=te tha=th tur=tr ukr=uk urd=ur "
        "vie=vi xho=xh ydd=yi yid=yi zho=zh chi=zh zul=zu"
    ).split()
)
"""Codes of three letters (ISO 639-2 and 639-3) of languages that have one of two."""
WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my"})
EAST_ASIAN = (HAN, KANA)
UNSPACED_SCRIPTS = (*EAST_ASIAN, "THAI", "LAO", "KHMER", "MYANMAR")
_SCRIPTS = {
    **dict.fromkeys(["ar", "fa", "ps", "ur"], ("ARABIC",)),
    **dict.fromkeys(["bg", "kk", "ru", "uk"], ("CYRILLIC",)),
    **dict.fromkeys(["hi", "mr", "ne"], ("DEVANAGARI",)),
    "am": ("ETHIOPIC",), "bn": ("BENGALI",), "el": ("GREEK",), "gu": ("GUJARATI",), "he": ("HEBREW",),
    "hy": ("ARMENIAN",), "ja": (HAN, KANA), "ka": ("GEORGIAN",), "km": ("KHMER",),
    "ko": ("HANGUL",), "lo": ("LAO",), "my": ("MYANMAR",), "si": ("SINHALA",),
    "sr": ("CYRILLIC", "LATIN"), "ta": ("TAMIL",), "te": ("TELUGU",), "th": ("THAI",),
    "yi": ("HEBREW",), "zh": (HAN,),
}  # fmt: skip
_LATIN = frozenset(NAMES) - frozenset(_SCRIPTS)
_LOOKED_AT = 200
_LEAST_WORDS = 50
_LEAST_ENGLISH = 0.15


def target_language(pair: str | None) -> str | None:
    """The target language of a pair such as `en-de`, or of a code alone; an unknown one is refused.

    >>> target_language("en-pt_BR"), target_language("eng_Latn-deu_Latn")
    ('pt', 'de')
    """
    if not pair:
        return None
    code = pair.rpartition("-")[2].partition("_")[0].lower()
    code = _THREE_LETTERS.get(code, code)
    if code in CODES or (len(code) == 3 and code.isalpha()):
        return code
    near = get_close_matches(code, sorted(CODES), n=1, cutoff=0.5) if len(code) < 4 else []
    hint = f"did you mean {near[0]!r}?" if near else "codes have two or three letters, such as de."
    raise CupelError(f"There is no language {code!r}: {hint}")


def language_name(code: str) -> str:
    """Its English name, or the code."""
    return NAMES.get(code, code)


def main_script(texts: Iterable[str]) -> str | None:
    """The script of most letters of the first texts; a Chinese character counts as three letters."""
    counts = scripts(islice(texts, _LOOKED_AT))
    return counts.most_common(1)[0][0] if counts else None


def is_written_in(script: str, language: str) -> bool:
    """Whether a language is written in this script; True where we do not know its script."""
    if language in _SCRIPTS:
        return script in _SCRIPTS[language]
    return script == "LATIN" or language not in _LATIN


def looks_english(texts: Iterable[str]) -> bool:
    """Whether enough words of the first texts are frequent words of English.

    About 45% are in English text, and below 10% in German, French, Czech or Finnish. Texts of
    fewer than 50 words pass.
    """
    from cupel.text.meteor_words import function_words

    function = function_words()
    tokens = [w for text in islice(texts, _LOOKED_AT) for w in words(text.lower()) if w.isalpha()]
    share = sum(word in function for word in tokens) / max(len(tokens), 1)
    return len(tokens) < _LEAST_WORDS or share >= _LEAST_ENGLISH
