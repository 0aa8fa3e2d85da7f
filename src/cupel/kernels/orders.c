/* Rank correlations of two metrics that exchange scores: each trial walks once through the scores of
   both in their common order, which is sorted once. A score belongs to one of two sides: its own
   metric's where the coin shows 1, else the other's. */

#include "room.h"

enum { CONCORDANT, DISCORDANT, TIED_METRIC, TIED_HUMAN, TIED_BOTH, KINDS };

/* The entries of either side, in order: places in `entries`. Both sides have half of them. */
static void deal(const i32 *entries, i64 start, i64 end, const u8 *coins, i32 *hands[2]) {
    i32 *first = hands[0], *second = hands[1];
    for (i64 e = 2 * start; e < 2 * end; e++) {
        int side = 1 ^ (entries[e] & 1) ^ coins[entries[e] >> 1];
        *first = *second = (i32)e;
        first += 1 - side;
        second += side;
    }
}

typedef struct {
    i32 *tree, *equal, *run; /* by level: lower scores (as a tree of sums, and each), equal ones */
} Passed;

/* One side of one group: `size` entries. */
static void count_walking(
    const i32 *hand, i64 size, const i32 *entries, const i32 *values, const i32 *levels, i64 highest,
    Passed passed, i64 *count
) {
    i64 concordant = 0, tied_metric = 0, tied_human = 0, tied = 0;
    for (i64 start = 0, end; start < size; start = end) {
        for (end = start; end < size && values[hand[end]] == values[hand[start]]; end++) {
            i32 level = levels[entries[hand[end]] >> 1];
            for (i64 at = level - 1; at > 0; at &= at - 1) concordant += passed.tree[at];
            tied_human += passed.equal[level];
            tied += passed.run[level];
            tied_metric += end - start - passed.run[level];
            passed.run[level]++;
        }
        for (i64 at = start; at < end; at++) {
            i32 level = levels[entries[hand[at]] >> 1];
            passed.run[level] = 0;
            passed.equal[level]++;
            for (i64 node = level; node <= highest; node += node & -node) passed.tree[node]++;
        }
    }
    count[CONCORDANT] = concordant;
    count[DISCORDANT] = size * (size - 1) / 2 - concordant - tied_metric - tied_human - tied;
    count[TIED_METRIC] = tied_metric;
    count[TIED_HUMAN] = tied_human;
    count[TIED_BOTH] = tied;
}

/* entries: (2 n,) 2 unit + metric, by group and score; values: (2 n,) numbers of different scores;
   levels: (n,) people's scores as numbers from 1 within the group; coins: (trials, n); counts:
   (2, trials, groups, 5). */
KERNEL(swapped_orders)(
    const i32 *entries, const i32 *values, const i32 *levels, const i64 *starts, i64 groups,
    const u8 *coins, i64 trials, i64 *counts
) {
    OPEN(room);
    i64 n = starts[groups], longest = longest_of(starts, groups) + 2;
    i32 *hands[2] = {NEW(&room, i32, longest), NEW(&room, i32, longest)};
    Passed passed = {NEW(&room, i32, longest), NEW(&room, i32, longest), ZEROS(&room, i32, longest)};
    for (i64 group = 0; group < groups; group++) {
        i64 start = starts[group], end = starts[group + 1], highest = 0;
        for (i64 i = start; i < end; i++) highest = most(highest, levels[i]);
        for (i64 trial = 0; trial < trials; trial++) {
            deal(entries, start, end, coins + trial * n, hands);
            for (int side = 0; side < 2; side++) {
                memset(passed.tree, 0, (size_t)(highest + 1) * sizeof(i32));
                memset(passed.equal, 0, (size_t)(highest + 1) * sizeof(i32));
                count_walking(
                    hands[side], end - start, entries, values, levels, highest, passed,
                    counts + ((side * trials + trial) * groups + group) * KINDS
                );
            }
        }
    }
    return leave(&room, DONE);
}

/* ranks: (n,) people's ranks less their mean; sums: (2, trials, groups, 2), of the products of ranks
   and of the squares of the metric's. All are halves of whole numbers: sums are exact. */
KERNEL(swapped_ranks)(
    const i32 *entries, const i32 *values, const double *ranks, const i64 *starts, i64 groups,
    const u8 *coins, i64 trials, double *sums
) {
    OPEN(room);
    i64 n = starts[groups], longest = longest_of(starts, groups) + 1;
    i32 *hands[2] = {NEW(&room, i32, longest), NEW(&room, i32, longest)};
    for (i64 group = 0; group < groups; group++) {
        i64 size = starts[group + 1] - starts[group];
        for (i64 trial = 0; trial < trials; trial++) {
            deal(entries, starts[group], starts[group + 1], coins + trial * n, hands);
            for (int side = 0; side < 2; side++) {
                const i32 *hand = hands[side];
                double *sum = sums + ((side * trials + trial) * groups + group) * 2;
                double products = 0, squares = 0;
                for (i64 start = 0, end; start < size; start = end) {
                    double human = 0;
                    for (end = start; end < size && values[hand[end]] == values[hand[start]]; end++)
                        human += ranks[entries[hand[end]] >> 1];
                    double rank = (double)(start + end - size) / 2;
                    products += rank * human;
                    squares += rank * rank * (double)(end - start);
                }
                sum[0] = products;
                sum[1] = squares;
            }
        }
    }
    return leave(&room, DONE);
}
