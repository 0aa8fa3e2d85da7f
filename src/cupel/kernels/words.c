/* Splitting text into numbered words, in one pass over its code points.

   A table has the class of each code point: white space separates words, and what stands apart is a
   word of its own (punctuation, the characters of Chinese). What lies between is split further by
   the rules of a tokenizer: those of mteval's `13a`, of `zh`, of Tercom and of chrF++ are here,
   because they decide from letters next to each other alone. Equal words get equal numbers, in order
   of first appearance: a hash table finds them, and compares them letter by letter, so that numbers
   are exact. */

#include "word_table.h"

enum { BLANK = 32, APOSTROPHE = 39, COMMA = 44, DASH = 45, PERIOD = 46, LETTER_S = 115 };

/* Classes of code points, added up: white space; a word of its own; such a word that takes the marks
   behind it; a mark. */
enum { WHITE = 1, APART = 2, TAKES_MARKS = 4, MARK = 8 };

/* Which rules apply to what lies between. ZH: those of 13a, without the blank that 13a puts at either
   end of a sentence. TERCOM: those of 13a, and 's at the end goes apart. CHRF: one punctuation mark
   at the end goes apart, or else one at the start. */
enum { NO_RULES, RULES_13A, RULES_CHRF, RULES_ZH, RULES_TERCOM };

static inline bool is_digit(i32 code) { return 48 <= code && code <= 57; }

static inline bool is_stop(i32 code) { return code == COMMA || code == PERIOD; }

/* Punctuation that rule 1 of 13a puts apart. */
static inline bool is_apart(i32 code) {
    return (33 <= code && code <= 38) || (40 <= code && code <= 43) || code == 47 ||
           (58 <= code && code <= 64) || (91 <= code && code <= 96) ||
           (123 <= code && code <= 126);
}

static inline bool is_special(i32 code) { return COMMA <= code && code <= PERIOD; }

static inline bool is_punctuation(i32 code) {
    return is_apart(code) || code == 39 || is_special(code);
}

/* Rule 2: a period or comma goes apart unless a digit stands before it. Returns the new length. */
static i64 apply_rule_2(const i32 *given, i64 length, i32 *out) {
    i64 at = 0, end = 0;
    while (at < length) {
        out[end++] = given[at];
        if (at + 1 < length && !is_digit(given[at]) && is_stop(given[at + 1])) {
            out[end++] = BLANK;
            out[end++] = given[at + 1];
            out[end++] = BLANK;
            at++;
        }
        at++;
    }
    return end;
}

/* Rule 3: a period or comma goes apart unless a digit stands behind it. */
static i64 apply_rule_3(const i32 *given, i64 length, i32 *out) {
    i64 at = 0, end = 0;
    while (at < length) {
        if (at + 1 < length && is_stop(given[at]) && !is_digit(given[at + 1])) {
            out[end++] = BLANK;
            out[end++] = given[at++];
            out[end++] = BLANK;
        }
        out[end++] = given[at++];
    }
    return end;
}

/* Rule 4: a dash goes apart behind a digit. */
static i64 apply_rule_4(const i32 *given, i64 length, i32 *out) {
    i64 end = 0;
    for (i64 at = 0; at < length; at++) {
        bool apart = given[at] == DASH && at > 0 && is_digit(given[at - 1]);
        if (apart) out[end++] = BLANK;
        out[end++] = given[at];
        if (apart) out[end++] = BLANK;
    }
    return end;
}

/* Between two words that stand apart: the text, where it lies in its sentence, and what follows. */
typedef struct {
    const i32 *text;
    i64 length;
    bool first, last;  /* whether the sentence starts, or ends, here */
    i32 next;          /* the code point behind it, a blank at the end */
} Piece;

/* Room for the steps of the rules: each makes at most four code points of two. */
typedef struct {
    i32 *padded, *first, *second, *third;
} Steps;

/* Tercom puts 's apart before a blank, and has put one before every mark of rule 1. */
static inline bool ends_in_s(Piece piece) {
    return piece.length > 2 && piece.text[piece.length - 2] == APOSTROPHE &&
           piece.text[piece.length - 1] == LETTER_S && (piece.next == BLANK || is_apart(piece.next));
}

/* Rules 2 to 4; returns the length of the result, which is in steps.third. */
static i64 apply_rules(Piece piece, i64 rules, Steps steps) {
    i64 length = 0, letters = piece.length;
    bool apart = rules == RULES_TERCOM && ends_in_s(piece);
    if (rules != RULES_ZH || !piece.first) steps.padded[length++] = BLANK;
    if (apart) letters -= 2;
    memcpy(steps.padded + length, piece.text, (size_t)letters * sizeof(i32));
    length += letters;
    if (apart) {
        steps.padded[length++] = BLANK;
        steps.padded[length++] = APOSTROPHE;
        steps.padded[length++] = LETTER_S;
    }
    if (rules != RULES_ZH || !piece.last) steps.padded[length++] = BLANK;
    length = apply_rule_2(steps.padded, length, steps.first);
    length = apply_rule_3(steps.first, length, steps.second);
    return apply_rule_4(steps.second, length, steps.third);
}

/* Number the words of a piece; returns how many they are. special: its periods, commas and dashes. */
static i64 number_piece(
    Room *room, Words *words, Piece piece, i64 rules, i64 special, Steps steps, i32 *ids
) {
    const i32 *text = piece.text;
    i64 length = piece.length, cut = 0, count = 0;  /* in two words, where `cut` lies inside */
    bool has_rules = rules == RULES_13A || rules == RULES_ZH || rules == RULES_TERCOM;
    if (rules == RULES_CHRF && length > 1) {
        if (is_punctuation(text[length - 1]))
            cut = length - 1;
        else if (is_punctuation(text[0]))
            cut = 1;
    } else if (rules == RULES_13A && special == 1 && length > 1 && is_stop(text[length - 1])) {
        cut = length - 1;  /* the usual case: a final period or comma always goes apart */
    } else if (has_rules && (special > 0 || (rules == RULES_TERCOM && ends_in_s(piece)))) {
        length = apply_rules(piece, rules, steps);
        for (i64 start = 0; start < length;) {
            i64 end = start;
            while (end < length && steps.third[end] != BLANK) end++;
            if (end > start)
                ids[count++] = number_of(room, words, steps.third + start, end - start);
            start = end + 1;
        }
        return count;
    }
    if (cut > 0) ids[count++] = number_of(room, words, text, cut);
    ids[count++] = number_of(room, words, text + cut, length - cut);
    return count;
}

static inline int class_of(const u8 *classes, i64 size, i32 code) {
    return code < size ? classes[code] : 0;
}

/* classes: (size,), those of code points; beyond its end there are letters only. ids, letters: room
   for as many as there are code points; sizes: how many words there are, and how many distinct ones. */
KERNEL(numbered_words)(
    const i32 *codes, const i64 *offsets, i64 sentences, const u8 *classes, i64 size,
    i64 rules, i32 *ids, i64 *ends, i32 *letters, i64 *starts, i64 *sizes
) {
    OPEN(room);
    Words words = words_for(&room, letters, starts);
    ends[0] = 0;
    i64 longest = longest_of(offsets, sentences) + 3, count = 0;
    Steps steps = {
        NEW(&room, i32, longest), NEW(&room, i32, 2 * longest), NEW(&room, i32, 4 * longest),
        NEW(&room, i32, 12 * longest)
    };
    for (i64 s = 0; s < sentences; s++) {
        i64 at = offsets[s], stop = offsets[s + 1];
        while (stop > at && class_of(classes, size, codes[stop - 1]) & WHITE) stop--;
        while (at < stop && class_of(classes, size, codes[at]) & WHITE) at++;
        i64 first = at;
        while (at < stop) {
            i64 end = at + 1, special = is_special(codes[at]);
            int class = class_of(classes, size, codes[at]);
            if (class & WHITE) {
                at++;
                continue;
            }
            if (class == APART && !special && (u32)codes[at] < COMMON && words.single[codes[at]]) {
                ids[count++] = words.single[codes[at++]] - 1;  /* most of Chinese */
                continue;
            }
            if (class & TAKES_MARKS) {
                while (end < stop && class_of(classes, size, codes[end]) & MARK) end++;
            } else if (!(class & APART)) {
                while (end < stop && !(class_of(classes, size, codes[end]) & (WHITE | APART)))
                    special += is_special(codes[end++]);
            }
            i32 next = end < stop ? codes[end] : BLANK;
            Piece piece = {codes + at, end - at, at == first, end == stop, next};
            count += number_piece(&room, &words, piece, rules, special, steps, ids + count);
            at = end;
        }
        ends[s + 1] = count;
    }
    sizes[0] = count;
    sizes[1] = words.count;
    return leave(&room, DONE);
}

/* Each code point replaced by that of a table, (size,). is_whole: 0 where one is beyond its end, or
   where the table has -1. */
KERNEL(replaced_codes)(
    const i32 *codes, i64 total, const i32 *table, i64 size, i32 *replaced, i64 *is_whole
) {
    i32 any = 0;
    *is_whole = 0;
    for (i64 i = 0; i < total; i++) {
        if ((u32)codes[i] >= (u64)size) return DONE;
        any |= replaced[i] = table[codes[i]];
    }
    *is_whole = any >= 0;
    return DONE;
}
