"""The character classes of the tokenizer `ptb`, as insides of classes for `re`.

They were found by putting every character of the basic plane through the Stanford tokenizer in
a few contexts (alone, inside a word, after a hyphen, inside a number) and looking at what came
out. Characters beyond the basic plane are none of these: the original reads UTF-16 units.
"""

import unicodedata

# Letters and digits are those of Unicode 6.2. The standard library keeps Unicode 3.2 for ever
# (whatever the Python version), so what follows are the letters that came between the two.
_LETTERS_SINCE_3_2 = """
0221 0234-024F 02AE-02AF 02B9-02BA 02C6-02CF 02EC 0370-0374 0376-0377 037B-037D 03CF 03F7-03FF
04CF 04F6-04F7 04FA-04FF 0510-0527 0620 063B-063F 06EE-06EF 06FF 072D-072F 074D-077F 07CA-07EA
07F4-07F5 07FA 0800-0815 081A 0824 0828 0840-0858 08A0 08A2-08AC 0904 0971-0977 0979-097F 09BD
09CE 0A8C 0AE1 0B35 0B71 0BB6 0BD0 0C3D 0C58-0C59 0CBD 0CF1-0CF2 0D29 0D3A 0D3D 0D4E 0D7A-0D7F
0EDE-0EDF 0F6B-0F6C 0F8C 1022 1028 103F 105A-105D 1061 1065-1066 106E-1070 1075-1081 108E 10C7
10CD 10F9-10FA 10FC-10FF 115A-115E 11A3-11A7 11FA-11FF 1207 1247 1287 12AF 12CF 12EF 130F 131F
1347 1380-138F 1677-167F 18AA 18B0-18F5 1900-191C 1950-196D 1970-1974 1980-19AB 19C1-19C7
1A00-1A16 1A20-1A54 1AA7 1B05-1B33 1B45-1B4B 1B83-1BA0 1BAE-1BAF 1BBA-1BE5 1C00-1C23 1C4D-1C4F
1C5A-1C7D 1CE9-1CEC 1CEE-1CF1 1CF5-1CF6 1D00-1DBF 1E9C-1E9F 1EFA-1EFF 2090-209C 2132 213C 214E
2183-2184 2C00-2C2E 2C30-2C5E 2C60-2CE4 2CEB-2CEE 2CF2-2CF3 2D00-2D25 2D27 2D2D 2D30-2D67 2D6F
2D80-2D96 2DA0-2DA6 2DA8-2DAE 2DB0-2DB6 2DB8-2DBE 2DC0-2DC6 2DC8-2DCE 2DD0-2DD6 2DD8-2DDE 2E2F
312D 31B8-31BA 9FA6-9FCC A4D0-A4FD A500-A60C A610-A61F A62A-A62B A640-A66E A67F-A697 A6A0-A6E5
A717-A71F A722-A788 A78B-A78E A790-A793 A7A0-A7AA A7F8-A801 A803-A805 A807-A80A A80C-A822
A840-A873 A882-A8B3 A8F2-A8F7 A8FB A90A-A925 A930-A946 A960-A97C A984-A9B2 A9CF AA00-AA28
AA40-AA42 AA44-AA4B AA60-AA76 AA7A AA80-AAAF AAB1 AAB5-AAB6 AAB9-AABD AAC0 AAC2 AADB-AADD
AAE0-AAEA AAF2-AAF4 AB01-AB06 AB09-AB0E AB11-AB16 AB20-AB26 AB28-AB2E ABC0-ABE2 D7B0-D7C6
D7CB-D7FB FA2E-FA2F FA6B-FA6D FA70-FAD9
"""
# What a plain word may hold besides letters: accents and vowel signs, and the soft hyphen.
_MARKS = """
00AD 02C2-02C5 02D2-02DF 02E5-02EB 02ED 02EF-036F 0375 0378-0379 0384-0385 03F6 0483-0487
055A-055F 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0615-061A 064B-065E 0670 06D6-06E4 06E7-06ED
06FD-06FE 070F 0711 0730-074C 07A6-07B0 07EB-07F3 0900-0903 093C 093E-094E 0951-0955 0962-0963
0981-0983 09BC 09BE-09C4 09C7-09C8 09CB-09CD 09D7 09E2-09E3 0A01-0A03 0A3C 0A3E-0A4F 0A81-0A83
0ABC 0ABE-0ACF 0B82 0BBE-0BC2 0BC6-0BC8 0BCA-0BCD 0C01-0C03 0C3E-0C56 0D3E-0D44 0D46-0D48 0E31
0E34-0E3A 0E47-0E4E 0EB1 0EB4-0EBC 0EC8-0ECD
"""
_ZEROS = """
0030 0660 06F0 07C0 0966 09E6 0A66 0AE6 0B66 0BE6 0C66 0CE6 0D66 0E50 0ED0 0F20 1040 1090 17E0 1810
1946 19D0 1A80 1A90 1B50 1BB0 1C40 1C50 A620 A8D0 A900 A9D0 AA50 ABF0 FF10
"""
# Characters that are a token by themselves. What is in no list at all is left out of the text.
_SYMBOLS = """
0025-0026 002B 005C 005E 007C 007E 00A1 00A5-00A9 00AC 00AE-00B4 00B6-00B9 00BF 00D7 00F7 037E
0387 0589 05BE 05C0 05C3 05C6 05F3-05F4 0600-0603 0606-060C 0614 061B 061E-061F 066A 066D 06D4
0700-070D 07F6-07F8 0964-0965 0E3F 0E4F 1FBD 2016-2017 2020-2023 2030-2038 203B 203E-2042 2044
207A-207E 208A-208E 20A4 2100-2101 2103-2106 2108-2109 2114 2116-2118 211E-2123 2125 2127 2129
212E 213A-213B 2140-2144 214A-214D 214F 2155-215E 2190-2BFF 3001-3002 3012 30FB FF01-FF0F
FF1A-FF20 FF3B-FF40 FF5B-FF65 FFE0-FFE1 FFE5-FFE6
"""


def _codes(ranges: str) -> set[int]:
    """The code points named by a list such as `0221 0234-024F`."""
    pairs = (item.partition("-") for item in ranges.split())
    return {c for low, _, high in pairs for c in range(int(low, 16), int(high or low, 16) + 1)}


def _inside(codes: set[int]) -> str:
    """The inside of a character class for `re`, with neighbours drawn together."""
    runs: list[list[int]] = []
    for code in sorted(codes):
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(rf"\u{low:04x}-\u{high:04x}" for low, high in runs)


_OLD = unicodedata.ucd_3_2_0
_letters = {c for c in range(0x10000) if _OLD.category(chr(c))[0] == "L"}
_letters |= _codes(_LETTERS_SINCE_3_2)
_digits = {zero + i for zero in _codes(_ZEROS) for i in range(10)}

MARKED = _inside(_letters | _codes(_MARKS))  # what plain words are made of
DIGITS = _inside(_digits)
LETTERS = _inside(_letters)  # compounds know no marks
CAPITALS = _inside({c for c in _letters | _codes("2160-216F 24B6-24CF") if chr(c).isupper()})
SYMBOLS = _inside(_codes(_SYMBOLS))
BLANKS = " \\t\\u00a0\\u2000-\\u200a\\u3000"
BREAKS = "\\n\\r\\x0b\\x0c\\x85\\u2028\\u2029"
