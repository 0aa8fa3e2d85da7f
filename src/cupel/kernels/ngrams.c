/* Counting n-grams that a hypothesis shares with its references.

   Only n-grams of the hypothesis have classes (ngram_counts.h). One whose (n-1)-grams found no partner
   is dropped for all higher orders: an n-gram can only match where both of its (n-1)-grams did. So
   hypothesis and references are lists of n-grams that still have a partner, and the cost is that of
   all words and of the matches of each order. */

#include "ngram_counts.h"
#include "trie.h"

/* What is summed up for an n-gram of weight w that the hypothesis has h times and a reference at
   most r times: w min(h, r), min(wh, wr) wr, or wh wr. */
enum { CLIPPED, CLIPPED_PRODUCT, PRODUCT };

/* A sentence: the class of each word, -1 for one that the hypothesis does not have, and the n-grams
   of one order that may have a partner: where they start, and their classes. */
typedef struct {
    i32 *words, *at, *class;
    i64 count;
} Grams;

/* The n-grams of one item and order, by class. */
typedef struct {
    Classes classes;
    i64 longest;
    Grams hypothesis, *references;
    i32 *in_hypothesis, *in_reference;  /* how often each class occurs */
    i32 *clip;                          /* the most times that any one reference has it */
    i32 *example;                       /* where in the hypothesis it occurs, one of the places */
    i32 *parent;                        /* the class of its first n-1 words, of order n-1 */
    i32 *number, *parents_number;       /* in a table of n-grams, and those of order n-1 */
} Counter;

typedef struct {
    const i32 *ids;
    const i64 *offsets, *hypotheses, *references, *reference_offsets;
    i64 items;
} Texts;

static inline i64 size_of(const Texts *t, i64 row) { return t->offsets[row + 1] - t->offsets[row]; }

static Grams grams_for(Room *room, i64 words) {
    return (Grams){NEW(room, i32, words), NEW(room, i32, words), NEW(room, i32, words), 0};
}

static Counter counter_for(Room *room, const Texts *t, i64 total) {
    i64 longest = 1, widest = 1, most_references = 1;
    for (i64 item = 0; item < t->items; item++) {
        i64 words = 0, start = t->reference_offsets[item], end = t->reference_offsets[item + 1];
        longest = most(longest, size_of(t, t->hypotheses[item]));
        for (i64 r = start; r < end; r++) words += size_of(t, t->references[r]) + 1;
        widest = most(widest, words);
        most_references = most(most_references, end - start);
    }
    Counter c = {
        .classes = classes_for(room, t->ids, total, longest),
        .longest = longest,
        .hypothesis = grams_for(room, longest + 1),
        .references = NEW(room, Grams, most_references),
        .in_hypothesis = NEW(room, i32, longest + 1),
        .in_reference = ZEROS(room, i32, longest + 1),
        .clip = NEW(room, i32, longest + 1),
        .example = ZEROS(room, i32, longest + 1),
        .parent = ZEROS(room, i32, longest + 1),
        .number = NEW(room, i32, longest + 1),
        .parents_number = NEW(room, i32, longest + 1),
    };
    c.references[0] = grams_for(room, widest);
    return c;
}

/* Take over how often one reference has each class. */
static inline void clip_by(Counter *c) {
    i32 classes = c->classes.classes;
    for (i32 k = 0; k < classes; k++) {
        c->clip[k] = c->clip[k] < c->in_reference[k] ? c->in_reference[k] : c->clip[k];
        c->in_reference[k] = 0;
    }
}

static inline void begin_order(Counter *c) {
    next_classes(&c->classes, c->longest, c->hypothesis.count);
    memset(c->in_hypothesis, 0, (size_t)(c->hypothesis.count + 1) * sizeof(i32));
    memset(c->clip, 0, (size_t)(c->hypothesis.count + 1) * sizeof(i32));
}

/* The words of an item: all of the hypothesis, and those of the references that it has too. */
static void count_words(Counter *c, const Texts *t, i64 item) {
    Grams *own = &c->hypothesis, *other = c->references;
    const i32 *ids = t->ids + t->offsets[t->hypotheses[item]];
    own->count = size_of(t, t->hypotheses[item]);
    begin_order(c);
    i32 base = c->classes.base, classes = 0, *places = c->classes.words;
    for (i64 i = 0; i < own->count; i++) {
        i32 class = places[ids[i]] - base;
        bool is_new = class < 0;
        class = is_new ? classes : class;
        classes += is_new;
        places[ids[i]] = base + class;
        c->in_hypothesis[class]++;
        c->example[class] = (i32)i;
        own->words[i] = own->class[i] = class;
        own->at[i] = (i32)i;
    }
    own->words[own->count] = 0;
    c->classes.classes = classes;
    for (i64 r = t->reference_offsets[item]; r < t->reference_offsets[item + 1]; r++, other++) {
        i64 row = t->references[r], length = size_of(t, row), count = 0;
        ids = t->ids + t->offsets[row];
        for (i64 j = 0; j < length; j++) {
            i32 class = places[ids[j]] - base;
            bool is_there = class >= 0;
            other->at[count] = (i32)j;
            other->class[count] = class;
            count += is_there;
            class = is_there ? class : 0;
            other->words[j] = class;  /* of no use where it is not there */
            c->in_reference[class] += is_there;
        }
        other->words[length] = 0;
        other->count = count;
        clip_by(c);
        if (r + 1 < t->reference_offsets[item + 1]) {
            i64 room = length + 1;
            other[1] = (Grams){other->words + room, other->at + room, other->class + room, 0};
        }
    }
    c->classes.width = most(classes, 1);
    c->classes.is_square = own->count * c->classes.width <= WIDEST_SQUARE;
}

/* From the n-grams of order n - 1 to those of order n; references: how many there are. What the loops
   do depends on the words by the values that they write, not by branches, which a processor could not
   guess: where two (n-1)-grams do not stand next to each other, what is written is of no use, and the
   next one takes its place. */
static void count_ngrams(Counter *c, i64 n, i64 references) {
    Grams *own = &c->hypothesis;
    i64 count = 0, width = c->classes.width;
    begin_order(c);
    i32 base = c->classes.base, classes = 0, *square = c->classes.square;
    for (i64 k = 0; k + 1 < own->count; k++) {
        i32 at = own->at[k], parent = own->class[k];
        bool follows = own->at[k + 1] == at + 1;
        i32 *place = square + parent * width + own->words[at + n - 1];
        i32 class = *place - base;
        bool is_new = class < 0;
        class = is_new ? classes : class;
        *place = follows ? base + class : *place;
        classes += is_new & follows;
        c->in_hypothesis[class] += follows;
        c->example[class] = follows ? at : c->example[class];
        c->parent[class] = follows ? parent : c->parent[class];
        own->at[count] = at;
        own->class[count] = class;
        count += follows;
    }
    own->count = count;
    c->classes.classes = classes;
    for (Grams *other = c->references; other < c->references + references; other++) {
        count = 0;
        for (i64 k = 0; k + 1 < other->count; k++) {
            i32 at = other->at[k], parent = other->class[k];
            i32 class = square[parent * width + other->words[at + n - 1]] - base;
            bool is_there = other->at[k + 1] == at + 1 && class >= 0;
            other->at[count] = at;
            other->class[count] = class;
            count += is_there;
            c->in_reference[is_there ? class : 0] += is_there;
        }
        other->count = count;
        clip_by(c);
    }
}

/* The same for a hypothesis too long for a square. */
static void count_long_ngrams(Counter *c, i64 n, i64 references) {
    Grams *own = &c->hypothesis;
    i64 count = 0;
    begin_order(c);
    for (i64 k = 0; k + 1 < own->count; k++) {
        i32 at = own->at[k], parent = own->class[k];
        if (own->at[k + 1] != at + 1) continue;
        bool is_new;
        i32 *place = place_of(&c->classes, parent, own->words[at + n - 1]);
        i32 class = class_at(&c->classes, place, &is_new);
        c->in_hypothesis[class]++;
        c->example[class] = at;
        c->parent[class] = parent;
        own->at[count] = at;
        own->class[count++] = class;
    }
    own->count = count;
    for (Grams *other = c->references; other < c->references + references; other++) {
        count = 0;
        for (i64 k = 0; k + 1 < other->count; k++) {
            i32 at = other->at[k];
            if (other->at[k + 1] != at + 1) continue;
            i32 class = *place_of(&c->classes, other->class[k], other->words[at + n - 1]);
            class -= c->classes.base;
            if (class < 0) continue;
            c->in_reference[class]++;
            other->at[count] = at;
            other->class[count++] = class;
        }
        other->count = count;
        clip_by(c);
    }
}

/* The n-grams of an item of order n, after those of order n - 1. */
static void count_order(Counter *c, const Texts *t, i64 item, i64 n) {
    i64 references = t->reference_offsets[item + 1] - t->reference_offsets[item];
    if (n == 1) count_words(c, t, item);
    else if (c->classes.is_square) count_ngrams(c, n, references);
    else count_long_ngrams(c, n, references);
}

/* Leave out what has no partner in any reference. */
static void keep_partners(Counter *c) {
    Grams *own = &c->hypothesis;
    i64 count = 0;
    for (i64 k = 0; k < own->count; k++) {
        own->at[count] = own->at[k];
        own->class[count] = own->class[k];
        count += c->clip[own->class[k]] > 0;
    }
    own->count = count;
}

static inline double term(double ours, double theirs, double weight, i64 summed) {
    double a = ours * weight, b = theirs * weight;
    if (summed == CLIPPED) return (ours < theirs ? ours : theirs) * weight;
    return summed == CLIPPED_PRODUCT && b < a ? b * b : a * b;
}

/* weights: of the n-grams of this order that start at each word, `orders` apart. */
static double sum_weights(const Counter *c, const double *weights, i64 orders, i64 summed) {
    double sum = 0;
    for (i64 k = 0; k < c->classes.classes; k++)
        if (c->clip[k] > 0)
            sum += term(c->in_hypothesis[k], c->clip[k], weights[c->example[k] * orders], summed);
    return sum;
}

static inline i64 count_matched(const Counter *c) {
    i32 matched = 0;
    for (i32 k = 0; k < c->classes.classes; k++)
        matched += c->in_hypothesis[k] < c->clip[k] ? c->in_hypothesis[k] : c->clip[k];
    return matched;
}

/* See `cupel.kernels.ngrams.clipped_matches`; counts, sums: (items, orders), zeros. */
KERNEL(clipped_matches)(
    const i32 *ids, const i64 *offsets, i64 sentences, const i64 *hypotheses, const i64 *references,
    const i64 *reference_offsets, i64 items, i64 orders, const double *weights, i64 weighted,
    i64 summed, i64 *counts, double *sums
) {
    OPEN(room);
    Texts t = {ids, offsets, hypotheses, references, reference_offsets, items};
    Counter c = counter_for(&room, &t, offsets[sentences]);
    for (i64 item = 0; item < items; item++) {
        i64 start = offsets[hypotheses[item]], length = size_of(&t, hypotheses[item]);
        for (i64 n = 1; n <= least(orders, length); n++) {
            count_order(&c, &t, item, n);
            i64 matched = count_matched(&c), place = item * orders + n - 1;
            if (matched == 0) break;
            counts[place] = matched;
            if (weighted) sums[place] = sum_weights(&c, weights + start * orders + n - 1, orders, summed);
            keep_partners(&c);
        }
    }
    return leave(&room, DONE);
}

/* Information of the matched n-grams of one order; numbers: of the words of the vocabulary in the
   table, -1 for those that it does not have. */
static double sum_information(
    Counter *c, const Level *level, i64 n, const i32 *ids, const i32 *numbers
) {
    double sum = 0;
    i32 *swapped = c->parents_number;
    c->parents_number = c->number;
    c->number = swapped;
    for (i64 k = 0; k < c->classes.classes; k++) {
        if (c->clip[k] == 0) continue;
        i32 word = numbers[ids[c->example[k] + n - 1]], number = word;
        if (n > 1) {
            number = c->parents_number[c->parent[k]];
            if (number >= 0) number = word < 0 ? -1 : continuation(level, number, word);
        }
        double information = number < 0 ? 0 : level->values[number];
        c->number[k] = number;
        sum += term(c->in_hypothesis[k], c->clip[k], information, CLIPPED);
    }
    return sum;
}

/* See `cupel.kernels.ngrams.information_matches`; addresses: see trie.h; sums: (items, orders), zeros. */
KERNEL(information_matches)(
    const i32 *ids, const i64 *offsets, i64 sentences, const i64 *hypotheses, const i64 *references,
    const i64 *reference_offsets, i64 items, i64 orders, const i32 *numbers, const u64 *addresses,
    double *sums
) {
    OPEN(room);
    Texts t = {ids, offsets, hypotheses, references, reference_offsets, items};
    Counter c = counter_for(&room, &t, offsets[sentences]);
    for (i64 item = 0; item < items; item++) {
        i64 start = offsets[hypotheses[item]], length = size_of(&t, hypotheses[item]);
        for (i64 n = 1; n <= least(orders, length); n++) {
            Level level = level_at(addresses, n - 1);
            count_order(&c, &t, item, n);
            if (count_matched(&c) == 0) break;
            sums[item * orders + n - 1] = sum_information(&c, &level, n, ids + start, numbers);
            keep_partners(&c);
        }
    }
    return leave(&room, DONE);
}
