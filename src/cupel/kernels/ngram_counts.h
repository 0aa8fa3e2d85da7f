/* The n-grams of one sentence by class: equal n-grams have equal classes, numbered from the left.

   A word's class comes from an array over the vocabulary, and that of an n-gram from the class of its
   first n-1 words and that of its last one. Both are below the sentence's number of words, so that a
   square array finds it in one step; for long sentences, whose square would not stay in the
   processor's nearest memory, a hash table does. */

#ifndef CUPEL_NGRAM_COUNTS_H
#define CUPEL_NGRAM_COUNTS_H

#include "room.h"

enum { WIDEST_SQUARE = 1 << 16 };

/* Values from `base` on are of now, those below of former sentences or orders: nothing is cleared. */
typedef struct {
    i32 *words;   /* by word */
    i32 *square;  /* by class of the first words times `width`, plus that of the last */
    i64 *key;     /* the hash table, where the square is too large: keys and classes */
    i32 *class;
    i64 mask, width, vocabulary;
    i32 base, classes;
    int shift;
    bool is_square;
} Classes;

/* A square, and behind it one row, which is read for the word behind the last. */
static inline i64 square_room(i64 longest) {
    return least(longest * longest, WIDEST_SQUARE) + longest + 1;
}

static Classes classes_for(Room *room, const i32 *ids, i64 total, i64 longest) {
    i32 last = 0;
    for (i64 i = 0; i < total; i++) last = last < ids[i] ? ids[i] : last;
    Classes c = {.words = ZEROS(room, i32, (i64)last + 1), .vocabulary = (i64)last + 1, .base = 1};
    c.square = ZEROS(room, i32, square_room(longest));
    int bits = 1;
    while (((i64)1 << bits) < 2 * longest) bits++;
    if (longest * longest > WIDEST_SQUARE) {
        c.key = ZEROS(room, i64, (i64)1 << bits);
        c.class = ZEROS(room, i32, (i64)1 << bits);
    }
    c.mask = ((i64)1 << bits) - 1;
    c.shift = 64 - bits;
    return c;
}

/* Begin with other n-grams; room: how many classes there will be at most. */
static inline void next_classes(Classes *c, i64 longest, i64 room) {
    c->base += c->classes;
    c->classes = 0;
    if (c->base < INT32_MAX - room) return;
    memset(c->words, 0, (size_t)c->vocabulary * sizeof(i32));
    memset(c->square, 0, (size_t)square_room(longest) * sizeof(i32));
    if (c->class) memset(c->class, 0, (size_t)(c->mask + 1) * sizeof(i32));
    c->base = 1;
}

/* The place of a pair of classes: its class plus `base`, or less than `base` where it has none. */
static inline i32 *place_of(Classes *c, i32 first, i32 last) {
    if (c->is_square) return c->square + first * c->width + last;
    i64 key = (i64)first << 32 | last;
    i64 slot = (i64)(((u64)key * 0x9E3779B97F4A7C15u) >> c->shift);
    while (c->class[slot] >= c->base && c->key[slot] != key) slot = (slot + 1) & c->mask;
    c->key[slot] = key;
    return c->class + slot;
}

/* The class of a pair that place_of found or did not; *is_new says which. */
static inline i32 class_at(Classes *c, i32 *place, bool *is_new) {
    *is_new = *place < c->base;
    if (*is_new) *place = c->base + c->classes++;
    return *place - c->base;
}

#endif
