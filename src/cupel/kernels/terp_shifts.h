/* TER-Plus's search for shifts (Snover et al. 2009): a phrase moves at the cost of one shift.

   It is the search of TER (shifts.c: the same rounds, candidates, order among equals and limits)
   with costs in place of counts. What TER-Plus relaxes: a phrase may move to where the reference has
   stems, synonyms or paraphrases of its words. What it demands more: a content word. In the authors'
   program a phrase that moves may have paraphrases in it but not at its end, where there must be a
   word; scores depend on it, and it is kept. */

#ifndef CUPEL_TERP_SHIFTS_H
#define CUPEL_TERP_SHIFTS_H

#include "terp_matrix.h"

/* The rules whose phrase stands in `hypothesis`, chained by its start: `first`, then `following`,
   which end with -1. */
typedef struct {
    i32 *first, *following, *rule;
    i64 count;
} Occurrences;

static Occurrences find_occurrences(Room *room, const Task *t) {
    const Rules *rules = t->rules;
    const i32 *words = t->s->hypothesis;
    Occurrences found = {.first = NEW(room, i32, t->n)};
    memset(found.first, -1, (size_t)t->n * sizeof(i32));
    if (!t->limits->relaxed || rules->count == 0) return found;
    for (int pass = 0; pass < 2; pass++) {  /* first to count them, then to chain them */
        if (pass == 1) {
            found.following = NEW(room, i32, found.count);
            found.rule = NEW(room, i32, found.count);
            found.count = 0;
        }
        for (i64 i = 1; i <= t->n; i++) {
            for (i64 k = rules->offsets[words[i - 1]]; k < rules->offsets[words[i - 1] + 1]; k++) {
                i32 r = rules->listed[k];
                if (!ends_here(rules, r, words, i)) continue;
                if (pass == 1) {
                    i64 start = i - rule_length(rules, r);
                    found.rule[found.count] = r;
                    found.following[found.count] = found.first[start];
                    found.first[start] = (i32)found.count;
                }
                found.count++;
            }
        }
    }
    return found;
}

/* Whether a phrase of the hypothesis that starts at i is a paraphrase of one from j on. */
static bool meet(const Rules *rules, const Occurrences *occurrences, i64 i, i64 j) {
    i32 k = occurrences->first[i];
    while (k >= 0 && rules->reference[occurrences->rule[k]] != j) k = occurrences->following[k];
    return k >= 0;
}

/* Whether something is wrong on both sides, and both have a content word. */
static inline bool is_worth_moving(const Scratch *s, i64 i, i64 end, i64 j, i64 reference_end) {
    return s->hypothesis_errors[end] > s->hypothesis_errors[i] &&
           s->reference_errors[reference_end] > s->reference_errors[j] &&
           s->hypothesis_content[end] > s->hypothesis_content[i] &&
           s->reference_content[reference_end] > s->reference_content[j];
}

static inline int least_kind(const Limits *limits) { return limits->relaxed ? PARAPHRASE : EQUAL; }

/* Lay the words from i upon those from j; fills `movable`, returns the longest length. */
static i64 lay_words(const Task *t, i64 i, i64 j) {
    Scratch *s = t->s;
    i64 longest = least(t->limits->shift_size, least(t->n - i, t->m - j)), length = 0;
    while (length < longest) {
        u8 kind = t->pair->kinds[s->hypothesis[i + length] * t->m + j + length];
        if (kind < least_kind(t->limits)) break;
        length++;
        s->movable[length] = kind >= ALIKE && is_worth_moving(s, i, i + length, j, j + length);
    }
    return length;
}

/* The same, where paraphrases may be laid upon each other, too.

   reach[a, b] says that the next a words of the hypothesis can be laid upon the next b of the
   reference, the last of them being a paraphrase (1), or words (2). b is at most twice the longest
   shift. */
static i64 lay_phrases(const Task *t, const Occurrences *occurrences, i64 i, i64 j) {
    Scratch *s = t->s;
    const Rules *rules = t->rules;
    i64 size = least(t->limits->shift_size, t->n - i);
    i64 width = least(2 * t->limits->shift_size, t->m - j);
    i64 stride = 2 * t->limits->shift_size + 1, longest = 0, furthest = 0;
    memset(s->reach, 0, (size_t)((size + 1) * stride));
    memset(s->movable, 0, (size_t)(size + 1));
    s->reach[0] = 1;
    for (i64 a = 0; a <= least(size, furthest); a++) {
        for (i64 b = 0; b <= width; b++) {
            u8 reached = s->reach[a * stride + b];
            if (!reached) continue;
            if (reached & 2) {
                longest = a;
                s->movable[a] |= is_worth_moving(s, i, i + a, j, j + b);
            }
            if (a == size || b == width) continue;
            u8 kind = t->pair->kinds[s->hypothesis[i + a] * t->m + j + b];
            if (kind != DIFFERENT) {
                s->reach[(a + 1) * stride + b + 1] |= kind >= ALIKE ? 2 : 1;
                furthest = most(furthest, a + 1);
            }
            for (i32 k = occurrences->first[i + a]; k >= 0; k = occurrences->following[k]) {
                i64 r = occurrences->rule[k];
                i64 ours = a + rule_length(rules, r), theirs = b + rules->length[r];
                if (rules->reference[r] == j + b && ours <= size && theirs <= width) {
                    s->reach[ours * stride + theirs] |= 1;
                    furthest = most(furthest, ours);
                }
            }
        }
    }
    return longest;
}

/* Fill `candidates`; returns how many there are. *checked grows by how many count against the limit.

   As TER lists them: a phrase that can be laid upon the reference at most `shift_distance` words
   away, with something wrong both here and there, and content words in both. Its targets are behind
   the words that the reference's phrase, and the word before it, are aligned to. */
static i64 list_candidates(Room *room, const Task *t, i64 *checked) {
    Scratch *s = t->s;
    i64 size = t->limits->shift_size, distance = t->limits->shift_distance, found = 0;
    Occurrences occurrences = find_occurrences(room, t);
    for (i64 i = 0; i < t->n; i++) {
        if (s->hypothesis_errors[least(i + size, t->n)] == s->hypothesis_errors[i]) continue;
        const u8 *kinds = t->pair->kinds + s->hypothesis[i] * t->m;
        for (i64 j = most(0, i - distance); j <= least(t->m - 1, i + distance); j++) {
            if (kinds[j] < least_kind(t->limits) && !meet(t->rules, &occurrences, i, j)) continue;
            i64 longest = occurrences.count == 0 ? lay_words(t, i, j)
                                                 : lay_phrases(t, &occurrences, i, j);
            for (i64 length = 1; length <= longest; length++) {
                if (!s->movable[length]) continue;
                if (i <= s->alignment[j] && s->alignment[j] < i + length)
                    break;  /* and so it is for all longer ones */
                i64 previous = -1;
                for (i64 position = j - 1; position < least(j + length, t->m); position++) {
                    i64 target = position >= 0 ? s->alignment[position] + 1 : 0;
                    if (target == previous) continue;
                    previous = target;
                    ++*checked;
                    if (target != i)
                        s->candidates[found++] = (Shift){(i32)length, (i32)i, (i32)target};
                }
                if (*checked >= t->limits->candidates) return found;
            }
        }
    }
    return found;
}

/* Make the shift that lowers the distance most, if by no less than it costs. */
static bool make_best_shift(const Task *t, i64 found, double distance) {
    Scratch *s = t->s;
    double best_gain = 0, price = t->costs->shift;
    Shift best = {0, 0, 0};
    for (i64 number = 0; number < found; number++) {
        Shift shift = s->candidates[number];
        Span span = move_phrase(s->hypothesis, s->shifted, t->n, shift);
        double limit = distance - (best_gain > price ? best_gain : price);
        double gain = distance - distance_of(t, span.low, true, limit);
        bool preferred = gain == best_gain && best_gain > 0 && comes_first(shift, best);
        if (gain >= price && (gain > best_gain || preferred)) {
            best_gain = gain;
            best = shift;
        }
        copy_span(s->hypothesis, s->shifted, span);
    }
    if (best_gain > 0)
        copy_span(s->shifted, s->hypothesis, move_phrase(s->hypothesis, s->shifted, t->n, best));
    return best_gain > 0;
}

/* Cost of the shifts made, and of the edits then left, for the n words in `hypothesis`. */
static double edit_cost(Room *room, const Task *t) {
    const Costs *costs = t->costs;
    if (t->n == 0 || t->m == 0)
        return (double)t->n * costs->insertion + (double)t->m * costs->deletion;
    double shifts = 0;
    i64 checked = 0;
    for (;;) {
        double distance = distance_of(t, 0, false, INFINITY);
        if (t->limits->shift_size == 0 || distance <= 0 || distance < costs->shift)
            return shifts + distance;
        trace(t);
        Block *mark = room->last;
        i64 found = list_candidates(room, t, &checked);
        release(room, mark);
        if (checked >= t->limits->candidates) return shifts + distance;
        if (!make_best_shift(t, found, distance)) return shifts + distance;
        shifts += costs->shift;
    }
}

#endif
