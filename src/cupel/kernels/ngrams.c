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
    Table table = table_for(&room, longest);
    i32 *hypothesis_class = ZEROS(&room, i32, longest + 1);
    i32 *reference_class = ZEROS(&room, i32, widest + 1);
    i32 *in_hypothesis = ZEROS(&room, i32, longest);
    i32 *in_reference = ZEROS(&room, i32, longest);
    i32 *clip = ZEROS(&room, i32, longest);  /* the most times that any one reference has it */
    i64 *first = ZEROS(&room, i64, longest);

    for (i64 item = 0; item < items; item++) {
        i64 start = offsets[hypotheses[item]];
        i64 length = offsets[hypotheses[item] + 1] - start;
        for (i64 n = 1; n <= least(orders, length); n++) {
            table.epoch++;
            i64 classes = 0;
            for (i64 i = 0; i <= length - n; i++) {
                i64 key = ids[start + i + n - 1];
                if (n > 1) {
                    /* The class at i + 1 is still that of order n - 1: we go from left to right. */
                    if (hypothesis_class[i] < 0 || hypothesis_class[i + 1] < 0) {
                        hypothesis_class[i] = -1;
                        continue;
                    }
                    key |= (i64)hypothesis_class[i] << 32;
                }
                bool is_new;
                i32 class = class_of(&table, key, &classes, &is_new);
                if (is_new) {
                    in_hypothesis[class] = 0;
                    clip[class] = 0;
                    in_reference[class] = 0;
                    first[class] = start + i;
                }
                hypothesis_class[i] = class;
                in_hypothesis[class]++;
            }
            if (classes == 0) break;

            i32 *theirs = reference_class;
            for (i64 r = reference_offsets[item]; r < reference_offsets[item + 1]; r++) {
                i64 reference_start = offsets[references[r]];
                i64 reference_length = offsets[references[r] + 1] - reference_start;
                for (i64 i = 0; i <= reference_length - n; i++) {
                    i64 key = ids[reference_start + i + n - 1];
                    if (n > 1) {
                        if (theirs[i] < 0 || theirs[i + 1] < 0) {
                            theirs[i] = -1;
                            continue;
                        }
                        key |= (i64)theirs[i] << 32;
                    }
                    i64 slot = probe(&table, key);
                    if (table.epochs[slot] == table.epoch) {
                        theirs[i] = table.class[slot];
                        in_reference[theirs[i]]++;
                    } else {
                        theirs[i] = -1;
                    }
                }
                for (i64 c = 0; c < classes; c++) {
                    if (clip[c] < in_reference[c]) clip[c] = in_reference[c];
                    in_reference[c] = 0;
                }
                theirs += reference_length;
            }

            i64 matched = 0;
            double *sum = &sums[item * orders + n - 1];
            for (i64 c = 0; c < classes; c++) {
                i64 clipped = least(in_hypothesis[c], clip[c]);
                matched += clipped;
                if (!weighted || clipped == 0) continue;
                double weight = weights[first[c] * orders + n - 1];
                double reference_weight = clip[c] * weight;
                double own_weight = in_hypothesis[c] * weight;
                if (summed == CLIPPED)
                    *sum += (double)clipped * weight;
                else if (summed == CLIPPED_PRODUCT && reference_weight < own_weight)
                    *sum += reference_weight * reference_weight;
                else
                    *sum += own_weight * reference_weight;
            }
            counts[item * orders + n - 1] = matched;
            if (matched == 0) break;
            for (i64 i = 0; i <= length - n; i++)
                if (hypothesis_class[i] >= 0 && clip[hypothesis_class[i]] == 0)
                    hypothesis_class[i] = -1;
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
