/* The edit matrix of TER: by bit vectors where the beam cannot matter, within the beam elsewhere.

   Distances come from bit vectors (Hyyrö 2003), 64 cells of the matrix in a few instructions. They
   know no beam; sacreBLEU's matrix has cells within 25 columns of the diagonal only. `beam_is_wide`
   tells when the two must agree; the others are computed within the beam, cell by cell. */

#ifndef CUPEL_TER_MATRIX_H
#define CUPEL_TER_MATRIX_H

#include "diagonal.h"

enum { BEAM_WIDTH = 25 };
enum { WORD = 64 };
enum { MAX_BLOCKS = 4 };  /* longer references are left to the beam: it is linear in them */
enum { INFINITE = 1 << 29 };

#define HIGHEST ((u64)1 << 63)

/* Moves through the matrix: past a word of both (equal or not), or of one sentence alone. */
enum { BOTH, HYPOTHESIS, REFERENCE };

/* 64 cells of a row, as bits: those that are 1 more, 1 less, than the one before them in their row;
   those equal to their diagonal neighbour; those that are 1 more than the one above. */
typedef struct {
    u64 plus, minus, diagonal, rise;
} Cells;

/* Room for the longest pair of the batch, allocated once.

   A word's class is the first position of that word in the reference; words of the hypothesis that
   the reference does not have share the class m, its length. */
typedef struct {
    i32 *hypothesis;         /* (n,)       classes, in the order that the shifts made so far give */
    i32 *shifted;            /* (n,)       the same, but for the span that a candidate moves */
    i32 *reference;          /* (m,)       classes */
    i32 *last;               /* (m,)       last position of a class in the reference */
    i32 *next;               /* (m,)       next position of the same class, m at its last */
    i32 *alignment;          /* (m,)       position in the hypothesis, -1 before the first word */
    i32 *hypothesis_errors;  /* (n+1,)     running sums */
    i32 *reference_errors;   /* (m+1,) */
    Shift *candidates, *sorted;
    u64 *equal;              /* ((m+1)*b,) positions of a class in the reference, as bits */
    Cells *cells;            /* ((n+1)*b,) the rows of the matrix */
    i32 *final;              /* (n+1,)     last column of the matrix */
    i32 *band;               /* the rows within the beam, one after the other */
    i32 *row;                /* (m+1,) */
} Scratch;

static inline i64 blocks_of(i64 m) { return (m + WORD - 1) / WORD; }

static inline i64 difference(i64 a, i64 b) { return a < b ? b - a : a - b; }

static inline i32 lesser(i32 a, i32 b) { return a < b ? a : b; }

/* Whether every path of cost `distance` through the matrix lies within the beam.

   Such a path strays (distance + |n - m|) / 2 from the line between the corners at most; the beam
   reaches from 25 columns before that line, rounded down, to 24 behind. */
static inline bool beam_is_wide(i64 n, i64 m, i64 distance) {
    return m < BEAM_WIDTH || distance + difference(n, m) <= 2 * (BEAM_WIDTH - 2);
}

/* How cell (i, j) was reached: of equally cheap ways BOTH, then HYPOTHESIS. */
static inline int bits_move(const Scratch *s, i64 blocks, i64 i, i64 j) {
    if (s->hypothesis[i - 1] == s->reference[j - 1]) return BOTH;
    const Cells *cells = &s->cells[i * blocks + (j - 1) / WORD];
    u64 bit = (u64)1 << ((j - 1) % WORD);
    if (!(cells->diagonal & bit)) return BOTH;
    return cells->rise & bit ? HYPOTHESIS : REFERENCE;
}

/* The next row of 64 cells, and those of them that fall by 1. before, before_falls: bit 63 says
   whether the cell before them rises, or falls. */
static inline Cells next_cells(
    u64 match, u64 plus, u64 minus, u64 before, u64 before_falls, u64 *falls
) {
    match |= before_falls >> 63;
    u64 diagonal = (((match & plus) + plus) ^ plus) | match | minus;
    u64 rise = minus | ~(diagonal | plus);
    u64 fall = diagonal & plus;
    u64 rise_before = rise << 1 | before >> 63;
    u64 fall_before = fall << 1 | before_falls >> 63;
    *falls = fall;
    return (Cells){
        fall_before | ~(diagonal | rise_before), rise_before & diagonal, diagonal, rise
    };
}

/* All rows of the matrix as bit vectors, kept for the trace and for shifted hypotheses. */
static inline i64 bits_rows(Scratch *s, i64 n, i64 m, i64 blocks) {
    u64 top = (u64)1 << ((m - 1) % WORD);
    for (i64 b = 0; b < blocks; b++) s->cells[b] = (Cells){.plus = ~(u64)0};
    s->final[0] = (i32)m;
    for (i64 i = 0; i < n; i++) {
        u64 rise = HIGHEST, fall = 0;
        for (i64 b = 0; b < blocks; b++) {
            const Cells *old = &s->cells[i * blocks + b];
            u64 match = s->equal[s->hypothesis[i] * blocks + b];
            Cells new = next_cells(match, old->plus, old->minus, rise, fall, &fall);
            s->cells[(i + 1) * blocks + b] = new;
            rise = new.rise;
        }
        s->final[i + 1] = s->final[i] + ((rise & top) != 0) - ((fall & top) != 0);
    }
    return s->final[n];
}

/* Whether some cell of a row of the moved hypothesis is below that of the unmoved one by `needed` or
   more (1 or more): else, with the same words behind the row, the distance is not either. sum: how
   much the cell before these 64 is above. */
static inline bool falls_by(const Cells *old, u64 plus, u64 minus, i64 needed, i64 *sum) {
    for (u64 unlike = (plus ^ old->plus) | (minus ^ old->minus); unlike; unlike &= unlike - 1) {
        u64 bit = unlike & -unlike;
        *sum += ((plus & bit) != 0) + ((old->minus & bit) != 0) - ((minus & bit) != 0) -
                ((old->plus & bit) != 0);
        if (*sum <= -needed) return true;
    }
    return false;
}

/* A row of the matrix of a reference of up to 64 words. */
typedef struct {
    u64 plus, minus, top;
    i64 distance;
} Row;

static inline void add_words(const Scratch *s, i64 from, i64 to, Row *row) {
    for (i64 i = from; i < to; i++) {
        u64 fall;
        Cells new =
            next_cells(s->equal[s->hypothesis[i]], row->plus, row->minus, HIGHEST, 0, &fall);
        row->plus = new.plus;
        row->minus = new.minus;
        row->distance += ((new.rise & row->top) != 0) - ((fall & row->top) != 0);
    }
}

/* Distance of the hypothesis with a move made, to a reference of up to 64 words; any number above
   `limit` where it is above. */
static i64 bits_moved(const Scratch *s, i64 n, i64 m, Move move, i64 limit) {
    const Cells *cells = &s->cells[move.low];
    Row row = {cells->plus, cells->minus, (u64)1 << (m - 1), s->final[move.low]};
    i64 needed = s->final[n] - limit, sum = 0;
    add_words(s, move.middle, move.high, &row);
    add_words(s, move.low, move.middle, &row);
    if (needed > 0 && !falls_by(&s->cells[move.high], row.plus, row.minus, needed, &sum))
        return limit + 1;
    add_words(s, move.high, n, &row);
    return row.distance;
}

/* The same, for a longer reference. */
typedef struct {
    u64 plus[MAX_BLOCKS], minus[MAX_BLOCKS], top;
    i64 distance, blocks;
} LongRow;

static void add_words_to_blocks(const Scratch *s, i64 from, i64 to, LongRow *row) {
    for (i64 i = from; i < to; i++) {
        u64 rise = HIGHEST, fall = 0;
        for (i64 b = 0; b < row->blocks; b++) {
            u64 match = s->equal[s->hypothesis[i] * row->blocks + b];
            Cells new = next_cells(match, row->plus[b], row->minus[b], rise, fall, &fall);
            row->plus[b] = new.plus;
            row->minus[b] = new.minus;
            rise = new.rise;
        }
        row->distance += ((rise & row->top) != 0) - ((fall & row->top) != 0);
    }
}

static i64 bits_moved_blocks(const Scratch *s, i64 n, i64 m, Move move, i64 limit) {
    i64 blocks = blocks_of(m), needed = s->final[n] - limit, sum = 0;
    LongRow row = {
        .top = (u64)1 << ((m - 1) % WORD), .distance = s->final[move.low], .blocks = blocks
    };
    for (i64 b = 0; b < blocks; b++) {
        row.plus[b] = s->cells[move.low * blocks + b].plus;
        row.minus[b] = s->cells[move.low * blocks + b].minus;
    }
    add_words_to_blocks(s, move.middle, move.high, &row);
    add_words_to_blocks(s, move.low, move.middle, &row);
    bool falls = needed <= 0;
    for (i64 b = 0; b < blocks && !falls; b++) {
        const Cells *old = &s->cells[move.high * blocks + b];
        falls = falls_by(old, row.plus[b], row.minus[b], needed, &sum);
    }
    if (!falls) return limit + 1;
    add_words_to_blocks(s, move.high, n, &row);
    return row.distance;
}

/* Turn row i - 1 in `row` into row i; returns its span. Cells outside the beam are infinite. */
static Span beam_row(Scratch *s, i64 n, i64 m, i64 i, i32 word) {
    Span before = beam_span(BEAM_WIDTH, n, m, i - 1), span = beam_span(BEAM_WIDTH, n, m, i);
    for (i64 j = before.high; j < span.high; j++) s->row[j] = INFINITE;
    i32 corner = span.low > before.low ? s->row[span.low - 1] : INFINITE, left = INFINITE;
    for (i64 j = span.low; j < span.high; j++) {
        i32 above = s->row[j], value = lesser(above, left) + 1;
        if (j > 0) value = lesser(value, corner + (s->reference[j - 1] != word));
        corner = above;
        left = value;
        s->row[j] = value;
    }
    return span;
}

/* All rows of the matrix within the beam, kept for the trace and for shifted hypotheses. */
static i64 beam_rows(Scratch *s, i64 n, i64 m) {
    i64 stride = beam_stride(BEAM_WIDTH, n, m);
    for (i64 j = 0; j <= m; j++) s->row[j] = (i32)j;
    for (i64 i = 1; i <= n; i++) {
        Span span = beam_row(s, n, m, i, s->hypothesis[i - 1]);
        for (i64 j = span.low; j < span.high; j++) s->band[i * stride + j - span.low] = s->row[j];
    }
    return s->row[m];
}

/* Distance of `shifted` within the beam; its first rows are the same as `hypothesis` has. */
static i64 beam_shifted(Scratch *s, i64 n, i64 m, i64 same) {
    i64 stride = beam_stride(BEAM_WIDTH, n, m);
    Span span = beam_span(BEAM_WIDTH, n, m, same);
    for (i64 j = span.low; j < span.high; j++)
        s->row[j] = same ? s->band[same * stride + j - span.low] : (i32)j;
    for (i64 i = same + 1; i <= n; i++) beam_row(s, n, m, i, s->shifted[i - 1]);
    return s->row[m];
}

/* The distance at row i, column j; infinite outside the beam. */
static i64 beam_cell(const Scratch *s, i64 n, i64 m, i64 i, i64 j) {
    if (i == 0) return j;
    Span span = beam_span(BEAM_WIDTH, n, m, i);
    if (j < span.low || j >= span.high) return INFINITE;
    return s->band[i * beam_stride(BEAM_WIDTH, n, m) + j - span.low];
}

/* How cell (i, j) was reached within the beam. */
static int beam_move(const Scratch *s, i64 n, i64 m, i64 i, i64 j) {
    i64 cost = beam_cell(s, n, m, i, j);
    i64 exchange = s->hypothesis[i - 1] != s->reference[j - 1];
    if (cost == beam_cell(s, n, m, i - 1, j - 1) + exchange) return BOTH;
    return cost == beam_cell(s, n, m, i - 1, j) + 1 ? HYPOTHESIS : REFERENCE;
}

#endif
