/* Words of sentences where an earlier analysis found them (`cupel.text.kept_words`): numbered, or with
   blanks between them. */

#include "word_table.h"

enum { BLANK = 32, WHITE = 1 };

/* Two hashes of each sentence, (sentences, 2): together they stand for it. Two code points at a time. */
KERNEL(sentence_hashes)(const i32 *codes, const i64 *offsets, i64 sentences, u64 *hashes) {
    for (i64 s = 0; s < sentences; s++) {
        i64 at = offsets[s], end = offsets[s + 1];
        u64 first = (u64)(end - at), second = 0x9E3779B97F4A7C15u;
        while (at < end) {
            u64 pair = (u32)codes[at++];
            if (at < end) pair |= (u64)(u32)codes[at++] << 32;
            first = (first ^ pair) * 0xD6E8FEB86659FD93u;
            first ^= first >> 32;
            second = (second + pair) * 0xC2B2AE3D27D4EB4Fu;
            second ^= second >> 29;
        }
        hashes[2 * s] = first;
        hashes[2 * s + 1] = second;
    }
    return DONE;
}

/* That part of `count` which `value` is of all 64 bits. */
static inline i64 share(u64 value, i64 count) { return (i64)((value >> 32) * (u64)count >> 32); }

/* The place of each of `count` hashes among `size` others, which ascend in their first part; -1: none.
   Hashes are spread evenly, so that one is near the place that its value says. */
KERNEL(hash_places)(
    const u64 *hashes, i64 count, const u64 *others, i64 size, const i64 *starts, i64 *places
) {
    for (i64 k = 0; k < count; k++) {
        u64 first = hashes[2 * k];
        places[k] = -1;
        if (size == 0) continue;
        i64 at = share(first, size);
        u64 near = others[2 * at];
        at = near < first ? least(at + share(first - near, size), size - 1)
                          : most(at - share(near - first, size), 0);
        while (at > 0 && others[2 * at - 2] >= first) at--;
        while (at < size - 1 && others[2 * at] < first) at++;
        if (others[2 * at] == first && others[2 * at + 1] == hashes[2 * k + 1]) places[k] = starts[at];
    }
    return DONE;
}

/* Sentences, and where their words start: `starts` has the place of a sentence in `words`, -1 where only
   white space separates its words; words: from there one bit for each code point that is no blank, 1
   where another word starts; `size` bytes. */
typedef struct {
    const i32 *codes;
    const i64 *offsets, *starts;
    const u8 *words;
    i64 size;
} Kept;

static inline bool is_kept(const Kept *k, i64 s) {
    return k->starts[s] >= 0 && k->starts[s] + (k->offsets[s + 1] - k->offsets[s] + 7) / 8 <= k->size;
}

/* The code points with one blank between words; a sentence that is not kept stays as it is. spaced: room
   for twice as many code points; ends: where sentences end there. */
KERNEL(spaced_words)(
    const i32 *codes, const i64 *offsets, i64 sentences, const i64 *starts, const u8 *words, i64 size,
    i32 *spaced, i64 *ends
) {
    Kept kept = {codes, offsets, starts, words, size};
    i64 made = 0;
    ends[0] = 0;
    for (i64 s = 0; s < sentences; s++) {
        i64 length = offsets[s + 1] - offsets[s], bit = 8 * starts[s];
        const i32 *own = codes + offsets[s];
        if (!is_kept(&kept, s)) {
            memcpy(spaced + made, own, (size_t)length * sizeof(i32));
            made += length;
        } else {
            for (i64 i = 0; i < length; i++) {
                if (own[i] == BLANK) continue;
                spaced[made] = BLANK;
                made += words[bit / 8] >> (bit % 8) & 1;
                bit++;
                spaced[made++] = own[i];
            }
        }
        ends[s + 1] = made;
    }
    return DONE;
}

/* Words of up to three code points, most of those of Japanese: one number stands for such a word and
   finds it, so that its length, which a processor could not guess, decides no branch. */
enum { SHORT = 3, BITS = 21 };

typedef struct {
    u64 key;  /* 0: free */
    i32 number;
} Slot;

typedef struct {
    Slot *slots;
    i64 size, count;
} ShortWords;

static inline u64 key_of(const i32 *codes, i64 length) {
    u64 all = (u64)(codes[0] + 1) | (u64)(codes[1] + 1) << BITS | (u64)(codes[2] + 1) << 2 * BITS;
    return all & (((u64)1 << BITS * length) - 1);
}

static inline Slot *short_slot(const ShortWords *table, u64 key) {
    u64 mixed = key * 0x9E3779B97F4A7C15u;
    i64 mask = table->size - 1, slot = (i64)(mixed >> 40 ^ mixed >> 20) & mask;
    while (table->slots[slot].key != key && table->slots[slot].key != 0) slot = (slot + 1) & mask;
    return table->slots + slot;
}

static void grow_short(Room *room, ShortWords *table) {
    const Slot *before = table->slots;
    i64 size = table->size;
    table->slots = ZEROS(room, Slot, 2 * size);
    table->size = 2 * size;
    for (i64 k = 0; k < size; k++)
        if (before[k].key != 0) *short_slot(table, before[k].key) = before[k];
}

static inline i32 number_short(Room *room, ShortWords *table, Words *words, const i32 *codes, i64 length) {
    u64 key = key_of(codes, length);
    Slot *slot = short_slot(table, key);
    if (slot->key == key) return slot->number;
    i32 number = added_word(words, codes, length);
    *slot = (Slot){key, number};
    if (4 * ++table->count > table->size) grow_short(room, table);
    return number;
}

/* Whether there may be white space, all of which is up to the blank or from U+0080 to U+3000. */
static bool may_have_white(const i32 *codes, i64 length) {
    u32 any = 0;
    for (i64 i = 0; i < length; i++) {
        u32 code = (u32)codes[i];
        any |= (code <= BLANK) | (code - 0x80u <= 0x3000u - 0x80u);
    }
    return any;
}

/* The letters of a sentence without white space, and where words begin among them; returns how many
   words there are. classes: (wide,), see words.c. */
static i64 find_words(
    const Kept *k, i64 s, const u8 *classes, i64 wide, i32 *text, i32 *begins
) {
    const i32 *own = k->codes + k->offsets[s];
    i64 length = k->offsets[s + 1] - k->offsets[s], count = 0;
    i32 made = 0;
    bool kept = is_kept(k, s), after_white = true;
    u64 bit = kept ? 8 * (u64)k->starts[s] : 0;
    if (kept && length > 0 && !may_have_white(own, length)) { /* the usual case */
        const u8 *bits = k->words + k->starts[s];
        memcpy(text, own, (size_t)length * sizeof(i32));
        begins[0] = 0;
        count = 1;
        for (i64 i = 1; i < length; i++) {
            begins[count] = (i32)i;
            count += bits[i / 8] >> (i % 8) & 1;
        }
        begins[count] = (i32)length;
        return count;
    }
    for (i64 i = 0; i < length; i++) {
        bool white = own[i] < wide && classes[own[i]] & WHITE;
        bool starts = kept && own[i] != BLANK && k->words[bit / 8] >> (bit % 8) & 1;
        bit += own[i] != BLANK;
        text[made] = own[i];
        begins[count] = made;
        count += !white & (starts | after_white);
        made += !white;
        after_white = kept && own[i] == BLANK ? after_white : white;  /* bits speak for blanks */
    }
    begins[count] = made;
    return count;
}

/* The number of each word, in order of first appearance; the other arrays as in `numbered_words`. */
KERNEL(numbered_kept_words)(
    const i32 *codes, const i64 *offsets, i64 sentences, const i64 *starts, const u8 *words, i64 size,
    const u8 *classes, i64 wide, i32 *ids, i64 *ends, i32 *letters, i64 *letter_starts, i64 *sizes
) {
    OPEN(room);
    Kept kept = {codes, offsets, starts, words, size};
    Words all = words_for(&room, letters, letter_starts);
    ShortWords table = {ZEROS(&room, Slot, 1 << 14), 1 << 14, 0};
    i64 longest = longest_of(offsets, sentences), count = 0;
    i32 *text = ZEROS(&room, i32, longest + SHORT), *begins = NEW(&room, i32, longest + 1);
    ends[0] = 0;
    for (i64 s = 0; s < sentences; s++) {
        i64 found = find_words(&kept, s, classes, wide, text, begins);
        for (i64 w = 0; w < found; w++) {
            const i32 *word = text + begins[w];
            i64 length = begins[w + 1] - begins[w];
            ids[count++] = length <= SHORT ? number_short(&room, &table, &all, word, length)
                                           : number_of(&room, &all, word, length);
        }
        ends[s + 1] = count;
    }
    sizes[0] = count;
    sizes[1] = all.count;
    return leave(&room, DONE);
}
