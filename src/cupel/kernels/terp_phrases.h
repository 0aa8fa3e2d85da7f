/* TER-Plus's phrase substitutions (Snover et al. 2009): which ones a pair could need, at what cost.

   A phrase of the reference may be put for one of the hypothesis that the table has as its
   paraphrase. Words move, so all paraphrases made of words that the hypothesis has are kept, in
   whatever order they stand now. */

#ifndef CUPEL_TERP_PHRASES_H
#define CUPEL_TERP_PHRASES_H

#include "terp_shifts.h"

enum { LONGEST_PHRASE = 32 };  /* longer ones of the table are left out; METEOR's have 7 words at most */

/* See `cupel.kernels.terp.PhraseTable`; entries: how many exchanges it has. */
typedef struct {
    const i32 *offsets, *phrases;
    const float *probabilities;
    const i32 *word, *parent, *children, *first, *token, *number;
    i64 entries;
} PhraseTable;

/* An entry of the table for a phrase of the reference. */
typedef struct {
    i32 phrase, start, length, entry;
} Exchange;

/* The phrase with one word more, -1 where the table has none. */
static i64 longer_phrase(const PhraseTable *table, i64 node, i32 word) {
    if (word < 0) return -1;
    if (node == 0) return table->first[word];
    i64 low = table->children[node], end = table->children[node + 1], high = end;
    while (low < high) {
        i64 middle = (low + high) >> 1;
        if (table->word[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && table->word[low] == word ? low : -1;
}

/* How many words a phrase has; 0 where the hypothesis lacks one of them. */
static i64 words_present(const PhraseTable *table, const i32 *local, i64 phrase) {
    i64 length = 0;
    for (; phrase > 0; phrase = table->parent[phrase], length++) {
        i32 token = table->token[table->word[phrase]];
        if (token < 0 || local[token] < 0 || length == LONGEST_PHRASE) return 0;
    }
    return length;
}

/* Entries of the table for the reference's phrases, made of words that the hypothesis has; how many
   there are, and in *words how many words their phrases have. */
static i64 find_exchanges(
    Room *room, const PhraseTable *table, const i32 *local, const i32 *reference, i64 m, i64 n,
    Exchange **exchanges, i64 *words
) {
    i64 size = 64, count = 0;
    Exchange *found = NEW(room, Exchange, size);
    *words = 0;
    for (i64 j = 0; j < (table->entries ? m : 0); j++) {
        i64 node = 0;
        for (i64 end = j; end < least(m, j + LONGEST_PHRASE); end++) {
            node = longer_phrase(table, node, table->number[reference[end]]);
            if (node < 0) break;
            for (i64 entry = table->offsets[node]; entry < table->offsets[node + 1]; entry++) {
                i32 phrase = table->phrases[entry];
                i64 length = words_present(table, local, phrase);
                if (length == 0 || length > n || table->probabilities[entry] <= 0) continue;
                if (count == size) {
                    size *= 2;
                    found = larger(room, found, count, size, sizeof(Exchange));
                }
                found[count++] = (Exchange){phrase, (i32)j, (i32)(end + 1 - j), (i32)entry};
                *words += length;
            }
        }
    }
    *exchanges = found;
    return count;
}

/* Put a phrase's words there; returns how many they are. */
static i64 put_words(const PhraseTable *table, const i32 *local, i64 phrase, i32 *words) {
    i64 length = 0;
    for (i64 node = phrase; node > 0; node = table->parent[node]) length++;
    for (i64 k = length; phrase > 0; phrase = table->parent[phrase])
        words[--k] = local[table->token[table->word[phrase]]];
    return length;
}

/* Cost of the edits between a phrase and the reference's words from j, without paraphrases. */
static double phrase_edits(
    Room *room, const Task *t, const Rules *none, const i32 *words, i64 n, i64 j, i64 length
) {
    const Pair *pair = t->pair;
    Scratch *s = t->s;
    if (n == 1 && length == 1)
        return lesser(pair->costs[words[0] * pair->m + j], t->costs->insertion + t->costs->deletion);
    Block *mark = room->last;
    Pair part = pair_for(room, n, length);
    memcpy(part.reference_content, pair->reference_content + j, (size_t)length);
    for (i64 i = 0; i < n; i++) {
        part.content[i] = pair->content[words[i]];
        for (i64 k = 0; k < length; k++) {
            part.costs[i * length + k] = pair->costs[words[i] * pair->m + j + k];
            part.kinds[i * length + k] = pair->kinds[words[i] * pair->m + j + k];
        }
        s->hypothesis[i] = s->shifted[i] = (i32)i;
    }
    double cost = edit_cost(room, &(Task){s, &part, none, t->costs, t->limits, n, length});
    release(room, mark);
    return cost;
}

/* cost = w1 + edits * (w2 * log10(p) + w3 * p + w4), within its bounds. The table has a few numbers
   above 1, which count as 1. */
static double phrase_cost(const Costs *costs, double edits, double probability) {
    double p = lesser(probability, 1);
    double cost = costs->phrase_constant + edits * (costs->phrase_log * log10(p) +
                                                    costs->phrase_probability * p +
                                                    costs->phrase_edits);
    cost = lesser(costs->phrase_most, cost);
    if (cost < costs->phrase_least) cost = costs->phrase_least;
    return rint(cost / UNIT) * UNIT;
}

/* The exchanges of phrases that the pair of a task could need, in whatever order its words are put.
   An exchange of one word for one goes into the costs of the pair, and the others are rules. local:
   the number of each token in the hypothesis, -1 where it has it not. */
static Rules find_rules(
    Room *room, const Task *t, Pair *pair, const PhraseTable *table, const i32 *local,
    const i32 *reference
) {
    Exchange *found;
    i64 total, size = most(pair->w, LONGEST_PHRASE) + 1;
    i64 count = find_exchanges(room, table, local, reference, t->m, t->n, &found, &total);
    Rules none = {.offsets = ZEROS(room, i32, size), .longest = 1, .widest = 1};
    Rules rules = {
        .offsets = ZEROS(room, i32, size),
        .starts = ZEROS(room, i32, count + 1),
        .words = NEW(room, i32, total),
        .reference = NEW(room, i32, count),
        .length = NEW(room, i32, count),
        .costs = NEW(room, double, count),
        .longest = 1,
        .widest = 1,
    };
    for (i64 r = 0; r < count; r++) {
        i32 *words = rules.words + rules.starts[r];
        i64 length = put_words(table, local, found[r].phrase, words);
        double edits =
            phrase_edits(room, t, &none, words, length, found[r].start, found[r].length);
        rules.starts[r + 1] = rules.starts[r] + (i32)length;
        rules.reference[r] = found[r].start;
        rules.length[r] = found[r].length;
        rules.costs[r] = phrase_cost(t->costs, edits, table->probabilities[found[r].entry]);
    }
    for (i64 r = 0; r < count; r++) {
        i64 last = rules.words[rules.starts[r + 1] - 1];
        if (rule_length(&rules, r) == 1 && rules.length[r] == 1) {
            i64 place = last * pair->m + rules.reference[r];
            pair->costs[place] = lesser(pair->costs[place], rules.costs[r]);
            if (pair->kinds[place] < PARAPHRASE) pair->kinds[place] = PARAPHRASE;
        } else {
            rules.offsets[last + 1]++;
            rules.longest = most(rules.longest, rule_length(&rules, r));
            rules.widest = most(rules.widest, rules.length[r]);
        }
    }
    for (i64 w = 0; w < size - 1; w++) rules.offsets[w + 1] += rules.offsets[w];
    rules.count = rules.offsets[size - 1];
    rules.listed = NEW(room, i32, rules.count);
    i32 *filled = larger(room, rules.offsets, size, size, sizeof(i32));
    for (i64 r = 0; r < count; r++)  /* by their place in the reference, as they were found */
        if (rule_length(&rules, r) > 1 || rules.length[r] > 1)
            rules.listed[filled[rules.words[rules.starts[r + 1] - 1]]++] = (i32)r;
    return rules;
}

#endif
