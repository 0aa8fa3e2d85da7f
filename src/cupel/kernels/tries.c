/* Numbering the n-grams of a text, and finding those of others among them. */

#include "trie.h"

/* A hash table of twice the size with the same n-grams. */
static void grow(Room *room, Level *level) {
    const i32 *before = level->slots;
    i64 size = level->size;
    i32 *slots = NEW(room, i32, 2 * size);
    memset(slots, -1, (size_t)(2 * size) * sizeof(i32));
    level->slots = slots;
    level->size = 2 * size;
    for (i64 slot = 0; slot < size; slot++) {
        i32 number = before[slot];
        if (number >= 0) slots[trie_slot(level, level->parents[number], level->lasts[number])] = number;
    }
}

/* Number the n-grams of order n, from those of order n - 1: numbers, before: (total,), of the n-gram and
   the (n-1)-gram that start at each word, -1 where the sentence ends before they do. The other arrays
   are the fields of a level; lasts, parents: (total,), of which the first `count` are used. */
KERNEL(number_continuations)(
    const i32 *words, const i64 *offsets, i64 sentences, i64 n, i64 shorter, const i32 *before,
    i32 *numbers, i32 *children, i32 *lasts, i32 *parents, i64 *count, Handed *slots
) {
    OPEN(room);
    i32 made = 0;
    i64 others = 0;
    i64 size = 64;
    while (n == 2 && size < offsets[sentences] / 2) size *= 2;  /* words have many continuations */
    i32 *first = NEW(&room, i32, size);
    memset(first, -1, (size_t)size * sizeof(i32));
    memset(children, -1, (size_t)shorter * sizeof(i32));
    Level level = {children, lasts, parents, first, size, NULL};
    for (i64 sentence = 0; sentence < sentences; sentence++) {
        i64 i = offsets[sentence], end = offsets[sentence + 1];
        for (; i <= end - n; i++) {
            i32 parent = before[i], word = words[i + n - 1], child = children[parent];
            if (child >= 0 && lasts[child >> 1] == word) {
                numbers[i] = child >> 1;
                continue;
            }
            if (child >= 0) {
                i64 slot = trie_slot(&level, parent, word);
                if (level.slots[slot] >= 0) {
                    numbers[i] = level.slots[slot];
                    continue;
                }
                ((i32 *)level.slots)[slot] = made;
            }
            children[parent] = child < 0 ? 2 * made : child | 1;
            lasts[made] = word;
            parents[made] = parent;
            numbers[i] = made++;
            if (child >= 0 && 2 * ++others > level.size) grow(&room, &level);
        }
        for (; i < end; i++) numbers[i] = -1;
    }
    *count = made;
    hand_over(&room, slots, level.slots, level.size, sizeof(i32));
    return leave(&room, DONE);
}

/* In how many segments each n-gram occurs; of_ngram: (total,), its number or -1; segments: that of each
   place, which never falls from one place to the next. counts: zeros before. */
KERNEL(segment_counts)(
    const i32 *of_ngram, const i32 *segments, i64 total, i64 size, double *counts
) {
    OPEN(room);
    i32 *last = NEW(&room, i32, size);
    memset(last, -1, (size_t)size * sizeof(i32));
    for (i64 i = 0; i < total; i++) {
        i32 number = of_ngram[i];
        if (number < 0 || last[number] == segments[i]) continue;
        last[number] = segments[i];
        counts[number]++;
    }
    return leave(&room, DONE);
}

/* The value of the n-gram that starts at each word, weights: (total, orders); `other` where the table
   does not have it or the sentence ends before it does. numbers: of the words of the vocabulary, -1
   for those that the table does not have; addresses: see `level_at`. */
KERNEL(ngram_weights)(
    const i32 *ids, const i64 *offsets, i64 sentences, i64 orders, const i32 *numbers,
    const u64 *addresses, double other, double *weights
) {
    OPEN(room);
    i64 total = offsets[sentences];
    i32 *before = NEW(&room, i32, total), *words = NEW(&room, i32, total + 1);
    Level level = level_at(addresses, 0);
    for (i64 i = 0; i < total; i++) {
        before[i] = words[i] = numbers[ids[i]];
        weights[i * orders] = before[i] < 0 ? other : level.values[before[i]];
    }
    for (i64 n = 1; n < orders; n++) { /* order by order: what one place needs does not wait for another */
        level = level_at(addresses, n);
        for (i64 s = 0; s < sentences; s++) {
            for (i64 i = offsets[s]; i < offsets[s + 1]; i++) {
                i32 number = before[i];
                if (number >= 0) {
                    i32 word = i + n < offsets[s + 1] ? words[i + n] : -1;
                    number = before[i] = word < 0 ? -1 : continuation(&level, number, word);
                }
                weights[i * orders + n] = number < 0 ? other : level.values[number];
            }
        }
    }
    return leave(&room, DONE);
}
