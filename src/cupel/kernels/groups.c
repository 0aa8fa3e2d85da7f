/* Pairs of scores within groups (the systems of a segment, the segments of a system): counting those
   that a metric orders as people do, and choosing the difference below which it ties. */

#include "room.h"

enum { CONCORDANT, DISCORDANT, TIED_METRIC, TIED_HUMAN, TIED_BOTH, KINDS };
enum { SMALL = 40 };

static void count_all(const double *x, const double *y, i64 n, double epsilon, i64 *counts) {
    i64 concordant = 0, tied_x = 0, tied_y = 0, tied = 0;
    for (i64 i = 0; i < n; i++) {
        for (i64 j = 0; j < i; j++) {
            double a = x[i] - x[j], b = y[i] - y[j];
            i64 is_tie = fabs(a) <= epsilon;
            concordant += (((a > 0) & (b > 0)) | ((a < 0) & (b < 0))) & !is_tie;
            tied_x += is_tie;
            tied_y += b == 0;
            tied += is_tie & (b == 0);
        }
    }
    counts[CONCORDANT] = concordant;
    counts[DISCORDANT] = n * (n - 1) / 2 - concordant - tied_x - tied_y + tied;
    counts[TIED_METRIC] = tied_x - tied;
    counts[TIED_HUMAN] = tied_y - tied;
    counts[TIED_BOTH] = tied;
}

/* Sort, and count how many pairs stood the other way round (equal values do not). */
static i64 sort_counting(double *values, double *spare, i64 n) {
    i64 swaps = 0;
    if (n <= 12) {
        for (i64 i = 1; i < n; i++) {
            double value = values[i];
            i64 j = i;
            for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
            values[j] = value;
            swaps += i - j;
        }
        return swaps;
    }
    i64 half = n / 2, left = 0, right = half;
    swaps = sort_counting(values, spare, half) + sort_counting(values + half, spare, n - half);
    if (values[half - 1] <= values[half]) return swaps;
    memcpy(spare, values, (size_t)half * sizeof(double));
    for (i64 to = 0; left < half; to++) {
        if (right < n && values[right] < spare[left]) {
            swaps += half - left;
            values[to] = values[right++];
        } else {
            values[to] = spare[left++];
        }
    }
    return swaps;
}

static i64 ties_of_sorted(const double *values, i64 n) {
    i64 ties = 0, run = 0;
    for (i64 i = 1; i < n; i++) {
        run = values[i] == values[i - 1] ? run + 1 : 0;
        ties += run;
    }
    return ties;
}

/* Knight's way, n log n. order: by people's scores; of those, `ties` pairs are equal. */
static void count_sorting(
    const double *x, const double *y, const i64 *order, i64 n, i64 ties, double *values, double *spare,
    i64 *counts
) {
    i64 both = 0;
    for (i64 i = 0; i < n; i++) values[i] = x[order[i]];
    for (i64 start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && y[order[end]] == y[order[start]];) end++;
        sort_counting(values + start, spare, end - start);
        both += ties_of_sorted(values + start, end - start);
    }
    counts[DISCORDANT] = sort_counting(values, spare, n);
    counts[TIED_METRIC] = ties_of_sorted(values, n) - both;
    counts[TIED_HUMAN] = ties - both;
    counts[TIED_BOTH] = both;
    counts[CONCORDANT] = n * (n - 1) / 2 - counts[DISCORDANT] - counts[TIED_METRIC] - ties;
}

/* metric: (rows, n); order: (n,) places by group and people's scores; counts: (rows, groups, 5). */
KERNEL(group_counts)(
    const double *metric, i64 rows, const double *human, const i64 *order, const i64 *starts,
    i64 groups, double epsilon, i64 *counts
) {
    OPEN(room);
    i64 longest = longest_of(starts, groups), n = starts[groups];
    double *values = NEW(&room, double, longest), *spare = NEW(&room, double, longest);
    for (i64 group = 0; group < groups; group++) {
        i64 start = starts[group], size = starts[group + 1] - start, ties = 0, run = 0;
        for (i64 i = start + 1; i < start + size; i++) {
            run = human[order[i]] == human[order[i - 1]] ? run + 1 : 0;
            ties += run;
        }
        for (i64 row = 0; row < rows; row++) {
            i64 *out = counts + (row * groups + group) * KINDS;
            const double *x = metric + row * n;
            if (size <= SMALL || epsilon > 0)
                count_all(x + start, human + start, size, epsilon, out);
            else
                count_sorting(x, human, order + start, size, ties, values, spare, out);
        }
    }
    return leave(&room, DONE);
}

/* Pairs at least `threshold` apart for people; counts: (rows, groups, 2) agreeing and not. */
KERNEL(distant_counts)(
    const double *metric, i64 rows, const double *human, const i64 *starts, i64 groups,
    double threshold, i64 *counts
) {
    for (i64 row = 0; row < rows; row++) {
        const double *x = metric + row * starts[groups];
        for (i64 group = 0; group < groups; group++) {
            i64 agreeing = 0, pairs = 0;
            for (i64 i = starts[group]; i < starts[group + 1]; i++) {
                for (i64 j = starts[group]; j < i; j++) {
                    double b = human[i] - human[j];
                    i64 is_pair = fabs(b) >= threshold;
                    pairs += is_pair;
                    agreeing += is_pair & (((b > 0) & (x[i] > x[j])) | ((b < 0) & (x[i] < x[j])));
                }
            }
            counts[2 * (row * groups + group)] = agreeing;
            counts[2 * (row * groups + group) + 1] = pairs - agreeing;
        }
    }
    return DONE;
}

/* The kind of each pair (i, j), i < j, group after group, with scores that differ by epsilon or
   less tied. */
KERNEL(pair_kinds)(
    const double *metric, const double *human, const i64 *starts, i64 groups, double epsilon, u8 *kinds
) {
    i64 pair = 0;
    for (i64 group = 0; group < groups; group++) {
        for (i64 i = starts[group]; i < starts[group + 1]; i++) {
            for (i64 j = i + 1; j < starts[group + 1]; j++) {
                double a = metric[i] - metric[j], b = human[i] - human[j];
                bool is_tie = fabs(a) <= epsilon;
                kinds[pair++] = is_tie          ? (b == 0 ? TIED_BOTH : TIED_METRIC)
                                : b == 0        ? TIED_HUMAN
                                : (a > 0) == (b > 0) ? CONCORDANT
                                                : DISCORDANT;
            }
        }
    }
    return DONE;
}

/* Pairs (i, j), i < j, of the groups: sizes of the metric's differences, whether the pair is right
   as it is (bit 0) and when the metric ties (bit 1), its group. drawn: (pairs,) which ones count;
   right, total: (groups,). made[0]: how many pairs. */
KERNEL(tie_pairs)(
    const double *metric, const double *human, const i64 *starts, i64 groups, const u8 *drawn,
    i64 all, double *sizes, u8 *kinds, i32 *places, i64 *right, i64 *total, i64 *made
) {
    i64 pair = 0, kept = 0;
    for (i64 group = 0; group < groups; group++) {
        i64 correct = 0, first = kept;
        for (i64 i = starts[group]; i < starts[group + 1]; i++) {
            for (i64 j = i + 1; j < starts[group + 1]; j++, pair++) {
                if (!all && !drawn[pair]) continue;
                double a = metric[i] - metric[j], b = human[i] - human[j];
                u8 tied = b == 0;
                u8 is_right = tied ? a == 0 : ((a > 0) & (b > 0)) | ((a < 0) & (b < 0));
                sizes[kept] = fabs(a);
                kinds[kept] = is_right | (u8)(tied << 1);
                places[kept++] = (i32)group;
                correct += is_right;
            }
        }
        right[group] = correct;
        total[group] = kept - first;
    }
    made[0] = kept;
    return DONE;
}

enum { DIGIT = 11, DIGITS = 6, VALUES = 1 << DIGIT };

/* The order of numbers that are not negative, equal ones as they stand: by the digits of their bits. */
static const u32 *sorted_order(Room *room, const double *numbers, i64 n) {
    u64 *keys = NEW(room, u64, n), *other_keys = NEW(room, u64, n);
    u32 *order = NEW(room, u32, n), *other = NEW(room, u32, n);
    i64(*starts)[VALUES] = (i64(*)[VALUES])ZEROS(room, i64, DIGITS * VALUES);
    memcpy(keys, numbers, (size_t)n * sizeof(u64));
    for (i64 i = 0; i < n; i++) {
        order[i] = (u32)i;
        for (int digit = 0; digit < DIGITS; digit++)
            starts[digit][keys[i] >> (digit * DIGIT) & (VALUES - 1)]++;
    }
    for (int digit = 0; digit < DIGITS; digit++) {
        i64 *start = starts[digit], sum = 0;
        if (n && start[keys[0] >> (digit * DIGIT) & (VALUES - 1)] == n) continue;
        for (int value = 0; value < VALUES; value++) {
            i64 count = start[value];
            start[value] = sum;
            sum += count;
        }
        for (i64 i = 0; i < n; i++) {
            i64 to = start[keys[i] >> (digit * DIGIT) & (VALUES - 1)]++;
            other_keys[to] = keys[i];
            other[to] = order[i];
        }
        u64 *swap_keys = keys;
        u32 *swap = order;
        keys = other_keys, other_keys = swap_keys;
        order = other, other = swap;
    }
    return order;
}

/* acc-eq (or tau-eq) for every threshold, pair after pair in the order of their sizes: each leaves
   the sum over groups and comes back as a tie. Sums are taken in just this order, so that rounding
   chooses among equally good thresholds as mt-metrics-eval does. best: value, threshold. */
KERNEL(best_threshold)(
    const double *sizes, const u8 *kinds, const i32 *places, i64 pairs, i64 *right, const i64 *total,
    i64 is_tau, double sum, i64 groups, double *best
) {
    OPEN(room);
    const u32 *order = sorted_order(&room, sizes, pairs);
    double size = 0, value = sum / (double)groups;
    best[0] = -INFINITY;
    for (i64 i = 0; i < pairs; i++) {
        u32 pair = order[i];
        i32 group = places[pair];
        double n = (double)total[group], times = is_tau ? 2 : 1, less = is_tau ? n : 0;
        sum -= ((double)right[group] * times - less) / n;
        right[group] += (kinds[pair] >> 1) - (kinds[pair] & 1);
        sum += ((double)right[group] * times - less) / n;
        if (sizes[pair] != size) {
            if (value > best[0]) best[0] = value, best[1] = size;
            size = sizes[pair];
        }
        value = sum / (double)groups;
    }
    if (value > best[0]) best[0] = value, best[1] = size;
    return leave(&room, DONE);
}

enum { BUCKETS = 1 << 17 };

typedef struct {
    double least, greatest; /* of the sizes in it */
    i64 net, gain, pairs;   /* right ones more when all of it is tied; at most, when some is */
    i64 before;             /* right ones when all before it is tied */
    bool open;              /* might hold the best threshold inside */
} Bucket;

typedef struct {
    const double *metric, *human;
    const u8 *drawn;
    i64 n, all;
    double scale;
} Pairs;

/* The pair (i, j), i < j, if it counts: its size, bits as in `tie_pairs`, and bucket. */
static inline bool pair_at(const Pairs *pairs, i64 pair, i64 i, i64 j, double *size, u8 *kind, i64 *at) {
    if (!pairs->all && !pairs->drawn[pair]) return false;
    double a = pairs->metric[i] - pairs->metric[j], b = pairs->human[i] - pairs->human[j];
    u8 tied = b == 0;
    u8 is_right = tied ? a == 0 : ((a > 0) & (b > 0)) | ((a < 0) & (b < 0));
    *size = fabs(a);
    *kind = is_right | (u8)(tied << 1);
    *at = (i64)(*size * pairs->scale);
    return true;
}

/* The best threshold among those inside of open buckets, whose pairs alone are kept and sorted. */
static void look_inside(Room *room, const Pairs *pairs, const Bucket *buckets, i64 kept, i64 *best, double *threshold) {
    double *sizes = NEW(room, double, kept), size;
    u8 *kinds = NEW(room, u8, kept), kind;
    i32 *places = NEW(room, i32, kept);
    i64 made = 0, pair = 0, at, right = 0;
    for (i64 i = 0; i < pairs->n; i++)
        for (i64 j = i + 1; j < pairs->n; j++, pair++)
            if (pair_at(pairs, pair, i, j, &size, &kind, &at) && buckets[at].open)
                sizes[made] = size, kinds[made] = kind, places[made++] = (i32)at;
    const u32 *order = sorted_order(room, sizes, made);
    for (i64 i = 0; i < made; i++) {
        u32 now = order[i];
        if (i == 0 || places[now] != places[order[i - 1]]) right = buckets[places[now]].before;
        right += (kinds[now] >> 1) - (kinds[now] & 1);
        bool last = i + 1 == made || sizes[order[i + 1]] != sizes[now];
        if (last && (right > *best || (right == *best && sizes[now] < *threshold)))
            *best = right, *threshold = sizes[now];
    }
}

/* `best_threshold` for one group of many pairs, which are never all in memory: they are counted in
   buckets by size first. best: right pairs, pairs; threshold: (1,). */
KERNEL(threshold_of_many)(
    const double *metric, const double *human, i64 n, const u8 *drawn, i64 all, i64 *best,
    double *threshold
) {
    OPEN(room);
    Bucket *buckets = ZEROS(&room, Bucket, BUCKETS);
    double low = INFINITY, high = -INFINITY, size;
    for (i64 i = 0; i < n; i++) low = fmin(low, metric[i]), high = fmax(high, metric[i]);
    Pairs pairs = {metric, human, drawn, n, all, high > low ? (BUCKETS - 2) / (high - low) : 0};
    i64 right = 0, total = 0, kept = 0, pair = 0, at;
    u8 kind;
    for (i64 i = 0; i < n; i++) {
        for (i64 j = i + 1; j < n; j++, pair++) {
            if (!pair_at(&pairs, pair, i, j, &size, &kind, &at)) continue;
            Bucket *bucket = &buckets[at];
            if (bucket->pairs++ == 0) bucket->least = bucket->greatest = size;
            bucket->least = fmin(bucket->least, size);
            bucket->greatest = fmax(bucket->greatest, size);
            bucket->net += (kind >> 1) - (kind & 1);
            bucket->gain += kind == 2;
            right += kind & 1;
            total++;
        }
    }
    best[0] = right;
    best[1] = total;
    threshold[0] = 0;
    i64 sum = right;
    for (Bucket *bucket = buckets; bucket < buckets + BUCKETS; bucket++) {
        bucket->before = sum;
        sum += bucket->net;
        if (bucket->pairs && sum > best[0]) best[0] = sum, threshold[0] = bucket->greatest;
    }
    for (Bucket *bucket = buckets; bucket < buckets + BUCKETS; bucket++) {
        bucket->open = bucket->pairs && bucket->least < bucket->greatest &&
                       bucket->before + bucket->gain >= best[0];
        if (bucket->open) kept += bucket->pairs;
    }
    if (kept) look_inside(&room, &pairs, buckets, kept, best, threshold);
    return leave(&room, DONE);
}
