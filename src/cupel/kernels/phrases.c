/* Finding the phrases of a paraphrase table in sentences. */

#include "phrases.h"

/* The child of a node by a word, -1 where there is none. */
static inline i64 find_child(const Node *nodes, i64 node, i32 word) {
    i64 low = nodes[node].children, high = nodes[node + 1].children, end = high;
    while (low < high) {
        i64 middle = (low + high) >> 1;
        if (nodes[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && nodes[low].word == word ? low : -1;
}

/* first: the child of the root by word, -1 where there is none. */
KERNEL(find_phrases)(
    const i32 *words, const i64 *offsets, i64 sentences, const Node *nodes, const i32 *first,
    i64 *ends, Handed *phrases
) {
    OPEN(room);
    i64 size = 2 * offsets[sentences] + 16, count = 0;
    Phrase *rows = NEW(&room, Phrase, size);
    ends[0] = 0;
    for (i64 s = 0; s < sentences; s++) {
        i64 start = offsets[s], end = offsets[s + 1];
        for (i64 i = start; i < end; i++) {
            if (words[i] < 0) continue;
            i64 node = first[words[i]];
            for (i64 k = i + 1; node >= 0; k++) {
                i32 entry = nodes[node].entries, end_of_entries = nodes[node + 1].entries;
                if (entry < end_of_entries || nodes[node].is_paraphrase) {
                    if (count == size) {
                        size *= 2;
                        rows = larger(&room, rows, count, size, sizeof(Phrase));
                    }
                    rows[count++] = (Phrase){(i32)(i - start), (i32)(k - i), (i32)node, entry,
                                             end_of_entries, nodes[node].is_paraphrase};
                }
                if (k == end || words[k] < 0) break;
                node = find_child(nodes, node, words[k]);
            }
        }
        ends[s + 1] = count;
    }
    hand_over(&room, phrases, rows, count, sizeof(Phrase));
    return leave(&room, DONE);
}
