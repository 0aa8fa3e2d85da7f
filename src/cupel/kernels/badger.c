/* BADGER's measure over a whole batch: local alignment of sentences whose words are symbols.

   Smith and Waterman's (1981) local alignment with Gotoh's (1982) affine gaps. A sentence is its
   words with a blank between any two; a blank is a symbol like another, so that the words "a b" are
   three symbols. Equal symbols score EQUAL, others DIFFERENT; a gap costs GAP, and LONGER_GAP more
   for each symbol after its first. Over EQUAL times the length of the shorter, that is a number from
   0 to 1. Cost of a pair: 4 times the product of their lengths in words. */

#include "room.h"

enum { EQUAL = 5, DIFFERENT = -3, GAP = 5, LONGER_GAP = 1 };
enum { BLANK = -1 };  /* the symbol between two words; words are numbered from 0 */

static inline i32 greater(i32 a, i32 b) { return a > b ? a : b; }

/* Write the words with blanks between them; how many symbols that are. */
static i64 spell(const i32 *words, i64 count, i32 *symbols) {
    i64 length = 0;
    for (i64 k = 0; k < count; k++) {
        if (length > 0) symbols[length++] = BLANK;
        symbols[length++] = words[k];
    }
    return length;
}

/* The score of the best local alignment. scores, gaps: rows as long as `second` plus 1. */
static i32 best_alignment(
    const i32 *first, i64 n, const i32 *second, i64 m, i32 *restrict scores, i32 *restrict gaps
) {
    memset(scores, 0, (size_t)(m + 1) * sizeof(i32));
    memset(gaps, 0, (size_t)(m + 1) * sizeof(i32));
    i32 best = 0;
    for (i64 i = 0; i < n; i++) {
        /* `open` is the best score but for gaps in `second`: a gap that ends where another starts is
           no better than one longer gap, so that `gap` need not wait for the whole score. */
        i32 symbol = first[i], diagonal = 0, gap = 0, open = 0;
        for (i64 j = 1; j <= m; j++) {
            i32 score = diagonal + (symbol == second[j - 1] ? EQUAL : DIFFERENT);
            diagonal = scores[j];
            /* Gaps that would take a score below 0 are never worth it: 0 stands for any of them. */
            gap = greater(gap - LONGER_GAP, open - GAP);
            gaps[j] = greater(gaps[j] - LONGER_GAP, diagonal - GAP);
            open = greater(greater(0, score), gaps[j]);
            scores[j] = greater(open, gap);
            best = greater(best, scores[j]);
        }
    }
    return best;
}

KERNEL(alignment_similarities)(
    const i32 *words, const i64 *offsets, i64 sentences, const i64 *hypotheses,
    const i64 *references, const i64 *reference_offsets, i64 items, double *similarities
) {
    OPEN(room);
    i64 longest = most(1, 2 * longest_of(offsets, sentences));
    i32 *first = NEW(&room, i32, longest), *second = NEW(&room, i32, longest);
    i32 *scores = NEW(&room, i32, longest + 1), *gaps = NEW(&room, i32, longest + 1);
    for (i64 item = 0; item < items; item++) {
        i64 start = reference_offsets[item], end = reference_offsets[item + 1];
        i64 hypothesis = hypotheses[item];
        i64 n = spell(
            words + offsets[hypothesis], offsets[hypothesis + 1] - offsets[hypothesis], first
        );
        double total = 0;
        for (i64 r = start; r < end; r++) {
            i64 reference = references[r];
            i64 m = spell(
                words + offsets[reference], offsets[reference + 1] - offsets[reference], second
            );
            if (n == 0 || m == 0)
                total += n == m;
            else
                total += best_alignment(first, n, second, m, scores, gaps) /
                         (double)(EQUAL * least(n, m));
        }
        similarities[item] = total / (double)(end - start);
    }
    return leave(&room, DONE);
}
