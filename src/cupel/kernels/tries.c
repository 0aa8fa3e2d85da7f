/* Finding n-grams in the trie of `cupel.text.ngrams`. */

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
