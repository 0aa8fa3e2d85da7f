/* Counting n-grams that a hypothesis shares with its references.

   One table per item and order holds the *hypothesis* n-grams only, keyed by the class of their
   first n-1 tokens and their last token, so keys are exact and fit 64 bits whatever the order. A
   position whose (n-1)-gram found no partner is dropped for all higher orders: an n-gram can only
   match where both of its (n-1)-grams did. Cost: about (tokens + matches of each order) probes. */

#include "room.h"

/* What is summed up for an n-gram of weight w that the hypothesis has h times and a reference at
   most r times: w min(h, r), min(wh, wr) wr, or wh wr. */
enum { CLIPPED, CLIPPED_PRODUCT, PRODUCT };

/* An open-addressing table; epochs spare clearing it. */
typedef struct {
    i64 *key;
    i32 *class;
    i64 *epochs;
    i64 epoch, mask;
    int shift;
} Table;

static Table table_for(Room *room, i64 longest) {
    int bits = 1;
    while (((i64)1 << bits) < 2 * longest) bits++;
    i64 size = (i64)1 << bits;
    return (Table){
        .key = ZEROS(room, i64, size),
        .class = ZEROS(room, i32, size),
        .epochs = ZEROS(room, i64, size),
        .mask = size - 1,
        .shift = 64 - bits,
    };
}

/* The slot of `key` in this epoch, or the empty slot where it belongs. */
static inline i64 probe(const Table *table, i64 key) {
    i64 slot = (i64)(((u64)key * 0x9E3779B97F4A7C15u) >> table->shift);
    while (table->epochs[slot] == table->epoch && table->key[slot] != key)
        slot = (slot + 1) & table->mask;
    return slot;
}

/* The class of a key; where it is new, `classes` grows and *is_new says so. */
static inline i32 class_of(Table *table, i64 key, i64 *classes, bool *is_new) {
    i64 slot = probe(table, key);
    *is_new = table->epochs[slot] != table->epoch;
    if (*is_new) {
        table->epochs[slot] = table->epoch;
        table->key[slot] = key;
        table->class[slot] = (i32)(*classes)++;
    }
    return table->class[slot];
}

/* The n-grams of one item and order, by class. */
typedef struct {
    Table table;
    i64 classes;
    i32 *hypothesis_class, *reference_class;  /* of the n-gram that starts here, -1: no partner */
    i32 *in_hypothesis, *in_reference;        /* how often each class occurs */
    i32 *clip;                                /* the most times that any one reference has it */
    i64 *first;                               /* where it occurs first in the hypothesis */
} Counter;

static Counter counter_for(Room *room, i64 longest, i64 widest) {
    return (Counter){
        .table = table_for(room, longest),
        .hypothesis_class = ZEROS(room, i32, longest + 1),
        .reference_class = ZEROS(room, i32, widest + 1),
        .in_hypothesis = ZEROS(room, i32, longest),
        .in_reference = ZEROS(room, i32, longest),
        .clip = ZEROS(room, i32, longest),
        .first = ZEROS(room, i64, longest),
    };
}

/* The key of the n-gram that starts at i, -1 where one of its (n-1)-grams has no partner; `class` is
   still that of order n - 1 at i and behind: we go from left to right. */
static inline i64 key_at(const i32 *ids, const i32 *class, i64 i, i64 n) {
    i64 key = ids[i + n - 1];
    if (n == 1) return key;
    return class[i] < 0 || class[i + 1] < 0 ? -1 : key | (i64)class[i] << 32;
}

static void count_hypothesis(Counter *c, const i32 *ids, i64 start, i64 length, i64 n) {
    c->table.epoch++;
    c->classes = 0;
    for (i64 i = 0; i <= length - n; i++) {
        i64 key = key_at(ids + start, c->hypothesis_class, i, n);
        i32 class = -1;
        if (key >= 0) {
            bool is_new;
            class = class_of(&c->table, key, &c->classes, &is_new);
            if (is_new) {
                c->in_hypothesis[class] = c->in_reference[class] = c->clip[class] = 0;
                c->first[class] = start + i;
            }
            c->in_hypothesis[class]++;
        }
        c->hypothesis_class[i] = class;
    }
}

static void count_reference(Counter *c, const i32 *ids, i64 length, i64 n, i32 *classes) {
    for (i64 i = 0; i <= length - n; i++) {
        i64 key = key_at(ids, classes, i, n);
        classes[i] = -1;
        if (key < 0) continue;
        i64 slot = probe(&c->table, key);
        if (c->table.epochs[slot] == c->table.epoch) {
            classes[i] = c->table.class[slot];
            c->in_reference[classes[i]]++;
        }
    }
    for (i64 k = 0; k < c->classes; k++) {
        if (c->clip[k] < c->in_reference[k]) c->clip[k] = c->in_reference[k];
        c->in_reference[k] = 0;
    }
}

/* weights: of the n-grams of this order, `orders` apart. */
static double sum_weights(const Counter *c, const double *weights, i64 orders, i64 summed) {
    double sum = 0;
    for (i64 k = 0; k < c->classes; k++) {
        if (c->clip[k] == 0) continue;
        double weight = weights[c->first[k] * orders];
        double ours = c->in_hypothesis[k] * weight, theirs = c->clip[k] * weight;
        if (summed == CLIPPED)
            sum += (double)least(c->in_hypothesis[k], c->clip[k]) * weight;
        else if (summed == CLIPPED_PRODUCT && theirs < ours)
            sum += theirs * theirs;
        else
            sum += ours * theirs;
    }
    return sum;
}

/* See `cupel.kernels.ngrams.clipped_matches`; counts, sums: (items, orders), zeros. */
KERNEL(clipped_matches)(
    const i32 *ids, const i64 *offsets, const i64 *hypotheses, const i64 *references,
    const i64 *reference_offsets, i64 items, i64 orders, const double *weights, i64 weighted,
    i64 summed, i64 *counts, double *sums
) {
    OPEN(room);
    i64 longest = 1, widest = 1;
    for (i64 item = 0; item < items; item++) {
        i64 h = hypotheses[item], total = 0;
        longest = most(longest, offsets[h + 1] - offsets[h]);
        for (i64 r = reference_offsets[item]; r < reference_offsets[item + 1]; r++)
            total += offsets[references[r] + 1] - offsets[references[r]];
        widest = most(widest, total);
    }
    Counter c = counter_for(&room, longest, widest);
    for (i64 item = 0; item < items; item++) {
        i64 start = offsets[hypotheses[item]];
        i64 length = offsets[hypotheses[item] + 1] - start;
        for (i64 n = 1; n <= least(orders, length); n++) {
            count_hypothesis(&c, ids, start, length, n);
            i32 *classes = c.reference_class;
            for (i64 r = reference_offsets[item]; r < reference_offsets[item + 1]; r++) {
                i64 at = offsets[references[r]], size = offsets[references[r] + 1] - at;
                count_reference(&c, ids + at, size, n, classes);
                classes += size;
            }
            i64 matched = 0, place = item * orders + n - 1;
            for (i64 k = 0; k < c.classes; k++) matched += least(c.in_hypothesis[k], c.clip[k]);
            if (matched == 0) break;
            counts[place] = matched;
            if (weighted) sums[place] = sum_weights(&c, weights + n - 1, orders, summed);
            for (i64 i = 0; i <= length - n; i++)
                if (c.hypothesis_class[i] >= 0 && c.clip[c.hypothesis_class[i]] == 0)
                    c.hypothesis_class[i] = -1;
        }
    }
    return leave(&room, DONE);
}

KERNEL(squared_lengths)(
    const i32 *ids, const i64 *offsets, i64 sentences, i64 orders, const double *weights,
    double *squares
) {
    OPEN(room);
    i64 longest = most(1, longest_of(offsets, sentences));
    Table table = table_for(&room, longest);
    i32 *class_at = ZEROS(&room, i32, longest);
    i32 *count = ZEROS(&room, i32, longest);
    i64 *first = ZEROS(&room, i64, longest);
    for (i64 s = 0; s < sentences; s++) {
        i64 start = offsets[s], length = offsets[s + 1] - start;
        for (i64 n = 1; n <= least(orders, length); n++) {
            table.epoch++;
            i64 classes = 0;
            for (i64 i = 0; i <= length - n; i++) {
                i64 key = ids[start + i + n - 1];
                if (n > 1) key |= (i64)class_at[i] << 32;
                bool is_new;
                class_at[i] = class_of(&table, key, &classes, &is_new);
                if (is_new) {
                    count[class_at[i]] = 0;
                    first[class_at[i]] = start + i;
                }
                count[class_at[i]]++;
            }
            for (i64 c = 0; c < classes; c++) {
                double value = count[c] * weights[first[c] * orders + n - 1];
                squares[s * orders + n - 1] += value * value;
            }
        }
    }
    return leave(&room, DONE);
}
