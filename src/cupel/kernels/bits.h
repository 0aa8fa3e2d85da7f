/* Distances by bits: 64 cells of the matrix in one step, so that a line of 400,000 words takes
   seconds. The results are those of the recurrences, cell by cell.

   Levenshtein: G. Myers. 1999. A fast bit-vector algorithm for approximate string matching based on
   dynamic programming, with the blocks of H. Hyyrö. 2003. LCS: M. Crochemore et al. 2001. Words of
   the pattern are taken 64 at a time; of the border between two such blocks the differences along
   the text are kept, so that memory is linear in the lengths. */

#ifndef CUPEL_BITS_H
#define CUPEL_BITS_H

#include "room.h"

typedef struct {
    const i32 *words;
    i64 length;
} Sentence;

/* Room for all three distances; `places` and `seen` are 0 between two of them. */
typedef struct {
    u64 *places;        /* (vocabulary, LANES) where a word stands in the block */
    u8 *border;         /* (longest,) what goes from one block to the next */
    u64 *row, *shifted; /* (longest / 64 + 1,) */
    i64 *seen;          /* (vocabulary,) the first of the word's places */
    i32 *listed;        /* (longest,) the places of each word */
    u64 *masks;         /* dense rows of the most frequent words */
    i32 *mask_of;       /* (vocabulary,) which of them is the word's, from 1; 0 for none */
} Bits;

enum { BLOCK = 64, LANES = 4, MASKS = 64, PLUS = 1 };

static inline i64 blocks_of(i64 bits) { return (bits + BLOCK - 1) / BLOCK; }

static inline Bits bits_for(Room *room, i64 longest, i64 vocabulary, bool jumps) {
    Bits bits = {.places = ZEROS(room, u64, vocabulary * LANES), .border = NEW(room, u8, longest)};
    if (jumps) {
        i64 size = blocks_of(longest + 1);
        bits.row = NEW(room, u64, size);
        bits.shifted = NEW(room, u64, size);
        bits.seen = ZEROS(room, i64, vocabulary);
        bits.listed = NEW(room, i32, longest);
        bits.masks = NEW(room, u64, size * MASKS);
        bits.mask_of = ZEROS(room, i32, vocabulary);
    }
    return bits;
}

static inline void mark_block(Bits *bits, const i32 *words, i64 count) {
    for (i64 i = 0; i < count; i++) bits->places[words[i] * LANES + i / BLOCK] |= (u64)1 << i % BLOCK;
}

static inline void clear_block(Bits *bits, const i32 *words, i64 count) {
    for (i64 i = 0; i < count; i++) bits->places[words[i] * LANES + i / BLOCK] = 0;
}

/* One or more blocks of the pattern, `lanes`, along the text: a processor works on them at the same
   time. `up` and `down`: where a cell is one more, or one less, than that above it. Returns what the
   last cell has grown by from the first column to the last. */
__attribute__((always_inline)) static inline i64 edits_along(Sentence text, int lanes, i64 last, Bits *bits) {
    u64 up[LANES], down[LANES];
    for (int lane = 0; lane < lanes; lane++) up[lane] = ~(u64)0, down[lane] = 0;
    i64 change = 0;
    for (i64 j = 0; j < text.length; j++) {
        const u64 *places = bits->places + text.words[j] * LANES;
        u64 more = bits->border[j] & 1, less = bits->border[j] >> 1;
        for (int lane = 0; lane < lanes; lane++) {
            u64 equal = places[lane] | less, upright = places[lane] | down[lane];
            u64 across = (((equal & up[lane]) + up[lane]) ^ up[lane]) | equal;
            u64 plus = down[lane] | ~(across | up[lane]), minus = up[lane] & across;
            u64 next_more = plus >> last & 1, next_less = minus >> last & 1;
            plus = plus << 1 | more;
            minus = minus << 1 | less;
            up[lane] = minus | ~(upright | plus);
            down[lane] = plus & upright;
            more = next_more, less = next_less;
        }
        bits->border[j] = (u8)(more | less << 1);
        change += (i64)more - (i64)less;
    }
    return change;
}

/* Insertions, deletions and substitutions that turn one into the other. */
static inline i64 levenshtein(Sentence first, Sentence second, Bits *bits) {
    Sentence pattern = first.length < second.length ? first : second;
    Sentence text = first.length < second.length ? second : first;
    i64 change = text.length, done = 0;
    memset(bits->border, PLUS, (size_t)text.length);
    while (done < pattern.length) {
        bool wide = pattern.length - done >= LANES * BLOCK;
        i64 count = wide ? LANES * BLOCK : least(BLOCK, pattern.length - done);
        mark_block(bits, pattern.words + done, count);
        change = wide ? edits_along(text, LANES, BLOCK - 1, bits)
                      : edits_along(text, 1, count - 1, bits);
        clear_block(bits, pattern.words + done, count);
        done += count;
    }
    return pattern.length + change;
}

static inline i64 bits_set(u64 word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (i64)(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* Length of the longest common subsequence. */
static inline i64 common_subsequence(Sentence first, Sentence second, Bits *bits) {
    Sentence pattern = first.length < second.length ? first : second;
    Sentence text = first.length < second.length ? second : first;
    i64 common = 0;
    memset(bits->border, 0, (size_t)text.length);
    for (i64 start = 0; start < pattern.length; start += BLOCK) {
        i64 count = least(BLOCK, pattern.length - start);
        mark_block(bits, pattern.words + start, count);
        u64 level = ~(u64)0; /* 0 where the cell is one more than that above it */
        for (i64 j = 0; j < text.length; j++) {
            u64 matched = level & bits->places[text.words[j] * LANES];
            u64 sum = level + matched, carried = sum + bits->border[j];
            bits->border[j] = (u8)(sum < level || carried < sum);
            level = carried | (level - matched);
        }
        u64 inside = count == BLOCK ? ~(u64)0 : ((u64)1 << count) - 1;
        common += bits_set(~level & inside);
        clear_block(bits, pattern.words + start, count);
    }
    return common;
}

static inline bool bit_at(const u64 *row, i64 at) { return row[at / BLOCK] >> (at % BLOCK) & 1; }

static inline void set_bit(u64 *row, i64 at) { row[at / BLOCK] |= (u64)1 << (at % BLOCK); }

/* Where each word stands, from 1: a list, and a dense row as well for one that is very frequent. */
static inline void index_words(Sentence sentence, i64 size, Bits *bits) {
    i64 n = sentence.length;
    i32 masks = 0;
    for (i64 i = 0; i < n; i++) bits->seen[sentence.words[i]]++;
    i64 total = 0;
    for (i64 i = 0; i < n; i++) { /* counts become ends, at the first of a word's places */
        i32 word = sentence.words[i];
        if (bits->places[word]) continue;
        i64 count = bits->seen[word];
        bits->places[word] = (u64)count;
        total += count;
        bits->seen[word] = total;
        if (n > BLOCK && count > size && masks < MASKS) {
            bits->mask_of[word] = ++masks;
            memset(bits->masks + (masks - 1) * size, 0, (size_t)size * sizeof(u64));
        }
    }
    for (i64 i = n; i > 0; i--) {
        i32 word = sentence.words[i - 1], mask = bits->mask_of[word];
        bits->listed[--bits->seen[word]] = (i32)i;
        if (mask) set_bit(bits->masks + (mask - 1) * size, i);
    }
}

static inline void forget_words(Sentence sentence, Bits *bits) {
    for (i64 i = 0; i < sentence.length; i++) {
        i32 word = sentence.words[i];
        bits->places[word] = 0, bits->seen[word] = 0, bits->mask_of[word] = 0;
    }
}

/* What is set after the word in the row: its places right after a cheapest one. */
static inline u64 follow(i32 word, i64 size, Bits *bits) {
    u64 any = 0;
    if (bits->mask_of[word]) {
        const u64 *mask = bits->masks + (bits->mask_of[word] - 1) * size;
        u64 before = 0;
        for (i64 b = 0; b < size; b++) {
            u64 next = mask[b] & (bits->row[b] << 1 | before);
            before = bits->row[b] >> (BLOCK - 1);
            bits->shifted[b] = next;
            any |= next;
        }
        return any;
    }
    memset(bits->shifted, 0, (size_t)size * sizeof(u64));
    const i32 *listed = bits->listed + bits->seen[word];
    for (u64 k = 0; k < bits->places[word]; k++) {
        if (!bit_at(bits->row, listed[k] - 1)) continue;
        set_bit(bits->shifted, listed[k]);
        any = 1;
    }
    return any;
}

/* The row when every place costs one more: the cheapest, those after them, and the word's. */
static inline void widen(i32 word, i64 size, Bits *bits) {
    u64 before = 0;
    for (i64 b = 0; b < size; b++) {
        u64 here = bits->row[b];
        bits->row[b] = here | here << 1 | before;
        before = here >> (BLOCK - 1);
    }
    if (bits->mask_of[word]) {
        const u64 *mask = bits->masks + (bits->mask_of[word] - 1) * size;
        for (i64 b = 0; b < size; b++) bits->row[b] |= mask[b];
        return;
    }
    const i32 *listed = bits->listed + bits->seen[word];
    for (u64 k = 0; k < bits->places[word]; k++) set_bit(bits->row, listed[k]);
}

/* Levenshtein's distance with one more move: to any place in the hypothesis, at cost 1.

   Row l holds the costs at every place i of the hypothesis once l words of the reference are
   covered. A long jump from the cheapest place reaches all others at one more, so that a row has two
   values only: `cost` where its bit is set, `cost` + 1 elsewhere. In the next row `cost` stays where
   a match follows a cheapest place; if it does so nowhere, all that one edit reaches is one more. */
static inline i64 long_jumps(Sentence hypothesis, Sentence reference, Bits *bits) {
    i64 n = hypothesis.length, size = blocks_of(n + 1), cost = 0;
    index_words(hypothesis, size, bits);
    memset(bits->row, 0, (size_t)size * sizeof(u64));
    set_bit(bits->row, 0);
    for (i64 j = 0; j < reference.length; j++) {
        i32 word = reference.words[j];
        if (follow(word, size, bits)) {
            u64 *next = bits->shifted;
            bits->shifted = bits->row;
            bits->row = next;
        } else {
            widen(word, size, bits);
            cost++;
        }
    }
    cost += !bit_at(bits->row, n);
    forget_words(hypothesis, bits);
    return cost;
}

#endif
