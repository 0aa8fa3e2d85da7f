/* How much of a text its references already say: variants replaced, all compressed jointly.

   Compressed lengths are by the Burrows-Wheeler transform and move-to-front. The transform (Burrows
   and Wheeler 1994) puts next to each other the symbols that stand before equal contexts, contexts
   of any length; move-to-front then writes, for each symbol, how many others have been seen since it
   was seen last. Where the text repeats itself that rank is 0. A rank of 0 is taken to be free (runs
   of them cost a real coder next to nothing), a rank k > 0 to cost 1 + log2(k + 1) bits, and a symbol
   seen for the first time NEW_SYMBOL bits. Cost of one text of n symbols: n log n for sorting its
   suffixes, n times the mean rank for the rest.

   How alike two words are spelled is a matter of local alignment of their letters: Smith and
   Waterman's (1981) with Gotoh's (1982) affine gaps. An equal letter scores 5, one of the same group
   3, any other -3; a gap costs 5 and 1 more for each letter after its first. Over 5 times the length
   of the shorter word, that is a number from 0 to 1. Groups, scores and norm are those of
   SmithWatermanGotohWindowedAffine of the SimMetrics library, which BADGER used, though on words
   (badger.c). */

#include "room.h"

#define NEW_SYMBOL 6.0

/* Bits that a difference of lengths is counted in: a coder writes whole bytes, or thereabouts. */
#define UNIT 10.0

/* Symbols that are no letters; letters are numbered from 2. */
enum { SEPARATOR, BLANK };

#define EQUAL 5.0
#define ALIKE 3.0
#define DIFFERENT (-3.0)
#define GAP 5.0
#define LONGER_GAP 1.0

static inline double greater(double a, double b) { return a > b ? a : b; }

/* Room for texts of up to `size` symbols of an alphabet. */
typedef struct {
    i64 *order, *rank, *other, *count, *recent;
    i64 alphabet;
} Coder;

static Coder coder_for(Room *room, i64 longest, i64 alphabet) {
    i64 size = most(longest, alphabet) + 2;
    return (Coder){
        NEW(room, i64, size), NEW(room, i64, size), NEW(room, i64, size), NEW(room, i64, size),
        NEW(room, i64, size), alphabet,
    };
}

/* The starts of the suffixes of a text in order of the suffixes, in `order`.

   Doubling (Manber and Myers 1993): suffixes in order of their first 1, 2, 4, ... symbols, by counting
   sorts; the end of the text comes before every symbol. Symbols are 0..alphabet-1. */
static void sort_suffixes(Coder *coder, const i32 *text, i64 length) {
    i64 *order = coder->order, *rank = coder->rank, *other = coder->other, *count = coder->count;
    i64 classes = 0;
    memset(count, 0, (size_t)(coder->alphabet + 1) * sizeof(i64));
    for (i64 i = 0; i < length; i++) count[text[i] + 1]++;
    for (i64 symbol = 1; symbol <= coder->alphabet; symbol++) count[symbol] += count[symbol - 1];
    for (i64 i = 0; i < length; i++) order[count[text[i]]++] = i;
    for (i64 i = 0; i < length; i++) {
        if (i == 0 || text[order[i]] != text[order[i - 1]]) classes++;
        rank[order[i]] = classes;
    }
    for (i64 step = 1; classes < length; step *= 2) {
        /* Those that end within the step first; the rest as the suffixes a step further on. */
        i64 filled = 0;
        for (i64 i = length - step; i < length; i++) other[filled++] = i;
        for (i64 i = 0; i < length; i++)
            if (order[i] >= step) other[filled++] = order[i] - step;
        memset(count, 0, (size_t)(classes + 1) * sizeof(i64));
        for (i64 i = 0; i < length; i++) count[rank[i]]++;
        for (i64 c = 1; c <= classes; c++) count[c] += count[c - 1];
        for (i64 i = length - 1; i >= 0; i--) order[--count[rank[other[i]]]] = other[i];
        i64 fresh = 0;
        for (i64 i = 0; i < length; i++) {
            i64 here = order[i];
            if (i == 0) {
                fresh = 1;
            } else {
                i64 before = order[i - 1];
                i64 next_here = here + step < length ? rank[here + step] : 0;
                i64 next_before = before + step < length ? rank[before + step] : 0;
                if (rank[here] != rank[before] || next_here != next_before) fresh++;
            }
            other[here] = fresh;
        }
        memcpy(rank, other, (size_t)length * sizeof(i64));
        classes = fresh;
    }
}

/* Bits that a text is taken to need; 0 for an empty one. */
static double bits_of(Coder *coder, const i32 *text, i64 length) {
    if (length == 0) return 0;
    sort_suffixes(coder, text, length);
    i64 *recent = coder->recent, seen = 0;
    double bits = 0;
    for (i64 i = -1; i < length; i++) {
        /* Row -1 is the empty suffix, before which stands the last symbol. */
        i64 start = i < 0 ? length : coder->order[i];
        if (start == 0) continue;
        i64 symbol = text[start - 1], rank = 0;
        while (rank < seen && recent[rank] != symbol) rank++;
        if (rank == seen) {
            seen++;
            bits += NEW_SYMBOL;
        } else if (rank > 0) {
            bits += 1.0 + log2((double)rank + 1.0);
        }
        for (i64 k = rank; k > 0; k--) recent[k] = recent[k - 1];
        recent[0] = symbol;
    }
    return bits;
}

/* The letters of words; letters are alike whose `groups` are equal; masks: of each word, the groups of
   its letters as bits. */
typedef struct {
    const i32 *letters, *groups;
    const i64 *offsets;
    i64 *masks;
    double *scores, *gaps;  /* rows as long as the longest word plus 1 */
} Spelling;

static inline i64 letters_in(const Spelling *s, i64 word) {
    return s->offsets[word + 1] - s->offsets[word];
}

static void set_masks(Spelling *s, i64 words) {
    for (i64 word = 0; word < words; word++) {
        s->masks[word] = 0;
        for (i64 i = s->offsets[word]; i < s->offsets[word + 1]; i++)
            s->masks[word] |= (i64)1 << (s->groups[i] % 63);
    }
}

static double similarity_of(const Spelling *s, i64 word, i64 other) {
    i64 width = letters_in(s, other), height = letters_in(s, word);
    const i32 *letters = s->letters + s->offsets[other], *groups = s->groups + s->offsets[other];
    for (i64 j = 0; j <= width; j++) {
        s->scores[j] = 0;
        s->gaps[j] = -GAP;
    }
    double best = 0;
    for (i64 i = s->offsets[word]; i < s->offsets[word + 1]; i++) {
        double diagonal = 0, gap = -GAP;
        for (i64 j = 1; j <= width; j++) {
            double score = diagonal + (s->letters[i] == letters[j - 1] ? EQUAL
                                       : s->groups[i] == groups[j - 1] ? ALIKE
                                                                       : DIFFERENT);
            gap = greater(gap - LONGER_GAP, s->scores[j - 1] - GAP);
            s->gaps[j] = greater(s->gaps[j] - LONGER_GAP, s->scores[j] - GAP);
            diagonal = s->scores[j];
            s->scores[j] = greater(greater(0, score), greater(gap, s->gaps[j]));
            best = greater(best, s->scores[j]);
        }
    }
    return best / (EQUAL * (double)least(height, width));
}

/* False only where too few letters of a word have one alike in the longer word `other`. */
static bool may_be_similar(const Spelling *s, i64 word, i64 other, double threshold) {
    i64 shared = 0;
    for (i64 i = s->offsets[word]; i < s->offsets[word + 1]; i++)
        shared += s->masks[other] >> (s->groups[i] % 63) & 1;
    return (double)shared >= threshold * (double)letters_in(s, word);
}

/* The most similar of the candidates, the first of equals; the word itself if none is close. */
static i32 nearest(
    const Spelling *s, i32 word, const i32 *candidates, i64 count, double threshold, i64 shortest
) {
    double best = threshold;
    i32 chosen = word;
    for (i64 c = 0; c < count; c++) {
        i32 other = candidates[c];
        if (letters_in(s, other) < shortest) continue;
        bool is_longer = letters_in(s, word) <= letters_in(s, other);
        if (!may_be_similar(s, is_longer ? word : other, is_longer ? other : word, best)) continue;
        double similarity = similarity_of(s, word, other);
        if (similarity > best || (similarity == best && chosen == word)) {
            best = similarity;
            chosen = other;
        }
    }
    return chosen;
}

/* 1 minus the compression distance, less for what is shorter than every reference. */
static double joint_similarity(double conditional, double alone, double mean, double shortest) {
    double larger_one = greater(alone, mean), rounded = UNIT * rint(conditional / UNIT);
    double similarity = larger_one > 0 ? greater(0, 1 - rounded / larger_one) : 0;
    return alone < shortest ? similarity * sqrt(alone / shortest) : similarity;
}

typedef struct {
    const i32 *words;
    const i64 *offsets;
    const i64 *ranks;  /* the place of each sentence in the order of the texts, equal texts alike */
    const i64 *hypotheses, *references, *reference_offsets;
    i64 items;
} Texts;

/* Write the words of a sentence with blanks between them behind text[:length]; the new length. */
static i64 append(const Spelling *s, const i32 *words, i64 count, i32 *text, i64 length) {
    for (i64 k = 0; k < count; k++) {
        if (k > 0) text[length++] = BLANK;
        for (i64 i = s->offsets[words[k]]; i < s->offsets[words[k] + 1]; i++)
            text[length++] = s->letters[i];
    }
    return length;
}

/* The most symbols, reference words and references that any item has to do with. */
typedef struct {
    i64 symbols, words, references;
} Extent;

static Extent extent_of(const Texts *t, const Spelling *s) {
    Extent extent = {1, 1, 1};
    for (i64 item = 0; item < t->items; item++) {
        i64 total = 0, largest = 0, count = 0, longest_word = 0, size;
        i64 start = t->reference_offsets[item], end = t->reference_offsets[item + 1];
        for (i64 r = start; r < end; r++) {
            i64 sentence = t->references[r];
            size = 1;
            for (i64 i = t->offsets[sentence]; i < t->offsets[sentence + 1]; i++, count++) {
                longest_word = most(longest_word, letters_in(s, t->words[i]));
                size += letters_in(s, t->words[i]) + 1;
            }
            total += size;
            largest = most(largest, size);
        }
        i64 sentence = t->hypotheses[item];
        size = 1;
        for (i64 i = t->offsets[sentence]; i < t->offsets[sentence + 1]; i++)
            size += most(letters_in(s, t->words[i]), longest_word) + 1;  /* variants may be longer */
        extent.symbols = most(extent.symbols, total + most(largest, size));
        extent.words = most(extent.words, count);
        extent.references = most(extent.references, end - start);
    }
    return extent;
}

/* What items of the same references share: the distinct references that have words, in the order of
   texts; their words; their text, up to `base`, with its bits; and what the best of them scores. */
typedef struct {
    i64 number;  /* of this group of items */
    i64 *distinct, count;
    i32 *candidates;
    i64 candidate_count;
    i64 *group_of_word;  /* the last group whose references have the word */
    i32 *text;
    i64 base;
    double together, mean, least, own;
} Group;

static bool has_same_references(const Texts *t, i64 item) {
    if (item == 0) return false;
    i64 start = t->reference_offsets[item], count = t->reference_offsets[item + 1] - start;
    if (count != start - t->reference_offsets[item - 1]) return false;
    return memcmp(
               t->references + start, t->references + start - count, (size_t)count * sizeof(i64)
           ) == 0;
}

static void list_distinct(Group *g, const Texts *t, i64 item) {
    g->count = 0;
    for (i64 r = t->reference_offsets[item]; r < t->reference_offsets[item + 1]; r++) {
        i64 sentence = t->references[r], rank = t->ranks[sentence], at = g->count;
        if (t->offsets[sentence] == t->offsets[sentence + 1]) continue;
        while (at > 0 && t->ranks[g->distinct[at - 1]] > rank) at--;
        if (at > 0 && t->ranks[g->distinct[at - 1]] == rank) continue;
        for (i64 k = g->count; k > at; k--) g->distinct[k] = g->distinct[k - 1];
        g->distinct[at] = sentence;
        g->count++;
    }
}

static void open_group(Group *g, const Texts *t, const Spelling *s, Coder *coder, i64 item) {
    g->number++;
    list_distinct(g, t, item);
    g->candidate_count = g->base = 0;
    g->mean = g->own = 0;
    g->least = INFINITY;
    for (i64 k = 0; k < g->count; k++) {
        const i32 *words = t->words + t->offsets[g->distinct[k]];
        i64 size = t->offsets[g->distinct[k] + 1] - t->offsets[g->distinct[k]];
        for (i64 i = 0; i < size; i++) {
            if (g->group_of_word[words[i]] != g->number) {
                g->group_of_word[words[i]] = g->number;
                g->candidates[g->candidate_count++] = words[i];
            }
        }
        i64 end = append(s, words, size, g->text, g->base);
        double alone = bits_of(coder, g->text + g->base, end - g->base);
        g->mean += alone / (double)g->count;
        if (alone < g->least) g->least = alone;
        g->text[end] = SEPARATOR;
        g->base = end + 1;
    }
    g->together = bits_of(coder, g->text, g->base);
    for (i64 k = 0; k < g->count; k++) {
        i64 sentence = g->distinct[k], start = t->offsets[sentence];
        i64 size = t->offsets[sentence + 1] - start;
        i64 end = append(s, t->words + start, size, g->text, g->base);
        double alone = bits_of(coder, g->text + g->base, end - g->base);
        double joint = bits_of(coder, g->text, end);
        g->own = greater(
            g->own, joint_similarity(joint - g->together, alone, g->mean, g->least)
        );
    }
}

static bool is_copy(const Texts *t, i64 item) {
    for (i64 r = t->reference_offsets[item]; r < t->reference_offsets[item + 1]; r++)
        if (t->ranks[t->references[r]] == t->ranks[t->hypotheses[item]]) return true;
    return false;
}

/* threshold, shortest: a word of that many letters or more is replaced by one at least that similar. */
KERNEL(joint_similarities)(
    const i32 *words, const i64 *word_offsets, i64 sentences, const i64 *ranks, const i32 *letters,
    const i32 *groups, const i64 *letter_offsets, i64 types, const i64 *hypotheses,
    const i64 *references, const i64 *reference_offsets, i64 items, i64 alphabet, double threshold,
    i64 shortest, double *scores
) {
    OPEN(room);
    Texts t = {words, word_offsets, ranks, hypotheses, references, reference_offsets, items};
    i64 longest_word = most(1, longest_of(letter_offsets, types));
    Spelling s = {
        letters, groups, letter_offsets, NEW(&room, i64, types),
        NEW(&room, double, longest_word + 1), NEW(&room, double, longest_word + 1),
    };
    set_masks(&s, types);
    Extent extent = extent_of(&t, &s);
    Coder coder = coder_for(&room, extent.symbols, alphabet);
    Group g = {
        .distinct = NEW(&room, i64, extent.references),
        .candidates = NEW(&room, i32, extent.words),
        .group_of_word = ZEROS(&room, i64, types),  /* groups are numbered from 1 */
        .text = NEW(&room, i32, extent.symbols),
    };
    i32 *replaced = NEW(&room, i32, longest_of(word_offsets, sentences) + 1);
    i32 *variant = NEW(&room, i32, types);
    i64 *variant_group = ZEROS(&room, i64, types);
    for (i64 item = 0; item < items; item++) {
        if (!has_same_references(&t, item)) open_group(&g, &t, &s, &coder, item);
        i64 start = word_offsets[hypotheses[item]];
        i64 size = word_offsets[hypotheses[item] + 1] - start;
        bool copy = is_copy(&t, item);
        if (copy || size == 0 || g.count == 0) {
            scores[item] = copy;
            continue;
        }
        for (i64 i = 0; i < size; i++) {
            i32 word = words[start + i];
            replaced[i] = word;
            if (g.group_of_word[word] == g.number || letters_in(&s, word) < shortest) continue;
            if (variant_group[word] != g.number) {
                variant_group[word] = g.number;
                variant[word] = nearest(
                    &s, word, g.candidates, g.candidate_count, threshold, shortest
                );
            }
            replaced[i] = variant[word];
        }
        i64 end = append(&s, replaced, size, g.text, g.base);
        double alone = bits_of(&coder, g.text + g.base, end - g.base);
        double joint = bits_of(&coder, g.text, end);
        double similarity = joint_similarity(joint - g.together, alone, g.mean, g.least);
        if (g.own > 0) similarity /= g.own;
        scores[item] = similarity < 1 ? similarity : 1;
    }
    return leave(&room, DONE);
}

KERNEL(compressed_bits)(const i32 *text, i64 length, i64 alphabet, double *bits) {
    OPEN(room);
    Coder coder = coder_for(&room, length, alphabet);
    *bits = bits_of(&coder, text, length);
    return leave(&room, DONE);
}

/* letters, groups: of two words; offsets: where they start and end. */
KERNEL(local_similarity)(
    const i32 *letters, const i32 *groups, const i64 *offsets, double *similarity
) {
    OPEN(room);
    i64 width = offsets[2] - offsets[1] + 1;
    Spelling s = {
        letters, groups, offsets, NULL, NEW(&room, double, width), NEW(&room, double, width),
    };
    *similarity = similarity_of(&s, 0, 1);
    return leave(&room, DONE);
}
