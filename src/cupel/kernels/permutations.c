/* Coins as NumPy's legacy generator tosses them, and what permutation tests count with them.

   The generator is MT19937 (Matsumoto and Nishimura 1998). `binomial(1, 0.5)` there takes two of its
   words for a number in [0, 1) and gives 1 where that is above one half: the highest bit of the
   first word. (Just one half, once in 9e15 tosses, is a 1 here and a 0 there.) */

#include "room.h"

enum { WORDS = 624, AHEAD = 397 };

static inline u32 twisted(u32 high, u32 low, u32 ahead) {
    u32 y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return ahead ^ (y >> 1) ^ (-(y & 1u) & 0x9908b0dfu);
}

static void refill(u32 *restrict words) {
    int k = 0;
    for (; k < WORDS - AHEAD; k++) words[k] = twisted(words[k], words[k + 1], words[k + AHEAD]);
    for (; k < 2 * (WORDS - AHEAD); k++)
        words[k] = twisted(words[k], words[k + 1], words[k + AHEAD - WORDS]);
    for (; k < WORDS - 1; k++) words[k] = twisted(words[k], words[k + 1], words[k + AHEAD - WORDS]);
    words[k] = twisted(words[k], words[0], words[AHEAD - 1]);
}

/* The highest bit after tempering. */
static inline u8 coin(u32 y) { return (u8)((y ^ y << 4 ^ y << 7 ^ y << 15) >> 31); }

static void toss(u32 *words, i64 *position, u8 *out, i64 count) {
    i64 at = *position;
    for (i64 done = 0; done < count;) {
        if (at >= WORDS) refill(words), at = 0;
        if (at == WORDS - 1) { /* the second word of this number is the first of the next round */
            out[done++] = coin(words[at]);
            refill(words);
            at = 1;
            continue;
        }
        i64 many = least(count - done, (WORDS - at) / 2);
        for (i64 i = 0; i < many; i++) out[done + i] = coin(words[at + 2 * i]);
        done += many;
        at += 2 * many;
    }
    *position = at;
}

/* words: (624,), position: (1,), the generator before and after; out: (count,) 0 or 1. */
KERNEL(toss_coins)(u32 *words, i64 *position, i64 count, u8 *out) {
    toss(words, position, out, count);
    return DONE;
}

enum { SUMS = 3, CHUNK = 8, SUBSETS = 1 << CHUNK };

/* table[s]: the sums over a few units, from `own` where the bit of s is set, else from `other`. */
static void sums_of_subsets(
    const double *own, const double *other, int units, double (*table)[SUMS]
) {
    for (int s = 0; s < SUMS; s++) table[0][s] = 0;
    for (int unit = 0, filled = 1; unit < units; unit++, filled *= 2) {
        for (int subset = 0; subset < filled; subset++) {
            for (int s = 0; s < SUMS; s++) {
                table[filled + subset][s] = table[subset][s] + own[unit * SUMS + s];
                table[subset][s] += other[unit * SUMS + s];
            }
        }
    }
}

/* first, second: (n, 3), what is added up of each unit; sums: (2, trials, groups, 3), of the first
   metric where the coin shows 1 and of the second elsewhere, and the other way round. Units are
   taken eight at a time, with a table of all their subsets. coins: (trials, n), 0 or 1. */
KERNEL(swapped_sums)(
    const double *first, const double *second, const i64 *starts, i64 groups, const u8 *coins,
    i64 trials, double *sums
) {
    OPEN(room);
    double(*table)[SUMS] = (double(*)[SUMS])NEW(&room, double, SUBSETS *SUMS);
    i64 n = starts[groups], half = trials * groups * SUMS;
    for (i64 group = 0; group < groups; group++) {
        for (i64 at = starts[group]; at < starts[group + 1]; at += CHUNK) {
            int units = (int)least(CHUNK, starts[group + 1] - at);
            sums_of_subsets(first + at * SUMS, second + at * SUMS, units, table);
            for (i64 trial = 0; trial < trials; trial++) {
                const u8 *row = coins + trial * n + at;
                u32 subset = 0;
                if (units == CHUNK) {
                    u64 eight;
                    memcpy(&eight, row, sizeof eight);
                    subset = (u32)(eight * 0x0102040810204080u >> 56);
                } else {
                    for (int unit = 0; unit < units; unit++) subset |= (u32)row[unit] << unit;
                }
                double *one = sums + (trial * groups + group) * SUMS, *two = one + half;
                const double *kept = table[subset], *swapped = table[((1u << units) - 1) ^ subset];
                for (int s = 0; s < SUMS; s++) one[s] += kept[s], two[s] += swapped[s];
            }
        }
    }
    return leave(&room, DONE);
}

enum { KINDS = 5, HELD = 1 << 16 };

/* Verdicts on pairs exchanged instead of scores: a coin for each of n x n places of a group, of which
   those above the diagonal count. own, other: (pairs,) kinds of the pairs i < j of group after
   group; counts: (trials, groups, 5), of `own` where the coin shows 1, else of `other`. */
KERNEL(swapped_kinds)(
    u32 *words, i64 *position, const i64 *starts, i64 groups, const u8 *own, const u8 *other,
    i64 trials, i64 *counts
) {
    OPEN(room);
    i64 longest = longest_of(starts, groups), pairs = 0, differing = 0;
    u8 *coins = NEW(&room, u8, most(longest, HELD));
    for (i64 group = 0; group < groups; group++) {
        i64 n = starts[group + 1] - starts[group];
        pairs += n * (n - 1) / 2;
    }
    for (i64 pair = 0; pair < pairs; pair++) differing += own[pair] != other[pair];
    /* Pairs with two kinds: the column of their coin in the rows tossed together, and both kinds. */
    i32 *places = NEW(&room, i32, differing);
    u8(*kinds)[2] = (u8(*)[2])NEW(&room, u8, 2 * differing);
    i64 *same = ZEROS(&room, i64, groups * KINDS);
    i64 *ends = NEW(&room, i64, starts[groups]); /* per row of a group */
    i64 entry = 0, pair = 0;
    for (i64 group = 0; group < groups; group++) {
        i64 n = starts[group + 1] - starts[group], together = most(1, least(n, HELD / n));
        for (i64 i = 0; i < n; i++) {
            for (i64 j = i + 1; j < n; j++, pair++) {
                if (own[pair] == other[pair]) {
                    same[group * KINDS + own[pair]]++;
                } else {
                    places[entry] = (i32)(i % together * n + j);
                    kinds[entry][0] = other[pair];
                    kinds[entry++][1] = own[pair];
                }
            }
            ends[starts[group] + i] = entry;
        }
    }
    for (i64 trial = 0; trial < trials; trial++) {
        entry = 0;
        for (i64 group = 0; group < groups; group++) {
            i64 *count = counts + (trial * groups + group) * KINDS;
            i64 n = starts[group + 1] - starts[group], together = most(1, least(n, HELD / n));
            memcpy(count, same + group * KINDS, KINDS * sizeof(i64));
            for (i64 i = 0; i < n; i += together) {
                i64 rows = least(together, n - i);
                toss(words, position, coins, rows * n);
                for (i64 end = ends[starts[group] + i + rows - 1]; entry < end; entry++)
                    count[kinds[entry][coins[places[entry]]]]++;
            }
        }
    }
    return leave(&room, DONE);
}

/* sums: (tables, systems, trials), of the segments' scores with signs flipped; observed: (tables,
   systems), with none; counts: (tables, pairs), in how many trials the difference of a pair of
   systems is at least the observed one. In single precision throughout. */
KERNEL(count_reached)(
    const float *sums, const float *observed, i64 tables, i64 systems, i64 trials, i64 *counts
) {
    for (i64 table = 0; table < tables; table++) {
        for (i64 i = 0; i < systems; i++) {
            for (i64 j = i + 1; j < systems; j++) {
                const float *a = sums + (table * systems + i) * trials;
                const float *b = sums + (table * systems + j) * trials;
                float real = observed[table * systems + i] - observed[table * systems + j];
                i32 count = 0;
                for (i64 trial = 0; trial < trials; trial++) count += a[trial] - b[trial] >= real;
                *counts++ = count;
            }
        }
    }
    return DONE;
}
