/* Splitting text into numbered words, in one pass over its code points.

   White space separates words, and so does punctuation by the rules of a tokenizer: those of
   mteval's `13a` and of chrF++ are here, because they decide from letters next to each other alone.
   Equal words get equal numbers, in order of first appearance: a hash table finds them, and compares
   them letter by letter, so that numbers are exact. */

#include "room.h"

enum { BLANK = 32, COMMA = 44, DASH = 45, PERIOD = 46 };

/* Which rules apply to what stands between white space. CHRF: one punctuation mark at the end goes
   apart, or else one at the start. */
enum { NO_RULES, RULES_13A, RULES_CHRF };

static inline bool is_digit(i32 code) { return 48 <= code && code <= 57; }

static inline bool is_stop(i32 code) { return code == COMMA || code == PERIOD; }

/* Punctuation that is always a word of its own: rule 1 of 13a. */
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

/* The distinct words, one after the other in `letters`; word k starts at starts[k]. */
typedef struct {
    i32 *letters;
    i64 *starts;
    i64 count;
    i32 *slots;
    i64 size;
} Words;

static inline u64 hash(const i32 *codes, i64 length) {
    u64 value = 14695981039346656037u;
    for (i64 i = 0; i < length; i++) value = (value ^ (u64)(i64)codes[i]) * 1099511628211u;
    return value ^ (value >> 29);
}

/* Fill a table of twice the size with the same words. */
static void grow(Room *room, Words *words) {
    i64 mask = 2 * words->size - 1;
    i32 *slots = NEW(room, i32, mask + 1);
    memset(slots, -1, (size_t)(mask + 1) * sizeof(i32));
    for (i64 number = 0; number < words->count; number++) {
        i64 start = words->starts[number];
        i64 slot = (i64)hash(words->letters + start, words->starts[number + 1] - start) & mask;
        while (slots[slot] >= 0) slot = (slot + 1) & mask;
        slots[slot] = (i32)number;
    }
    words->slots = slots;
    words->size = mask + 1;
}

/* The number of a word, the next one where it was not seen before. */
static inline i32 number_of(Room *room, Words *words, const i32 *codes, i64 length) {
    i64 mask = words->size - 1;
    i64 slot = (i64)hash(codes, length) & mask;
    while (words->slots[slot] >= 0) {
        i32 number = words->slots[slot];
        i64 start = words->starts[number];
        if (words->starts[number + 1] - start == length) {
            i64 i = 0;
            while (i < length && words->letters[start + i] == codes[i]) i++;
            if (i == length) return number;
        }
        slot = (slot + 1) & mask;
    }
    i32 number = (i32)words->count++;
    words->slots[slot] = number;
    memcpy(words->letters + words->starts[number], codes, (size_t)length * sizeof(i32));
    words->starts[number + 1] = words->starts[number] + length;
    if (2 * words->count > words->size) grow(room, words);
    return number;
}

/* blanks: which code points are white space; those beyond its end are not. ids, letters: room for as
   many as there are code points; sizes: how many words there are, and how many distinct ones. */
KERNEL(numbered_words)(
    const i32 *codes, const i64 *offsets, i64 sentences, const u8 *blanks, i64 blank_codes,
    i64 rules, i32 *ids, i64 *ends, i32 *letters, i64 *starts, i64 *sizes
) {
    OPEN(room);
    Words words = {letters, starts, 0, NEW(&room, i32, 1 << 14), 1 << 14};
    memset(words.slots, -1, (1 << 14) * sizeof(i32));
    starts[0] = 0;
    ends[0] = 0;
    /* Each rule makes at most four code points of two. */
    i64 longest = longest_of(offsets, sentences) + 2;
    i32 *padded = NEW(&room, i32, longest);
    i32 *first = NEW(&room, i32, 2 * longest);
    i32 *second = NEW(&room, i32, 4 * longest);
    i32 *third = NEW(&room, i32, 12 * longest);
    i64 count = 0;

    for (i64 s = 0; s < sentences; s++) {
        i64 at = offsets[s], stop = offsets[s + 1];
        while (at < stop) {
            i32 code = codes[at];
            if (code < blank_codes && blanks[code]) {
                at++;
                continue;
            }
            i64 end = at + 1;
            i64 special = is_special(code);
            if (!(rules == RULES_13A && is_apart(code))) {
                while (end < stop) {
                    code = codes[end];
                    if (code < blank_codes && blanks[code]) break;
                    if (rules == RULES_13A && is_apart(code)) break;
                    special += is_special(code);
                    end++;
                }
            }
            const i32 *text = codes + at;
            i64 length = end - at, cut = 0;  /* in two words, where `cut` lies inside */
            at = end;
            if (rules == RULES_CHRF && length > 1) {
                if (is_punctuation(text[length - 1]))
                    cut = length - 1;
                else if (is_punctuation(text[0]))
                    cut = 1;
            } else if (rules == RULES_13A && special == 1 && length > 1 && is_stop(text[length - 1])) {
                cut = length - 1;  /* the usual case: a final period or comma always goes apart */
            } else if (rules == RULES_13A && special > 0) {
                padded[0] = BLANK;
                memcpy(padded + 1, text, (size_t)length * sizeof(i32));
                padded[length + 1] = BLANK;
                length = apply_rule_2(padded, length + 2, first);
                length = apply_rule_3(first, length, second);
                length = apply_rule_4(second, length, third);
                for (i64 start = 0; start < length;) {
                    i64 word_end = start;
                    while (word_end < length && third[word_end] != BLANK) word_end++;
                    if (word_end > start)
                        ids[count++] = number_of(&room, &words, third + start, word_end - start);
                    start = word_end + 1;
                }
                continue;
            }
            if (cut > 0) ids[count++] = number_of(&room, &words, text, cut);
            ids[count++] = number_of(&room, &words, text + cut, length - cut);
        }
        ends[s + 1] = count;
    }
    sizes[0] = count;
    sizes[1] = words.count;
    return leave(&room, DONE);
}
