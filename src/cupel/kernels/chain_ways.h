/* Headword chains found in translations: the best of all ways to match one, without trying each.

   A chain (w_1, ..., w_n), head first, has the positions r_i in the reference; a way to match it is
   a choice of occurrences h_i in the translation in the same order as the r_i. With dis_i the
   distance of w_i and w_(i+1), the *relative* distance asks for the least sum_i |dis_r_i - dis_h_i|,
   the *cosine* for the smallest angle between the vectors of these distances, the *absolute* one for
   the least sum_i |r_i - h_i|.

   Two words are a matter of all pairs of occurrences. Of three, the middle one is fixed in turn: the
   others lie on known sides of it, and if on the same side in a known order, so that a sweep
   outwards finds the best of both. Longer chains: see long_chains.h. */

#ifndef CUPEL_CHAIN_WAYS_H
#define CUPEL_CHAIN_WAYS_H

#include "long_chains.h"

enum { RELATIVE, COSINE, ABSOLUTE };

static inline double exp_of_ratio(i64 cost, i64 n) { return exp((double)-cost / (double)n); }

/* The least cost of a chain of two words; `where` it is reached. */
static i64 best_two(const Way *way) {
    i64 distance = way->chain[1] - way->chain[0], side = distance > 0 ? 1 : -1, best = NONE;
    for (i64 a = 0; a < way->counts[0]; a++) {
        for (i64 b = 0; b < way->counts[1]; b++) {
            i64 there = side * (at(way, 1, b) - at(way, 0, a));
            i64 cost = absolute(side * distance - there);
            if (there > 0 && cost < best) {
                best = cost;
                way->where[0] = (i32)at(way, 0, a);
                way->where[1] = (i32)at(way, 1, b);
            }
        }
    }
    return best;
}

/* Of the occurrences of a word on that side of `middle` the one at the distance nearest to `signed_`;
   returns how far from that it is. */
static i64 nearest(const Way *way, i64 word, i64 middle, i64 signed_, i64 *place) {
    i64 side = signed_ > 0 ? 1 : -1, best = NONE;
    *place = -1;
    for (i64 k = 0; k < way->counts[word]; k++) {
        i64 there = side * (at(way, word, k) - middle);
        if (there > 0 && absolute(side * signed_ - there) < best) {
            best = absolute(side * signed_ - there);
            *place = at(way, word, k);
        }
    }
    return best;
}

static inline void put_three(const Way *way, i64 near, i64 at_near, i64 middle, i64 at_far) {
    way->where[near] = (i32)at_near;
    way->where[1] = (i32)middle;
    way->where[2 - near] = (i32)at_far;
}

/* Occurrence k of a word, counted outwards on that side. */
static inline i64 outward(const Way *way, i64 word, i64 k, i64 side) {
    return at(way, word, side > 0 ? k : way->counts[word] - 1 - k);
}

/* The least cost of a chain of three words. */
static i64 best_three(const Way *way) {
    i64 to_first = way->chain[0] - way->chain[1], to_last = way->chain[2] - way->chain[1];
    i64 best = NONE;
    if ((to_first > 0) != (to_last > 0)) {
        for (i64 k = 0; k < way->counts[1]; k++) {
            i64 middle = at(way, 1, k), at_one, at_other;
            i64 one = nearest(way, 0, middle, to_first, &at_one);
            if (one >= best) continue;
            i64 other = nearest(way, 2, middle, to_last, &at_other);
            if (one + other < best) {
                best = one + other;
                put_three(way, 0, at_one, middle, at_other);
            }
        }
        return best;
    }
    i64 side = to_first > 0 ? 1 : -1;
    i64 near = absolute(to_first) < absolute(to_last) ? 0 : 2, far = 2 - near;
    i64 to_near = least(absolute(to_first), absolute(to_last));
    i64 to_far = most(absolute(to_first), absolute(to_last));
    for (i64 k = 0; k < way->counts[1]; k++) {
        i64 middle = at(way, 1, k), cheapest = NONE, at_near = -1, step = 0;
        for (i64 out = 0; out < way->counts[far]; out++) {
            i64 at_far = outward(way, far, out, side), distance = side * (at_far - middle);
            if (distance <= 0) continue;
            for (; step < way->counts[near]; step++) {
                i64 inner = outward(way, near, step, side);
                if (side * (at_far - inner) <= 0) break;
                i64 there = side * (inner - middle);
                if (there > 0 && absolute(to_near - there) < cheapest) {
                    cheapest = absolute(to_near - there);
                    at_near = inner;
                }
            }
            if (cheapest + absolute(to_far - distance) < best) {
                best = cheapest + absolute(to_far - distance);
                put_three(way, near, at_near, middle, at_far);
            }
        }
    }
    return best;
}

/* The distances of a word's occurrences on one side of `middle`, ascending; and how many. */
static i64 distances_outward(const Way *way, i64 word, i64 middle, i64 side, i32 *distances) {
    i64 size = 0;
    for (i64 k = 0; k < way->counts[word]; k++) {
        i64 distance = side * (outward(way, word, k, side) - middle);
        if (distance > 0) distances[size++] = (i32)distance;
    }
    return size;
}

/* The highest cosine of the distances in a chain of three words; 0 where nothing matches. */
static double best_cosine(const Way *way, i32 *rows) {
    i64 to_first = way->chain[0] - way->chain[1], to_last = way->chain[2] - way->chain[1];
    i64 one = to_first > 0 ? 1 : -1, other = to_last > 0 ? 1 : -1;
    i64 a = absolute(to_first), b = absolute(to_last);
    i32 *one_row = rows, *other_row = rows + way->width;
    double best = 0;
    for (i64 k = 0; k < way->counts[1]; k++) {
        i64 middle = at(way, 1, k), step = 0;
        i64 xs = distances_outward(way, 0, middle, one, one_row);
        i64 ys = distances_outward(way, 2, middle, other, other_row);
        for (i64 i = 0; i < xs; i++) {
            i64 x = one_row[i];
            while (step < ys && other_row[step] * a < x * b)  /* the cosine grows up to y = x b / a */
                step++;
            for (i64 j = most(step - 1, 0); j < least(step + 1, ys); j++) {
                i64 y = other_row[j];
                if (one == other && (x == y || (x < y) != (a < b))) continue;
                double product = (double)((a * a + b * b) * (x * x + y * y));
                double cosine = (double)(a * x + b * y) / sqrt(product);
                if (cosine > best) {
                    best = cosine;
                    put_three(way, 0, middle + one * x, middle, middle + other * y);
                }
            }
        }
    }
    return best < 1 ? best : 1;
}

/* The least sum of |position in the reference - position in the translation|.

   Word by word in the order of the reference: the cheapest way to place all words up to each
   occurrence, and the occurrence of the word before that it goes through. */
static i64 best_absolute(Room *room, const Way *way, i32 *rows) {
    i64 n = way->n, width = way->width;
    Block *mark = room->last;
    i64 *order = NEW(room, i64, n);
    for (i64 i = 0; i < n; i++) {
        i64 place = i;
        for (; place > 0 && way->chain[order[place - 1]] > way->chain[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    for (i64 rank = 0; rank < n; rank++) {
        i64 word = order[rank], cheapest = rank == 0 ? 0 : NONE, chosen = -1, step = 0;
        i32 *cost = rows + 2 * rank * width, *through = cost + width;
        for (i64 k = 0; k < way->counts[word]; k++) {
            i64 place = at(way, word, k);
            if (rank > 0) {
                i64 last = order[rank - 1];
                const i32 *last_cost = cost - 2 * width;
                for (; step < way->counts[last] && at(way, last, step) < place; step++) {
                    if (last_cost[step] < cheapest) {
                        cheapest = last_cost[step];
                        chosen = step;
                    }
                }
            }
            cost[k] = (i32)least(cheapest + absolute(place - way->chain[word]), NONE);
            through[k] = (i32)chosen;
        }
    }
    i64 best = NONE, k = -1;
    const i32 *last_cost = rows + (2 * n - 2) * width;
    for (i64 last = 0; last < way->counts[order[n - 1]]; last++) {
        if (last_cost[last] < best) {
            best = last_cost[last];
            k = last;
        }
    }
    for (i64 rank = n - 1; k >= 0 && rank >= 0; rank--) {
        way->where[order[rank]] = (i32)at(way, order[rank], k);
        k = rows[(2 * rank + 1) * width + k];
    }
    release(room, mark);
    return best;
}

/* The score of a chain's best match, 0 where there is none; `where` says which it is. rows: (2 n + 2,
   width) to work in. */
static double best_way(Room *room, const Way *way, i64 kind, i32 *rows) {
    i64 n = way->n, cost, divisor = kind == ABSOLUTE ? n : n - 1;
    if (n == 1) {
        way->where[0] = way->found[0];
        return 1;
    }
    if (kind == ABSOLUTE)
        cost = best_absolute(room, way, rows);
    else if (n == 2)
        cost = best_two(way);
    else if (n == 3 && kind == COSINE)
        return best_cosine(way, rows);
    else if (n == 3)
        cost = best_three(way);
    else
        cost = best_long(room, way);
    if (cost >= NONE) return 0;
    return n == 2 && kind == COSINE ? 1 : exp_of_ratio(cost, divisor);
}

/* The score of one way to match a chain; 0 where the words are not in the reference's order. */
static double score_of(const i32 *chain, const i32 *where, i64 n, i64 kind) {
    for (i64 i = 0; i < n; i++)
        for (i64 j = 0; j < i; j++)
            if ((chain[i] < chain[j]) != (where[i] < where[j]) || where[i] == where[j]) return 0;
    if (n == 1) return 1;
    i64 cost = 0, product = 0, ours = 0, theirs = 0;
    if (kind == ABSOLUTE) {
        for (i64 i = 0; i < n; i++) cost += absolute(chain[i] - where[i]);
        return exp_of_ratio(cost, n);
    }
    for (i64 i = 0; i < n - 1; i++) {
        i64 here = absolute(chain[i + 1] - chain[i]), there = absolute(where[i + 1] - where[i]);
        cost += absolute(here - there);
        product += here * there;
        ours += there * there;
        theirs += here * here;
    }
    if (kind != COSINE) return exp_of_ratio(cost, n - 1);
    double cosine = (double)product / sqrt((double)(ours * theirs));
    return cosine < 1 ? cosine : 1;
}

#endif
