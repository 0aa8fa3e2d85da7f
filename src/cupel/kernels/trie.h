/* The n-grams of some text, numbered in order of first appearance, as `cupel.text.ngrams` keeps them.

   Most n-grams of three words and more have one continuation only, which is found at once, and whose
   number is the next one. The others are in a hash table. */

#ifndef CUPEL_TRIE_H
#define CUPEL_TRIE_H

#include "room.h"

/* The n-grams of one order. children: by number of the (n-1)-gram, twice that of its first
   continuation, plus 1 where there are more; -1: none. slots: the numbers of the n-grams that are not
   the first continuation, -1 where a slot is free. */
typedef struct {
    const i32 *children, *lasts, *parents, *slots;
    i64 size;              /* of slots, a power of 2 */
    const double *values;
} Level;

enum { FIELDS = 6 };

/* addresses: (orders, 6), the fields of each order. */
static inline Level level_at(const u64 *addresses, i64 order) {
    const u64 *own = addresses + FIELDS * order;
    return (Level){
        (const i32 *)(uintptr_t)own[0], (const i32 *)(uintptr_t)own[1],
        (const i32 *)(uintptr_t)own[2], (const i32 *)(uintptr_t)own[3], (i64)own[4],
        (const double *)(uintptr_t)own[5]
    };
}

/* The slot of an n-gram, or the free one where it belongs. */
static inline i64 trie_slot(const Level *level, i32 parent, i32 word) {
    u64 key = ((u64)(u32)parent << 32 | (u32)word) * 0x9E3779B97F4A7C15u;
    i64 mask = level->size - 1, slot = (i64)(key >> 32) & mask;
    for (;; slot = (slot + 1) & mask) {
        i32 number = level->slots[slot];
        if (number < 0 || (level->lasts[number] == word && level->parents[number] == parent))
            return slot;
    }
}

/* The number of an (n-1)-gram and a word as an n-gram, -1 where there is none. */
static inline i32 continuation(const Level *level, i32 parent, i32 word) {
    i32 child = level->children[parent];
    if (child < 0) return -1;
    if (level->lasts[child >> 1] == word) return child >> 1;
    return child & 1 ? level->slots[trie_slot(level, parent, word)] : -1;
}

#endif
