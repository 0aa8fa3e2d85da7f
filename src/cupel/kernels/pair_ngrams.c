/* N-grams that every sentence of a list shares with every other: all pairs at once.

   The k-th occurrence of an n-gram in its sentence is a *feature*, so that min(a, b) matches of an
   n-gram are a and b in unary, and the matches of two sentences are the features that both have.
   Features of many sentences are bits, 64 of them compared by one instruction; the others are
   listed with the sentences that have them, as in a search engine. Both take memory linear in the
   text: a feature is made a bit where at least a fixed share of the sentences have it. */

#include "room.h"

#if defined(__x86_64__) && !defined(__POPCNT__)
#include <cpuid.h>
#define POPCOUNT_TARGET __attribute__((target("popcnt")))
#else
#define POPCOUNT_TARGET
#endif

enum { UNUSED = INT32_MIN };
enum { MAX_ORDERS = 16 };

/* An open-addressing table from (class of the first n-1 tokens, last token) to the class of both. */
typedef struct {
    i64 *key;
    i32 *class;
    i64 mask, size;
    int shift;
} Classes;

static Classes classes_for(Room *room, i64 most_keys) {
    int bits = 4;
    while (((i64)1 << bits) < 2 * most_keys) bits++;
    i64 size = (i64)1 << bits;
    return (Classes){
        .key = NEW(room, i64, size), .class = NEW(room, i32, size),
        .mask = size - 1, .size = size, .shift = 64 - bits,
    };
}

static inline i32 class_of(Classes *table, i64 key, i32 *classes) {
    i64 slot = (i64)(((u64)key * 0x9E3779B97F4A7C15u) >> table->shift);
    while (table->key[slot] != key) {
        if (table->key[slot] < 0) {
            table->key[slot] = key;
            table->class[slot] = (*classes)++;
            break;
        }
        slot = (slot + 1) & table->mask;
    }
    return table->class[slot];
}

/* Features of one order, numbered from *made on; classes: those of order n - 1 at each token, and
   then of order n. first, current, stamp: by class; next: by feature, the one for one time more. */
static void number_features(
    const i64 *offsets, i64 sentences, i64 n, const i32 *classes, i64 all_orders, i64 order,
    const i64 *starts, i32 *entries, i32 *sentence_counts, i32 *current, i32 *stamp, i32 *first,
    i32 *next, i64 *made
) {
    for (i64 s = 0; s < sentences; s++) {
        i64 start = offsets[s], length = offsets[s + 1] - start;
        i32 *out = entries + starts[s * all_orders + order];
        for (i64 i = 0; i <= length - n; i++) {
            i32 class = classes[start + i];
            i32 *link = stamp[class] == (i32)s ? &next[current[class]] : &first[class];
            if (*link < 0) {
                next[*made] = -1;
                *link = (i32)(*made)++;
            }
            stamp[class] = (i32)s;
            current[class] = *link;
            sentence_counts[*link]++;
            out[i] = *link;
        }
    }
}

/* See `cupel.kernels.pair_ngrams`. unary: features, else classes of n-grams. entries of sentence s
   and order o begin at starts[s * all_orders + first_order + o]; counts: by feature, how many
   sentences have it (zeros before); bounds[first_order + o + 1]: features made after order o. */
KERNEL(number_ngrams)(
    const i32 *ids, const i64 *offsets, i64 sentences, i64 orders, i64 first_order, i64 all_orders,
    i64 unary, const i64 *starts, i32 *entries, i32 *counts, i64 *bounds
) {
    OPEN(room);
    i64 tokens = offsets[sentences], made = bounds[first_order], capacity = starts[sentences * all_orders];
    Classes table = classes_for(&room, most(tokens, 1));
    i32 *classes = NEW(&room, i32, tokens), *current = NEW(&room, i32, tokens);
    i32 *stamp = NEW(&room, i32, tokens), *first = NEW(&room, i32, tokens);
    i32 *next = NEW(&room, i32, unary ? capacity : 0);
    for (i64 n = 1; n <= orders; n++) {
        i32 distinct = 0;
        memset(table.key, -1, (size_t)table.size * sizeof(i64));
        for (i64 s = 0; s < sentences; s++) {
            for (i64 i = offsets[s]; i + n <= offsets[s + 1]; i++) {
                i64 key = n == 1 ? ids[i] : (i64)classes[i] << 32 | (u32)ids[i + n - 1];
                classes[i] = class_of(&table, key, &distinct);
            }
        }
        i64 order = first_order + n - 1;
        if (unary) {
            memset(stamp, -1, (size_t)distinct * sizeof(i32));
            memset(first, -1, (size_t)distinct * sizeof(i32));
            number_features(offsets, sentences, n, classes, all_orders, order, starts, entries,
                            counts, current, stamp, first, next, &made);
        } else {
            for (i64 s = 0; s < sentences; s++) {
                i32 *out = entries + starts[s * all_orders + order];
                for (i64 i = offsets[s]; i + n <= offsets[s + 1]; i++)
                    *out++ = (i32)made + classes[i];
            }
            made += distinct;
        }
        bounds[order + 1] = made;
    }
    return leave(&room, DONE);
}

/* Where each feature goes: a bit (0 and up) where `threshold` sentences have it, else a list (-1 and
   down), or UNUSED where only one sentence has it. words: (orders + 1,) where the bits of an order
   begin, in words of 64; lists[0], lists[1]: how many lists, and how long they are together. */
KERNEL(place_features)(
    const i32 *counts, const i64 *bounds, i64 orders, i64 threshold, i32 *places, i64 *words, i64 *lists
) {
    words[0] = lists[0] = lists[1] = 0;
    for (i64 order = 0; order < orders; order++) {
        i64 bit = 64 * words[order];
        for (i64 f = bounds[order]; f < bounds[order + 1]; f++) {
            if (counts[f] < 2) {
                places[f] = UNUSED;
            } else if (counts[f] >= threshold) {
                places[f] = (i32)bit++;
            } else {
                places[f] = (i32)(-1 - lists[0]++);
                lists[1] += counts[f];
            }
        }
        words[order + 1] = (bit + 63) / 64;
    }
    return DONE;
}

/* bits: (sentences, words), zeros before; list_starts: (lists + 1,), zeros before; listed: the
   columns, of `columns`, that have the feature, in ascending order. */
KERNEL(fill_index)(
    const i64 *starts, const i32 *entries, const i32 *places, i64 sentences, i64 orders,
    const i64 *columns, i64 column_count, i64 words, i64 lists, u64 *bits, i64 *list_starts, i32 *listed
) {
    for (i64 s = 0; s < sentences; s++) {
        u64 *own = bits + s * words;
        for (i64 e = starts[s * orders]; e < starts[(s + 1) * orders]; e++) {
            i32 place = places[entries[e]];
            if (place >= 0) own[place / 64] |= (u64)1 << (place % 64);
        }
    }
    if (!lists) return DONE;
    for (int pass = 0; pass < 2; pass++) {
        for (i64 c = 0; c < column_count; c++) {
            i64 s = columns[c];
            for (i64 e = starts[s * orders]; e < starts[(s + 1) * orders]; e++) {
                i32 place = places[entries[e]];
                if (place >= 0 || place == UNUSED) continue;
                if (pass == 0) list_starts[-place]++;
                else listed[list_starts[-1 - place]++] = (i32)c;
            }
        }
        if (pass == 0)
            for (i64 l = 0; l < lists; l++) list_starts[l + 1] += list_starts[l];
        else
            for (i64 l = lists; l > 0; l--) list_starts[l] = list_starts[l - 1];
    }
    list_starts[0] = 0;
    return DONE;
}

/* What scoring needs of the list of sentences; see the two kernels above. */
typedef struct {
    const i64 *starts, *words, *columns, *list_starts;
    const i32 *entries, *places, *listed;
    const u64 *bits;
    i64 orders;
} Index;

#define COUNT_BITS                                                                         \
    i64 width = x->words[x->orders];                                                       \
    const u64 *own = x->bits + row * width;                                                \
    for (i64 c = low; c < high; c++) {                                                     \
        const u64 *other = x->bits + x->columns[c] * width;                                \
        for (i64 o = 0; o < x->orders; o++) {                                              \
            i64 count = 0;                                                                 \
            for (i64 w = x->words[o]; w < x->words[o + 1]; w++)                            \
                count += __builtin_popcountll(own[w] & other[w]);                          \
            matches[(c - low) * x->orders + o] += (i32)count;                              \
        }                                                                                  \
    }

static void count_bits(const Index *x, i64 row, i64 low, i64 high, i32 *matches) { COUNT_BITS }

POPCOUNT_TARGET
static void count_bits_fast(const Index *x, i64 row, i64 low, i64 high, i32 *matches) { COUNT_BITS }

static bool has_popcount(void) {
#if defined(__x86_64__) && !defined(__POPCNT__)
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_POPCNT);
#else
    return true;
#endif
}

/* Matches of a sentence with the columns low to high: (high - low, orders). */
static void count_matches(const Index *x, i64 row, i64 low, i64 high, bool fast, i32 *matches) {
    memset(matches, 0, (size_t)((high - low) * x->orders) * sizeof(i32));
    for (i64 o = 0; o < x->orders; o++) {
        for (i64 e = x->starts[row * x->orders + o]; e < x->starts[row * x->orders + o + 1]; e++) {
            i32 place = x->places[x->entries[e]];
            if (place >= 0 || place == UNUSED) continue;
            i64 first = x->list_starts[-1 - place];
            for (i64 at = x->list_starts[-place] - 1; at >= first && x->listed[at] >= low; at--)
                if (x->listed[at] < high) matches[(x->listed[at] - low) * x->orders + o]++;
        }
    }
    (fast ? count_bits_fast : count_bits)(x, row, low, high, matches);
}

enum { CHRF, CHRF_SMOOTHED, BLEU };
enum { NO_SMOOTHING, EXPONENTIAL, FLOOR, ADD_K };
#define EPSILON 1e-16
#define LOG_OF_ZERO (-9999999999.0)

/* How a score follows from matches; see `cupel.metrics.chrf` and `cupel.metrics.bleu`. */
typedef struct {
    i64 kind, orders, smoothing, effective;
    double factor, value; /* beta squared; the value of the smoothing */
} Formula;

static double chrf(const Formula *f, const i32 *matches, const i64 *own, const i64 *other) {
    double precisions = 0, recalls = 0;
    i64 effective = 0;
    for (i64 o = 0; o < f->orders; o++) {
        if (own[o] <= 0 || other[o] <= 0) continue;
        precisions += (double)matches[o] / (double)own[o];
        recalls += (double)matches[o] / (double)other[o];
        effective++;
    }
    if (!effective) return 0;
    double p = precisions / (double)effective, r = recalls / (double)effective;
    double weight = f->factor * p + r;
    return weight == 0 ? 0 : 100 * ((1 + f->factor) * p * r / weight);
}

static double smoothed_chrf(const Formula *f, const i32 *matches, const i64 *own, const i64 *other) {
    double sum = 0;
    for (i64 o = 0; o < f->orders; o++) {
        bool counted = own[o] > 0 && other[o] > 0;
        double p = counted ? (double)matches[o] / (double)own[o] : EPSILON;
        double r = other[o] > 0 ? (double)matches[o] / (double)other[o] : EPSILON;
        double weight = f->factor * p + r;
        sum += weight == 0 ? EPSILON : (1 + f->factor) * p * r / weight;
    }
    return 100 * sum / (double)f->orders;
}

/* totals: n-grams of the hypothesis by order; the first is its length. */
static double bleu(const Formula *f, const i32 *matches, const i64 *totals, i64 reference) {
    double logs = 0, halvings = 1;
    i64 reached = 0;
    bool any = false;
    for (i64 o = 0; o < f->orders; o++) any |= matches[o] > 0;
    if (!any) return 0;
    for (i64 o = 0; o < f->orders; o++) {
        double added = f->smoothing == ADD_K && o ? f->value : 0;
        double correct = matches[o] + added, total = (double)totals[o] + added, precision = 0;
        if (total <= 0) {
            if (!f->effective) logs += LOG_OF_ZERO * (double)(f->orders - o);
            break;
        }
        reached++;
        if (correct > 0) precision = 100 * correct / total;
        else if (f->smoothing == EXPONENTIAL) precision = 100 / ((halvings *= 2) * total);
        else if (f->smoothing == FLOOR) precision = 100 * f->value / total;
        logs += precision > 0 ? log(precision) : LOG_OF_ZERO;
    }
    double length = (double)totals[0], penalty = 1;
    if (totals[0] < reference) penalty = exp(1 - (double)reference / length);
    return penalty * exp(logs / (double)(f->effective ? most(reached, 1) : f->orders));
}

static inline double utility(const Formula *f, const i32 *matches, const i64 *own, const i64 *other) {
    if (f->kind == BLEU) return bleu(f, matches, own, other[0]);
    return (f->kind == CHRF ? chrf : smoothed_chrf)(f, matches, own, other);
}

/* Utilities of the sentences `rows` with the columns low to high.

   totals: (sentences, orders) n-grams. half: rows and columns are the same sentences in the same
   order; pairs behind the diagonal serve both. sums: (rows,) of weight times utility; back: with
   half, (columns,) those of the later sentence with the earlier one. matrix: (rows, high - low), with
   kept. */
KERNEL(pair_utilities)(
    const i64 *starts, const i32 *entries, const i32 *places, const u64 *bits, const i64 *words,
    const i64 *list_starts, const i32 *listed, const i64 *columns, const i64 *totals, i64 orders,
    const i64 *formula, const double *numbers, const i64 *rows, i64 row_count, i64 low, i64 high,
    i64 half, const double *weights, double *sums, double *back, i64 kept, double *matrix
) {
    OPEN(room);
    Index x = {starts, words, columns, list_starts, entries, places, listed, bits, orders};
    Formula f = {formula[0], orders, formula[1], formula[2], numbers[0], numbers[1]};
    i32 *matches = NEW(&room, i32, (high - low) * orders + orders), same[MAX_ORDERS];
    bool fast = has_popcount();
    for (i64 r = 0; r < row_count; r++) {
        i64 row = rows[r], from = half ? row : low;
        const i64 *own = totals + row * orders;
        count_matches(&x, row, from, high, fast, matches);
        double sum = 0;
        for (i64 c = from; c < high; c++) {
            const i64 *other = totals + columns[c] * orders;
            const i32 *found = matches + (c - from) * orders;
            if (columns[c] == row) {
                for (i64 o = 0; o < orders; o++) same[o] = (i32)own[o];
                found = same;
            }
            double value = utility(&f, found, own, other);
            sum += weights[c] * value;
            if (half && c > row) back[c] += weights[row] * utility(&f, found, other, own);
            if (kept) matrix[r * (high - low) + c - low] = value;
        }
        sums[r] += sum;
    }
    return leave(&room, DONE);
}

/* Matches with one bag of n-grams, that of all references by weight: matches (hypotheses, orders) and
   the bag's size, (orders,). entries: classes of n-grams; room for `classes` of them. */
KERNEL(bag_matches)(
    const i64 *starts, const i32 *entries, i64 orders, i64 classes, const i64 *references,
    i64 reference_count, const double *weights, const i64 *hypotheses, i64 hypothesis_count,
    double *matches, double *sizes
) {
    OPEN(room);
    double *bag = ZEROS(&room, double, classes);
    i32 *counts = ZEROS(&room, i32, classes);
    for (i64 r = 0; r < reference_count; r++) {
        for (i64 o = 0; o < orders; o++) {
            const i64 *span = starts + references[r] * orders + o;
            for (i64 e = span[0]; e < span[1]; e++) bag[entries[e]] += weights[r];
            sizes[o] += weights[r] * (double)(span[1] - span[0]);
        }
    }
    for (i64 h = 0; h < hypothesis_count; h++) {
        for (i64 o = 0; o < orders; o++) {
            const i64 *span = starts + hypotheses[h] * orders + o;
            double sum = 0;
            for (i64 e = span[0]; e < span[1]; e++) counts[entries[e]]++;
            for (i64 e = span[0]; e < span[1]; e++) {
                i32 class = entries[e];
                if (!counts[class]) continue;
                sum += bag[class] < counts[class] ? bag[class] : counts[class];
                counts[class] = 0;
            }
            matches[h * orders + o] = sum;
        }
    }
    return leave(&room, DONE);
}
