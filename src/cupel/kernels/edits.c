/* Distances between two sentences: WER's, PER's, CDER's, and the LCS. */

#include "bits.h"

enum { WORD_ERRORS, POSITION_INDEPENDENT, LONG_JUMPS };

static inline Sentence sentence_of(const i32 *ids, const i64 *offsets, i64 row) {
    return (Sentence){ids + offsets[row], offsets[row + 1] - offsets[row]};
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

KERNEL(best_edits)(
    const i32 *ids, const i64 *offsets, i64 sentences, const i64 *hypothesis_index,
    const i64 *reference_index, const i64 *reference_offsets, i64 items, i64 vocabulary,
    i64 distance, double *result
) {
    OPEN(room);
    i32 *counts = ZEROS(&room, i32, vocabulary);
    Bits bits = bits_for(&room, longest_of(offsets, sentences), vocabulary, distance == LONG_JUMPS);
    for (i64 item = 0; item < items; item++) {
        Sentence hypothesis = sentence_of(ids, offsets, hypothesis_index[item]);
        double best = INFINITY;
        for (i64 k = reference_offsets[item]; k < reference_offsets[item + 1]; k++) {
            Sentence reference = sentence_of(ids, offsets, reference_index[k]);
            i64 edits = distance == WORD_ERRORS ? levenshtein(hypothesis, reference, &bits)
                        : distance == POSITION_INDEPENDENT
                            ? position_independent(hypothesis, reference, counts)
                            : long_jumps(hypothesis, reference, &bits);
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
    const i64 *reference_index, const i64 *reference_offsets, i64 items, i64 vocabulary,
    i64 *result
) {
    OPEN(room);
    Bits bits = bits_for(&room, longest_of(offsets, sentences), vocabulary, false);
    for (i64 item = 0; item < items; item++) {
        Sentence hypothesis = sentence_of(ids, offsets, hypothesis_index[item]);
        for (i64 k = reference_offsets[item]; k < reference_offsets[item + 1]; k++) {
            Sentence reference = sentence_of(ids, offsets, reference_index[k]);
            result[k] = common_subsequence(hypothesis, reference, &bits);
        }
    }
    return leave(&room, DONE);
}

KERNEL(levenshtein)(
    const i32 *first, i64 n, const i32 *second, i64 m, i64 vocabulary, i64 *distance
) {
    OPEN(room);
    Bits bits = bits_for(&room, most(n, m), vocabulary, false);
    *distance = levenshtein((Sentence){first, n}, (Sentence){second, m}, &bits);
    return leave(&room, DONE);
}
