/* The best way to match a headword chain of four and more words.

   In a projective tree all words below w_i lie in one gap between words above them: w_i is one end
   of that gap, and the other end, its *bound*, is the nearest word above w_i on that side, or the
   end of the sentence. What the rest of the chain costs is therefore a table over the occurrences of
   w_i and of its bound, filled from the last word upwards. In a tree with crossing arcs there may be
   several gaps. Such chains are rare, and searched: each word from its ideal place outwards, no
   further than the best way so far allows. The search ends after MOST_STEPS with the best that it
   has found; only texts that repeat the same words hundreds of times get so far. A short search also
   comes before a table, since in such texts it often finds a match at all distances, and there is
   none better. */

#ifndef CUPEL_LONG_CHAINS_H
#define CUPEL_LONG_CHAINS_H

#include "room.h"

enum { NONE = 1 << 30 };  /* the cost of what cannot be matched */
enum { MOST_STEPS = 300000, FEW_STEPS = 2000, OPEN_END = -1 };

/* A chain of n words at its positions in the reference, head first. The occurrences of word i in the
   translation are row i of `found`, counts[i] many, ascending; `where` is the way that was chosen. */
typedef struct {
    const i32 *chain;
    i64 n;
    const i32 *found;
    const i64 *counts;
    i64 width;
    i32 *where;
} Way;

static inline i64 at(const Way *way, i64 word, i64 occurrence) {
    return way->found[word * way->width + occurrence];
}

static inline i64 absolute(i64 x) { return x < 0 ? -x : x; }

/* The bound of each word, OPEN_END for the end of the sentence; false where arcs cross. */
static bool find_bounds(const Way *way, i64 *bound) {
    const i32 *chain = way->chain;
    i64 low = -1, high = NONE;  /* the gap below words 0 to i - 1, as positions in the reference */
    i64 low_word = OPEN_END, high_word = OPEN_END;
    bound[0] = OPEN_END;
    for (i64 i = 0; i < way->n; i++) {
        if (chain[i] <= low || chain[i] >= high) return false;
        if (i + 1 == way->n) break;
        if (chain[i + 1] > chain[i]) {
            low = chain[i];
            low_word = i;
            bound[i] = high_word;
        } else {
            high = chain[i];
            high_word = i;
            bound[i] = low_word;
        }
    }
    return true;
}

/* What words i + 1 ... cost after occurrence a of word i under its bound b; *which is the occurrence
   of word i + 1. tables: (n - 1, occurrences, occurrences). */
static i64 rest(
    const Way *way, const i64 *bound, i64 i, i64 a, i64 b, const i32 *tables, i64 occurrences,
    i64 *which
) {
    i64 side = way->chain[i + 1] > way->chain[i] ? 1 : -1;
    i64 here = at(way, i, a), distance = absolute(way->chain[i + 1] - way->chain[i]);
    i64 best = NONE;
    *which = -1;
    for (i64 c = 0; c < way->counts[i + 1]; c++) {
        i64 there = at(way, i + 1, c);
        if (side * (there - here) <= 0) continue;
        if (bound[i] != OPEN_END && side * (at(way, bound[i], b) - there) <= 0) continue;
        i64 cost = absolute(distance - side * (there - here));
        if (i + 2 < way->n) {
            i64 ahead = bound[i + 1] == OPEN_END ? 0 : bound[i + 1] == i ? a : b;
            cost += tables[((i + 1) * occurrences + c) * occurrences + ahead];
        }
        if (cost < best) {
            best = cost;
            *which = c;
        }
    }
    return best;
}

static i64 best_projective(Room *room, const Way *way, const i64 *bound) {
    i64 n = way->n, occurrences = 1, which = 0, best = NONE, ignored;
    for (i64 i = 0; i < n; i++) occurrences = most(occurrences, way->counts[i]);
    i32 *tables = NEW(room, i32, (n - 1) * occurrences * occurrences);
    for (i64 i = n - 2; i >= 0; i--) {
        i64 bounds = bound[i] == OPEN_END ? 1 : way->counts[bound[i]];
        for (i64 a = 0; a < way->counts[i]; a++)
            for (i64 b = 0; b < bounds; b++)
                tables[(i * occurrences + a) * occurrences + b] =
                    (i32)rest(way, bound, i, a, b, tables, occurrences, &ignored);
    }
    for (i64 a = 0; a < way->counts[0]; a++) {
        if (tables[a * occurrences] < best) {
            best = tables[a * occurrences];
            which = a;
        }
    }
    if (best >= NONE) return NONE;
    i64 *taken = ZEROS(room, i64, n);
    taken[0] = which;
    way->where[0] = (i32)at(way, 0, which);
    for (i64 i = 0; i < n - 1; i++) {
        i64 b = bound[i] == OPEN_END ? 0 : taken[bound[i]];
        rest(way, bound, i, taken[i], b, tables, occurrences, &taken[i + 1]);
        way->where[i + 1] = (i32)at(way, i + 1, taken[i + 1]);
    }
    return best;
}

/* Whether word i stands to those before it in the chain as it does in the reference. */
static bool fits(const i32 *chain, const i64 *places, i64 i) {
    for (i64 j = 0; j < i; j++)
        if (places[j] == places[i] || (chain[j] < chain[i]) != (places[j] < places[i])) return false;
    return true;
}

/* A word in the search: occurrences up to `left` and from `right` on are still to be tried, nearest
   to `ideal` first. */
typedef struct {
    i64 cost, ideal, left, right;
} Step;

static Step step_towards(const Way *way, i64 i, i64 ideal, i64 cost) {
    i64 right = 0, end = way->counts[i];
    while (right < end) {
        i64 middle = (right + end) >> 1;
        if (at(way, i, middle) < ideal)
            right = middle + 1;
        else
            end = middle;
    }
    return (Step){cost, ideal, right - 1, right};
}

/* The best way of those that `most_steps` steps find. */
static i64 best_searched(Room *room, const Way *way, i64 most_steps) {
    i64 n = way->n, best = NONE, i = 0;
    i64 *places = NEW(room, i64, n);
    Step *steps = NEW(room, Step, n);
    /* The first word may stand anywhere; near its place in the reference is a good start. */
    steps[0] = step_towards(way, 0, way->chain[0], 0);
    for (i64 step = 0; i >= 0 && step < most_steps && best > 0; step++) {
        Step *s = &steps[i];
        i64 before = s->left >= 0 ? absolute(s->ideal - at(way, i, s->left)) : NONE;
        i64 after = s->right < way->counts[i] ? absolute(s->ideal - at(way, i, s->right)) : NONE;
        i64 nearest = least(before, after);
        if (nearest >= NONE || (i > 0 && s->cost + nearest >= best)) {
            i--;
            continue;
        }
        places[i] = at(way, i, before < after ? s->left-- : s->right++);
        if (!fits(way->chain, places, i)) continue;
        i64 cost = s->cost + (i > 0 ? nearest : 0);
        if (i + 1 < n) {
            i64 ideal = places[i] + way->chain[i + 1] - way->chain[i];
            i++;
            steps[i] = step_towards(way, i, ideal, cost);
            continue;
        }
        best = cost;
        for (i64 j = 0; j < n; j++) way->where[j] = (i32)places[j];
    }
    return best;
}

/* The least sum of differences of distances, NONE without a match; `where` it is reached. */
static i64 best_long(Room *room, const Way *way) {
    Block *mark = room->last;
    i64 best = best_searched(room, way, FEW_STEPS);
    if (best > 0) {
        i64 *bound = NEW(room, i64, way->n);
        best = find_bounds(way, bound) ? best_projective(room, way, bound)
                                       : best_searched(room, way, MOST_STEPS);
    }
    release(room, mark);
    return best;
}

#endif
