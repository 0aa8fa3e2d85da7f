/* Distances between two sentences by dynamic programming: WER's, PER's, CDER's, and the LCS.

   All keep a single row of the matrix, so that memory is linear in the length of a sentence. */

#include "room.h"

enum { WORD_ERRORS, POSITION_INDEPENDENT, LONG_JUMPS };

typedef struct {
    const i32 *words;
    i64 length;
} Sentence;

static inline Sentence sentence_of(const i32 *ids, const i64 *offsets, i64 row) {
    return (Sentence){ids + offsets[row], offsets[row + 1] - offsets[row]};
}

/* Of a cell, only the comparison with `left` waits for the cell before it. */
static inline i32 min32(i32 a, i32 b) { return a < b ? a : b; }

static inline i32 max32(i32 a, i32 b) { return a > b ? a : b; }

/* Insertions, deletions and substitutions that turn one into the other. */
static i64 levenshtein(Sentence hypothesis, Sentence reference, i32 *row) {
    i64 m = reference.length;
    for (i64 j = 0; j <= m; j++) row[j] = (i32)j;
    for (i64 i = 0; i < hypothesis.length; i++) {
        i32 word = hypothesis.words[i], corner = row[0], left = corner + 1;
        row[0] = left;
        for (i64 j = 0; j < m; j++) {
            i32 above = row[j + 1];
            left = min32(left + 1, min32(above + 1, corner + (word != reference.words[j])));
            corner = above;
            row[j + 1] = left;
        }
    }
    return row[m];
}

/* The longer length less the words that both have; `counts` is 0 before and after. */
static i64 position_independent(Sentence hypothesis, Sentence reference, i32 *counts) {
    i64 matched = 0;
    for (i64 j = 0; j < reference.length; j++) counts[reference.words[j]]++;
    for (i64 i = 0; i < hypothesis.length; i++) {
        if (counts[hypothesis.words[i]] > 0) {
            counts[hypothesis.words[i]]--;
            matched++;
        }
    }
    for (i64 j = 0; j < reference.length; j++) counts[reference.words[j]] = 0;
    return most(hypothesis.length, reference.length) - matched;
}

/* Levenshtein's distance with one more move: to any place in the hypothesis, at cost 1.

   Row l holds the costs at every place i of the hypothesis once l words of the reference are
   covered. The cheapest place of a row is where its long jumps start. */
static i64 long_jumps(Sentence hypothesis, Sentence reference, i32 *row) {
    i64 n = hypothesis.length;
    row[0] = 0;
    for (i64 i = 0; i < n; i++) row[i + 1] = 1;
    for (i64 j = 0; j < reference.length; j++) {
        i32 word = reference.words[j], corner = row[0], left = corner + 1;
        row[0] = left;
        i32 cheapest = left;
        for (i64 i = 0; i < n; i++) {
            i32 above = row[i + 1];
            left = min32(left + 1, min32(above + 1, corner + (hypothesis.words[i] != word)));
            corner = above;
            row[i + 1] = left;
            cheapest = min32(cheapest, left);
        }
        for (i64 i = 0; i <= n; i++) row[i] = min32(row[i], cheapest + 1);
    }
    return row[n];
}

/* Length of the longest common subsequence. */
static i64 common_subsequence(Sentence hypothesis, Sentence reference, i32 *row) {
    i64 m = reference.length;
    for (i64 j = 0; j <= m; j++) row[j] = 0;
    for (i64 i = 0; i < hypothesis.length; i++) {
        i32 word = hypothesis.words[i], corner = 0, left = 0;
        for (i64 j = 0; j < m; j++) {
            i32 above = row[j + 1];
            left = max32(left, max32(above, corner + (word == reference.words[j])));
            corner = above;
            row[j + 1] = left;
        }
    }
    return row[m];
}

KERNEL(best_edits)(
    const i32 *ids, const i64 *offsets, i64 sentences, const i64 *hypothesis_index,
    const i64 *reference_index, const i64 *reference_offsets, i64 items, i64 vocabulary,
    i64 distance, double *result
) {
    OPEN(room);
    i32 *row = ZEROS(&room, i32, longest_of(offsets, sentences) + 1);
    i32 *counts = ZEROS(&room, i32, vocabulary);
    for (i64 item = 0; item < items; item++) {
        Sentence hypothesis = sentence_of(ids, offsets, hypothesis_index[item]);
        double best = INFINITY;
        for (i64 k = reference_offsets[item]; k < reference_offsets[item + 1]; k++) {
            Sentence reference = sentence_of(ids, offsets, reference_index[k]);
            i64 edits = distance == WORD_ERRORS ? levenshtein(hypothesis, reference, row)
                        : distance == POSITION_INDEPENDENT
                            ? position_independent(hypothesis, reference, counts)
                            : long_jumps(hypothesis, reference, row);
            double rate = reference.length ? (double)edits / (double)reference.length : edits > 0;
            if (rate < best) {
                best = rate;
                result[2 * item] = (double)edits;
                result[2 * item + 1] = (double)reference.length;
            }
        }
    }
    return leave(&room, DONE);
}

KERNEL(lcs_lengths)(
    const i32 *ids, const i64 *offsets, i64 sentences, const i64 *hypothesis_index,
    const i64 *reference_index, const i64 *reference_offsets, i64 items, i64 *result
) {
    OPEN(room);
    i32 *row = ZEROS(&room, i32, longest_of(offsets, sentences) + 1);
    for (i64 item = 0; item < items; item++) {
        Sentence hypothesis = sentence_of(ids, offsets, hypothesis_index[item]);
        for (i64 k = reference_offsets[item]; k < reference_offsets[item + 1]; k++) {
            Sentence reference = sentence_of(ids, offsets, reference_index[k]);
            result[k] = common_subsequence(hypothesis, reference, row);
        }
    }
    return leave(&room, DONE);
}

KERNEL(levenshtein)(const i32 *first, i64 n, const i32 *second, i64 m, i64 *distance) {
    OPEN(room);
    *distance = levenshtein((Sentence){first, n}, (Sentence){second, m}, NEW(&room, i32, m + 1));
    return leave(&room, DONE);
}
