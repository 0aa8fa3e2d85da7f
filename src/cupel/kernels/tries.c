/* Building the trie of `cupel.text.ngrams`, and finding n-grams in it. */

#include "room.h"

/* Fill column n-1 of `numbers` (words, orders) from column n-2: continue each (n-1)-gram by its next
   word. The continuations of an (n-1)-gram are few and sorted: a binary search among them. */
KERNEL(find_continuations)(
    const i64 *starts, const i32 *lasts, const i64 *offsets, i64 sentences, const i64 *words, i64 n,
    i64 orders, i64 *numbers
) {
    for (i64 sentence = 0; sentence < sentences; sentence++) {
        for (i64 i = offsets[sentence]; i <= offsets[sentence + 1] - n; i++) {
            i64 parent = numbers[i * orders + n - 2], word = words[i + n - 1];
            if (parent < 0 || word < 0) continue;
            i64 low = starts[parent], end = starts[parent + 1], high = end;
            while (low < high) {
                i64 middle = (low + high) >> 1;
                if (lasts[middle] < word)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low < end && lasts[low] == word) numbers[i * orders + n - 1] = low;
        }
    }
    return DONE;
}

/* order: (total,), the places of words, by word, and of one word from left to right. */
KERNEL(places_by_word)(const i64 *words, i64 total, i64 vocabulary, i64 *order) {
    OPEN(room);
    i64 *next = ZEROS(&room, i64, vocabulary + 1);
    for (i64 i = 0; i < total; i++) next[words[i] + 1]++;
    for (i64 word = 0; word < vocabulary; word++) next[word + 1] += next[word];
    for (i64 i = 0; i < total; i++) order[next[words[i]]++] = i;
    return leave(&room, DONE);
}

/* Fill column n-1 of `numbers` (words, orders) from column n-2: number the distinct n-grams, by their
   first n-1 words and then by the last. by_word: as from `places_by_word`, so that one counting sort
   by the first n-1 words does. starts: (parents+1,), the first n-gram of each (n-1)-gram; lasts:
   (total,), the last word of each; count: how many there are. */
KERNEL(number_continuations)(
    const i64 *words, const i64 *offsets, i64 sentences, const i64 *by_word, i64 n, i64 orders,
    i64 parents, i64 *numbers, i64 *starts, i32 *lasts, i64 *count
) {
    OPEN(room);
    i64 total = offsets[sentences], found = 0;
    i64 *next = ZEROS(&room, i64, parents + 1), *order = NEW(&room, i64, total);
    u8 *begins = ZEROS(&room, u8, total + 1); /* whether an n-gram starts here */
    for (i64 sentence = 0; sentence < sentences; sentence++) {
        for (i64 i = offsets[sentence]; i <= offsets[sentence + 1] - n; i++) {
            begins[i] = 1;
            next[numbers[i * orders + n - 2] + 1]++;
        }
    }
    for (i64 parent = 0; parent < parents; parent++) next[parent + 1] += next[parent];
    for (i64 k = 0; k < total; k++) {
        i64 i = by_word[k] - (n - 1);
        if (i >= 0 && begins[i]) order[next[numbers[i * orders + n - 2]]++] = i;
    }
    for (i64 parent = 0, k = 0; parent < parents; parent++) { /* starts have become ends */
        starts[parent] = found;
        for (i64 last = -1; k < next[parent]; k++) {
            i64 word = words[order[k] + n - 1];
            if (word != last) lasts[found++] = (i32)(last = word);
            numbers[order[k] * orders + n - 1] = found - 1;
        }
    }
    starts[parents] = *count = found;
    return leave(&room, DONE);
}

/* In how many segments each n-gram occurs; of_ngram: (total,), its number or -1, and the segment of
   the place, which never falls from one place to the next. counts: zeros before. */
KERNEL(segment_counts)(
    const i64 *of_ngram, i64 stride, const i64 *segments, i64 total, i64 size, double *counts
) {
    OPEN(room);
    i64 *last = NEW(&room, i64, size);
    for (i64 number = 0; number < size; number++) last[number] = -1;
    for (i64 i = 0; i < total; i++) {
        i64 number = of_ngram[i * stride];
        if (number < 0 || last[number] == segments[i]) continue;
        last[number] = segments[i];
        counts[number]++;
    }
    return leave(&room, DONE);
}
