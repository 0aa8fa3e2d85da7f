/* The beam around the diagonal of an edit matrix, as TER and TERp search within it, and the shifts of
   phrases that both try and make.

   Row i is i words of a hypothesis of n words, column j is j words of a reference of m words. Cells
   further than `beam` columns from the diagonal are left out. */

#ifndef CUPEL_DIAGONAL_H
#define CUPEL_DIAGONAL_H

#include "room.h"

/* From a column or word to one past the last. */
typedef struct {
    i64 low, high;
} Span;

/* Half the width of the beam; wider where a row is far from the next. */
static inline i64 beam_width(i64 beam, i64 n, i64 m) {
    double ratio = n ? (double)m / (double)n : 1;
    return ratio / 2 > (double)beam ? (i64)ceil(ratio / 2 + (double)beam) : beam;
}

/* The columns of row i within the beam. Row 0 is there as a whole. */
static inline Span beam_span(i64 beam, i64 n, i64 m, i64 i) {
    if (i == 0) return (Span){0, m + 1};
    i64 middle = (i64)floor((double)i * ((double)m / (double)n));
    i64 width = beam_width(beam, n, m);
    return (Span){most(0, middle - width), i == n ? m + 1 : least(m + 1, middle + width)};
}

/* Room for a row of the beam: 2 more than its width, for the last one, which goes to the end. */
static inline i64 beam_stride(i64 beam, i64 n, i64 m) {
    return least(2 * beam_width(beam, n, m) + 2, m + 1);
}

/* Sentences and the items made of them, as in `Batch`. */
typedef struct {
    const i32 *ids;
    const i64 *offsets;
    const i64 *hypotheses, *references, *reference_offsets;
    i64 items;
} Items;

static inline i64 length_of(const Items *items, i64 sentence) {
    return items->offsets[sentence + 1] - items->offsets[sentence];
}

/* The longest hypothesis, the longest reference, and the cells of the largest matrix. */
typedef struct {
    i64 n, m, cells;
} Extent;

static Extent extent_of(const Items *items, i64 beam) {
    Extent extent = {0, 0, 0};
    for (i64 item = 0; item < items->items; item++) {
        i64 rows = length_of(items, items->hypotheses[item]);
        extent.n = most(extent.n, rows);
        for (i64 k = items->reference_offsets[item]; k < items->reference_offsets[item + 1]; k++) {
            i64 columns = length_of(items, items->references[k]);
            extent.m = most(extent.m, columns);
            extent.cells = most(extent.cells, (rows + 1) * beam_stride(beam, rows, columns));
        }
    }
    return extent;
}

/* A phrase of the hypothesis, and the word that it would stand behind. */
typedef struct {
    i32 length, start, target;
} Shift;

/* A move exchanges the words from low to middle with those from middle to high. */
typedef struct {
    i64 low, middle, high;
} Move;

/* A target within the phrase moves it to the right by as many words as the target is, as in
   sacreBLEU's TER. */
static inline Move move_of(i64 n, Shift shift) {
    i64 start = shift.start, end = shift.start + shift.length, target = shift.target;
    if (target < start) return (Move){target, start, end};
    return (Move){start, end, target > end ? target : least(n, target + shift.length)};
}

/* Move a phrase within `shifted`, which is equal to `hypothesis` before; returns the span that
   changed. */
static inline Span move_phrase(const i32 *hypothesis, i32 *shifted, i64 n, Shift shift) {
    Move move = move_of(n, shift);
    i64 to = move.low;
    for (i64 i = move.middle; i < move.high; i++) shifted[to++] = hypothesis[i];
    for (i64 i = move.low; i < move.middle; i++) shifted[to++] = hypothesis[i];
    return (Span){move.low, move.high};
}

/* Make one equal to the other again where it was changed. */
static inline void copy_span(const i32 *from, i32 *to, Span span) {
    for (i64 i = span.low; i < span.high; i++) to[i] = from[i];
}

/* Which of two equal gains counts: the longest phrase, then the first, then the first target. */
static inline bool comes_first(Shift shift, Shift best) {
    if (shift.length != best.length) return shift.length > best.length;
    return shift.start < best.start || (shift.start == best.start && shift.target < best.target);
}

#endif
