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
   the (n-1)-gram that start at each word, -1 where the sentence ends before they do; an n-gram has none
   either where one of its (n-1)-grams has none. The other arrays
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
            i32 parent = before[i], word = words[i + n - 1];
            if ((parent | before[i + 1]) < 0) {
                numbers[i] = -1;
                continue;
            }
            i32 child = children[parent];
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
   place, which never falls from one place to the next. shared: the numbers of those
   that occur in more than one segment, -1 for the others. */
KERNEL(segment_counts)(
    const i32 *of_ngram, const i32 *segments, i64 total, i64 size, double *counts, i32 *shared
) {
    OPEN(room);
    struct {
        i32 count, last;  /* how many segments, and 1 more than the last one */
    } *seen = take(&room, size + 1, sizeof(*seen), true);  /* the first is for places without n-gram */
    for (i64 i = 0; i < total; i++) {
        i32 place = of_ngram[i] + 1, segment = segments[i] + 1;
        seen[place].count += seen[place].last != segment;
        seen[place].last = segment;
    }
    seen[0].count = 0;
    for (i64 i = 0; i < total; i++) shared[i] = seen[of_ngram[i] + 1].count > 1 ? of_ngram[i] : -1;
    for (i64 k = 0; k < size; k++) counts[k] = seen[k + 1].count;
    return leave(&room, DONE);
}
