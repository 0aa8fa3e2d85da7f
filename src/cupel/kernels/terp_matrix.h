/* TER-Plus's edit matrix (Snover et al. 2009): words and phrases exchanged, each at its cost.

   The matrix of TER (the same beam around the diagonal) with costs in place of counts: exchanged
   words cost what `Pair.costs` says, exchanged phrases what their entry of `Rules` says. Row i is i
   words of the hypothesis, column j is j words of the reference.

   Costs are multiples of UNIT, so that their sums are exact in any order, and equal ways through the
   matrix tie. */

#ifndef CUPEL_TERP_MATRIX_H
#define CUPEL_TERP_MATRIX_H

#include "diagonal.h"

#define UNIT (1.0 / (1 << 30))

/* Kinds of a pair of words; ALIKE by stem or synonym. */
enum { DIFFERENT, PARAPHRASE, ALIKE, EQUAL };

/* What each edit costs; `phrase_...` are the parameters of the cost of a paraphrase. */
typedef struct {
    double match, insertion, deletion, substitution, stem, synonym, shift;
    double phrase_constant, phrase_log, phrase_probability, phrase_edits, phrase_least, phrase_most;
} Costs;

/* How far the search goes; `relaxed`: whether alike words and paraphrases move. */
typedef struct {
    i64 shift_size, shift_distance, candidates, beam, relaxed;
} Limits;

/* A hypothesis of w distinct words against a reference of m words. */
typedef struct {
    i64 w, m;
    double *costs;          /* (w, m) of putting a word of the reference for one of the hypothesis */
    u8 *kinds;              /* (w, m) */
    u8 *content;            /* (w,)   whether a word of the hypothesis makes a phrase worth moving */
    u8 *reference_content;  /* (m,) */
} Pair;

static Pair pair_for(Room *room, i64 w, i64 m) {
    return (Pair){
        w, m, NEW(room, double, w * m), NEW(room, u8, w * m), NEW(room, u8, w), NEW(room, u8, m),
    };
}

/* Phrases that may be exchanged, listed by the last word of the hypothesis' phrase.

   The words of rule r are words[starts[r]] to words[starts[r + 1] - 1], those of the reference start
   at reference[r] and are length[r] many. Those that end in word w are listed[offsets[w]] to
   listed[offsets[w + 1] - 1], in order of their place in the reference. */
typedef struct {
    i32 *offsets;  /* (w+1,) */
    i32 *listed;
    i64 count;     /* how many are listed */
    i32 *starts;
    i32 *words;
    i32 *reference;
    i32 *length;
    double *costs;
    i64 longest;   /* most words of a phrase of the hypothesis, 1 where there are no rules */
    i64 widest;    /* and of the reference */
} Rules;

/* Room for the longest pair of the batch, allocated once. */
typedef struct {
    i32 *hypothesis;          /* (n,)   words, in the order that the shifts made so far give */
    i32 *shifted;             /* (n,)   the same, but for the span that a candidate moves */
    i32 *alignment;           /* (m,)   position in the hypothesis, -1 before the first word */
    i32 *hypothesis_errors;   /* (n+1,) running sums */
    i32 *reference_errors;    /* (m+1,) */
    i32 *hypothesis_content;  /* (n+1,) */
    i32 *reference_content;   /* (m+1,) */
    Shift *candidates;
    u8 *reach;                /* (size+1, 2 size+1) spans that can be laid upon each other */
    u8 *movable;              /* (size+1,) lengths of phrases that can move */
    double *row;              /* (m+1,) */
    double *arrivals;         /* (m+1,) of phrases that end in this row; infinite before and after */
    i32 *arrived;             /* (m+1,) */
    double *band;             /* the rows of `hypothesis` within the beam, one after the other */
    double *shifted_band;     /* those of `shifted`, from the moved span on */
} Scratch;

/* All that the search for one pair goes by. */
typedef struct {
    Scratch *s;
    const Pair *pair;
    const Rules *rules;
    const Costs *costs;
    const Limits *limits;
    i64 n, m;
} Task;

static inline double lesser(double a, double b) { return a < b ? a : b; }

static inline Span span_of(const Task *t, i64 i) { return beam_span(t->limits->beam, t->n, t->m, i); }

static inline i64 stride_of(const Task *t) { return beam_stride(t->limits->beam, t->n, t->m); }

static inline double cell(const Task *t, const double *rows, i64 i, i64 j) {
    if (i == 0) return (double)j * t->costs->deletion;
    Span span = span_of(t, i);
    if (j < span.low || j >= span.high) return INFINITY;
    return rows[i * stride_of(t) + j - span.low];
}

static inline i64 rule_length(const Rules *rules, i64 r) {
    return rules->starts[r + 1] - rules->starts[r];
}

/* Where the rules that end in `word`, and at column j or behind, start in the list. */
static inline i64 first_rule(const Rules *rules, i32 word, i64 j) {
    i64 low = rules->offsets[word], high = rules->offsets[word + 1];
    while (low < high) {
        i64 middle = (low + high) >> 1;
        if (rules->reference[rules->listed[middle]] + rules->widest < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the words of rule r, whose last one is known to, end at word i. */
static inline bool ends_here(const Rules *rules, i64 r, const i32 *words, i64 i) {
    i64 length = rule_length(rules, r), k = 2;
    const i32 *end = rules->words + rules->starts[r + 1];
    if (length > i) return false;
    while (k <= length && words[i - k] == end[-k]) k++;
    return k > length;
}

/* Put the costs of phrases that end in row i into `arrivals`; returns how many are `arrived`. */
static i64 arrive(const Task *t, i64 i, const i32 *words, i64 same, const double *band) {
    Scratch *s = t->s;
    const Rules *rules = t->rules;
    i64 count = 0;
    Span span = span_of(t, i);
    i64 last = rules->offsets[words[i - 1] + 1];
    for (i64 k = first_rule(rules, words[i - 1], span.low); k < last; k++) {
        i64 r = rules->listed[k], j = rules->reference[r], end = j + rules->length[r];
        if (j >= span.high) break;
        if (!ends_here(rules, r, words, i)) continue;
        i64 start = i - rule_length(rules, r);
        double cost = cell(t, start <= same ? s->band : band, start, j) + rules->costs[r];
        if (cost < s->arrivals[end]) {
            if (s->arrivals[end] == INFINITY) s->arrived[count++] = (i32)end;
            s->arrivals[end] = cost;
        }
    }
    return count;
}

/* Turn row i - 1 in `row` into row i; returns its least cost. */
static double next_row(const Task *t, i64 i, i32 word) {
    Scratch *s = t->s;
    const double *costs = t->pair->costs + word * t->m;
    double insertion = t->costs->insertion, deletion = t->costs->deletion;
    Span before = span_of(t, i - 1), span = span_of(t, i);
    for (i64 j = before.high; j < span.high; j++) s->row[j] = INFINITY;
    double corner = span.low > before.low ? s->row[span.low - 1] : INFINITY;
    double left = INFINITY, cheapest = INFINITY;
    for (i64 j = span.low; j < span.high; j++) {
        double above = s->row[j];
        double value = lesser(above + insertion, s->arrivals[j]);
        if (j > 0) value = lesser(value, corner + costs[j - 1]);
        left = lesser(value, left + deletion);
        corner = above;
        s->row[j] = left;
        cheapest = lesser(cheapest, left);
    }
    return cheapest;
}

/* Cost of the edits without shifts, of `hypothesis`, or of `shifted`, whose first `same` words are
   those of `hypothesis`. Infinite where it is above `limit`. */
static double distance_of(const Task *t, i64 same, bool is_shifted, double limit) {
    Scratch *s = t->s;
    const i32 *words = is_shifted ? s->shifted : s->hypothesis;
    double *band = is_shifted ? s->shifted_band : s->band;
    i64 stride = stride_of(t), above_limit = 0;
    Span span = span_of(t, same);
    for (i64 j = span.low; j < span.high; j++)
        s->row[j] = same ? s->band[same * stride + j - span.low] : (double)j * t->costs->deletion;
    for (i64 i = same + 1; i <= t->n; i++) {
        i64 count = arrive(t, i, words, same, band);
        double cheapest = next_row(t, i, words[i - 1]);
        for (i64 k = 0; k < count; k++) s->arrivals[s->arrived[k]] = INFINITY;
        /* A phrase of the hypothesis may leap over rows, but not over all of the last `longest`. */
        above_limit = cheapest > limit ? above_limit + 1 : 0;
        if (above_limit >= t->rules->longest) return INFINITY;
        if (is_shifted && t->rules->count == 0) continue;
        span = span_of(t, i);
        for (i64 j = span.low; j < span.high; j++) band[i * stride + j - span.low] = s->row[j];
    }
    return s->row[t->m];
}

/* The rule by which cell (i, j) was reached, -1 where there is none. */
static i64 phrase_before(const Task *t, i64 i, i64 j) {
    const Rules *rules = t->rules;
    i64 best = -1;
    i32 word = t->s->hypothesis[i - 1];
    double cost = cell(t, t->s->band, i, j);
    for (i64 k = first_rule(rules, word, j); k < rules->offsets[word + 1]; k++) {
        i64 r = rules->listed[k];
        if (rules->reference[r] >= j) break;
        if (rules->reference[r] + rules->length[r] != j) continue;
        if (!ends_here(rules, r, t->s->hypothesis, i)) continue;
        i64 length = rule_length(rules, r);
        bool longer = best < 0 || length > rule_length(rules, best) ||
                      (length == rule_length(rules, best) && rules->length[r] > rules->length[best]);
        double before = cell(t, t->s->band, i - length, rules->reference[r]);
        if (longer && cost == before + rules->costs[r]) best = r;
    }
    return best;
}

/* Alignment and running sums of errors, going back from the end of both sentences. Of equally cheap
   ways: phrases, the longest first; a word of both; one of the hypothesis. */
static void trace(const Task *t) {
    Scratch *s = t->s;
    const Pair *pair = t->pair;
    i64 i = t->n, j = t->m;
    while (i > 0 || j > 0) {
        i64 rule = i > 0 && j > 0 ? phrase_before(t, i, j) : -1;
        if (rule >= 0) {
            i64 length = rule_length(t->rules, rule), width = t->rules->length[rule];
            for (i64 k = i - length; k < i; k++) s->hypothesis_errors[k + 1] = 1;
            for (i64 k = j - width; k < j; k++) {
                s->reference_errors[k + 1] = 1;
                s->alignment[k] = (i32)(i - length);
            }
            i -= length;
            j -= width;
            continue;
        }
        double cost = cell(t, s->band, i, j);
        i64 place = i > 0 && j > 0 ? s->hypothesis[i - 1] * pair->m + j - 1 : -1;
        if (place >= 0 && cost == cell(t, s->band, i - 1, j - 1) + pair->costs[place]) {
            s->hypothesis_errors[i] = s->reference_errors[j] = pair->kinds[place] != EQUAL;
            s->alignment[j - 1] = (i32)(i - 1);
            i--;
            j--;
        } else if (i > 0 &&
                   (j == 0 || cost == cell(t, s->band, i - 1, j) + t->costs->insertion)) {
            s->hypothesis_errors[i--] = 1;
        } else {
            s->reference_errors[j] = 1;
            s->alignment[--j] = (i32)(i - 1);
        }
    }
    s->hypothesis_errors[0] = s->hypothesis_content[0] = 0;
    for (i = 0; i < t->n; i++) {
        s->hypothesis_errors[i + 1] += s->hypothesis_errors[i];
        s->hypothesis_content[i + 1] = s->hypothesis_content[i] + pair->content[s->hypothesis[i]];
    }
    s->reference_errors[0] = s->reference_content[0] = 0;
    for (j = 0; j < t->m; j++) {
        s->reference_errors[j + 1] += s->reference_errors[j];
        s->reference_content[j + 1] = s->reference_content[j] + pair->reference_content[j];
    }
}

#endif
