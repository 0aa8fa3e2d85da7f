/* Weights of the n-grams of texts, from a table of n-grams (trie.h), and the lengths of their vectors. */

#include "ngram_counts.h"
#include "trie.h"

/* The n-grams of one order whose value is another than `other`, or that have continuations in a table:
   what is looked for among many, without a branch that depends on whether it is there. */
typedef struct {
    u64 *keys;     /* FREE where there is none */
    i32 *numbers;  /* behind the last is that of what is not there, -1 */
    i64 size;      /* a power of 2 */
    int shift;
    const double *values;
} Finder;

#define FREE (~(u64)0)

static inline u64 finder_key(i32 parent, i32 word) { return (u64)(u32)parent << 32 | (u32)word; }

static inline u64 finder_slot(const Finder *f, u64 key) {
    return key * 0x9E3779B97F4A7C15u >> f->shift;
}

/* next: the continuations of these n-grams, or NULL; all: how many these are. */
static Finder finder_for(Room *room, const Level *level, i64 all, const i32 *next, double other) {
    i32 *chosen = NEW(room, i32, all + 1);
    i64 count = 0;
    for (i64 k = 0; k < all; k++) {
        chosen[count] = (i32)k;
        count += (level->values[k] != other) | (next != NULL && next[k] >= 0);
    }
    Finder f = {.size = 16, .shift = 60, .values = level->values};
    for (; f.size < 4 * count; f.size *= 2) f.shift--;
    f.keys = NEW(room, u64, f.size);
    f.numbers = NEW(room, i32, f.size + 1);
    memset(f.keys, -1, (size_t)f.size * sizeof(u64));
    f.numbers[f.size] = -1;
    for (i64 k = 0; k < count; k++) {
        i32 number = chosen[k];
        u64 key = finder_key(level->parents[number], level->lasts[number]);
        u64 slot = finder_slot(&f, key);
        while (f.keys[slot] != FREE) slot = (slot + 1) & (u64)(f.size - 1);
        f.keys[slot] = key;
        f.numbers[slot] = number;
    }
    return f;
}

/* All bits where a number is not 0, else none: by arithmetic, of which a compiler makes no branch. */
static inline u64 if_not_0(u64 number) { return 0 - ((number | (0 - number)) >> 63); }

/* The number of an n-gram, or -1; most stand in the first two slots, or nowhere. */
static inline i32 find_number(const Finder *f, u64 key) {
    u64 size = (u64)f->size, first = finder_slot(f, key), second = (first + 1) & (size - 1);
    u64 in_first = f->keys[first], in_second = f->keys[second];
    u64 not_first = if_not_0(in_first ^ key), not_second = if_not_0(in_second ^ key);
    u64 slot = (first & ~not_first) | (not_first & ((second & ~not_second) | (not_second & size)));
    if (not_first & not_second & if_not_0(~in_first) & if_not_0(~in_second)) {
        do second = (second + 1) & (size - 1);
        while (f->keys[second] != key && f->keys[second] != FREE);
        if (f->keys[second] == key) slot = second;
    }
    return f->numbers[slot];
}

/* How often the n-grams of a sentence occur, by place: 1, but for those in a list. */
typedef struct {
    i32 *at, *words, *class, *count;  /* at: where n-grams of one order start that may occur again */
    double *times;                    /* (longest, orders): how often where one is the first, else 0 */
} Repeated;

/* Fill `times` for the n-grams in the list, and keep those that occur several times; returns how many. */
static i64 keep_repeated(Repeated *r, i64 listed, double *times, i64 orders) {
    i64 kept = 0;
    for (i64 k = 0; k < listed; k++) {
        i32 at = r->at[k], class = r->class[k], count = r->count[class];
        times[at * orders] = count;
        r->count[class] = 0;  /* for the others of its class */
        r->at[kept] = at;
        r->class[kept] = class;
        kept += count != 1;
    }
    return kept;
}

static i64 repeated_words(Repeated *r, Classes *c, const i32 *ids, i64 length, i64 orders) {
    i32 base = c->base, classes = 0;
    for (i64 i = 0; i < length; i++) {
        i32 class = c->words[ids[i]] - base;
        class = class < 0 ? classes : class;
        classes += class == classes;
        c->words[ids[i]] = base + class;
        r->count[class]++;
        r->words[i] = r->class[i] = class;
        r->at[i] = (i32)i;
    }
    c->classes = classes;
    c->width = classes;
    c->is_square = length * c->width <= WIDEST_SQUARE;
    return keep_repeated(r, length, r->times, orders);
}

static i64 repeated_ngrams(Repeated *r, Classes *c, i64 n, i64 listed, i64 orders) {
    i64 kept = 0;
    for (i64 k = 0; k + 1 < listed; k++) {
        i32 at = r->at[k];
        if (r->at[k + 1] != at + 1) continue;
        bool is_new;
        i32 class = class_at(c, place_of(c, r->class[k], r->words[at + n - 1]), &is_new);
        r->count[class]++;
        r->at[kept] = at;
        r->class[kept++] = class;
    }
    return keep_repeated(r, kept, r->times + n - 1, orders);
}

/* Sums of all orders grow side by side, each in order of first appearance. */
static inline void add_squares(
    const double *times, const double *weights, i64 length, i64 orders, double *sums
) {
    i64 i = 0;
    for (; i <= length - orders; i++, times += orders, weights += orders)
        for (i64 n = 0; n < orders; n++) sums[n] += (times[n] * weights[n]) * (times[n] * weights[n]);
    for (; i < length; i++, times += orders, weights += orders)
        for (i64 n = 0; n < length - i; n++)
            sums[n] += (times[n] * weights[n]) * (times[n] * weights[n]);
}

/* Squared length of a sentence's vector of weighted counts, by order. An n-gram with an (n-1)-gram that
   occurs once occurs once: only the others are looked at. */
static void square(
    Repeated *r, Classes *c, i64 longest, const i32 *ids, i64 length, i64 orders,
    const double *weights, double *squares
) {
    for (i64 k = 0; k < length * orders; k++) r->times[k] = 1;
    next_classes(c, longest, length);
    i64 listed = repeated_words(r, c, ids, length, orders);
    for (i64 n = 2; n <= orders && listed > 1; n++) {
        next_classes(c, longest, length);
        listed = repeated_ngrams(r, c, n, listed, orders);
    }
    if (orders == 4) {  /* the same: sums that stay in registers */
        double sums[4] = {0, 0, 0, 0};
        add_squares(r->times, weights, length, 4, sums);
        memcpy(squares, sums, sizeof(sums));
    } else {
        add_squares(r->times, weights, length, orders, squares);
    }
}

/* The texts' side of a table: what finds n-grams of each order, and a sentence's n-grams that it has. */
typedef struct {
    const i32 *numbers;
    const double *values;  /* of words */
    Finder *finders;
    double other;
    i32 *words;            /* of a sentence, with -1 behind it */
    i32 *at, *number;      /* where n-grams of one order start that the table has */
} Weigher;

static inline void weigh(
    const Weigher *w, const i32 *ids, i64 length, i64 orders, double *weights
) {
    i64 count = 0;
    for (i64 i = 0; i < length; i++) {
        i32 word = w->numbers[ids[i]];
        weights[i * orders] = word < 0 ? w->other : w->values[word];
        for (i64 n = 1; n < orders; n++) weights[i * orders + n] = w->other;
        w->words[i] = w->number[count] = word;
        w->at[count] = (i32)i;
        count += word >= 0;
    }
    w->words[length] = -1;
    for (i64 n = 1; n < orders && count > 0; n++) {
        const Finder *finder = w->finders + n;
        i64 kept = 0;
        for (i64 k = 0; k < count; k++) {
            i32 at = w->at[k];
            i32 number = find_number(finder, finder_key(w->number[k], w->words[at + n]));
            w->at[kept] = at;
            w->number[kept] = number;
            kept += number >= 0;
        }
        count = kept;
        for (i64 k = 0; k < count; k++)
            weights[w->at[k] * orders + n] = finder->values[w->number[k]];
    }
}

/* See `cupel.kernels.tries.ngram_weights`. addresses: see `level_at`; sizes: how many n-grams of each order
   there are; weights: of the first `weighted` sentences. */
KERNEL(ngram_weights)(
    const i32 *ids, const i64 *offsets, i64 sentences, i64 weighted, i64 orders, const i32 *numbers,
    const u64 *addresses, const i64 *sizes, double other, double *weights, double *squares
) {
    OPEN(room);
    i64 longest = most(1, longest_of(offsets, sentences));
    Classes c = classes_for(&room, ids, offsets[sentences], longest);
    Repeated r = {
        NEW(&room, i32, longest + 1), NEW(&room, i32, longest + 1), NEW(&room, i32, longest + 1),
        ZEROS(&room, i32, longest + 1), NEW(&room, double, longest * orders)
    };
    Weigher w = {
        numbers, level_at(addresses, 0).values, NEW(&room, Finder, orders), other,
        NEW(&room, i32, longest + 1), NEW(&room, i32, longest + 1), NEW(&room, i32, longest + 1)
    };
    for (i64 n = 1; n < orders; n++) {
        Level level = level_at(addresses, n);
        const i32 *next = n + 1 < orders ? level_at(addresses, n + 1).children : NULL;
        w.finders[n] = finder_for(&room, &level, sizes[n], next, other);
    }
    double *spare = NEW(&room, double, longest * orders);
    for (i64 s = 0; s < sentences; s++) {
        const i32 *own = ids + offsets[s];
        i64 length = offsets[s + 1] - offsets[s];
        double *of_own = s < weighted ? weights + offsets[s] * orders : spare;
        if (orders == 4) weigh(&w, own, length, 4, of_own);  /* a number that the compiler knows */
        else weigh(&w, own, length, orders, of_own);
        square(&r, &c, longest, own, length, orders, of_own, squares + s * orders);
    }
    return leave(&room, DONE);
}
