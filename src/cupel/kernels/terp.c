/* TER-Plus (Snover et al. 2009) over whole batches: what words and phrases cost, and the search.

   For each pair of sentences: what each word of the hypothesis costs against each of the reference
   (match, stem, synonym, substitution), which phrases of the table could be exchanged and at what
   cost, then the search for edits and shifts. */

#include "terp_phrases.h"

/* What is known of each token id: see `cupel.kernels.terp.Vocabulary`. */
typedef struct {
    const i32 *stem;
    const u64 *synset_masks;
    const i64 *synset_offsets;
    const i32 *synsets;
    const u8 *content;
} Vocabulary;

static Scratch scratch_for(Room *room, Extent extent, const Limits *limits) {
    i64 n = extent.n, m = extent.m, size = limits->shift_size;
    i64 cells = most(extent.cells, (LONGEST_PHRASE + 1) * (LONGEST_PHRASE + 1));
    Scratch scratch = {
        .hypothesis = NEW(room, i32, n),
        .shifted = NEW(room, i32, n),
        .alignment = NEW(room, i32, m),
        .hypothesis_errors = NEW(room, i32, n + 1),
        .reference_errors = NEW(room, i32, m + 1),
        .hypothesis_content = NEW(room, i32, n + 1),
        .reference_content = NEW(room, i32, m + 1),
        .candidates = NEW(room, Shift, limits->candidates + size + 1),
        .reach = NEW(room, u8, (size + 1) * (2 * size + 1)),
        .movable = NEW(room, u8, size + 1),
        .row = NEW(room, double, m + 1),
        .arrivals = NEW(room, double, m + 1),
        .arrived = NEW(room, i32, m + 1),
        .band = NEW(room, double, cells),
        .shifted_band = NEW(room, double, cells),
    };
    for (i64 j = 0; j <= m; j++) scratch.arrivals[j] = INFINITY;
    return scratch;
}

/* Whether two words have a synonym set in common; masks spare most pairs the search. */
static inline bool share_a_set(const Vocabulary *vocabulary, i32 first, i32 second) {
    if ((vocabulary->synset_masks[first] & vocabulary->synset_masks[second]) == 0) return false;
    const i32 *a = vocabulary->synsets + vocabulary->synset_offsets[first];
    const i32 *b = vocabulary->synsets + vocabulary->synset_offsets[second];
    const i32 *end_a = vocabulary->synsets + vocabulary->synset_offsets[first + 1];
    const i32 *end_b = vocabulary->synsets + vocabulary->synset_offsets[second + 1];
    while (a < end_a && b < end_b) {
        if (*a == *b) return true;
        if (*a < *b)
            a++;
        else
            b++;
    }
    return false;
}

/* Number the distinct tokens of a hypothesis in `local`; types: the token of each number. */
static i64 number_types(const i32 *tokens, i64 n, i32 *local, i32 *types) {
    i64 count = 0;
    for (i64 i = 0; i < n; i++) {
        if (local[tokens[i]] < 0) {
            local[tokens[i]] = (i32)count;
            types[count++] = tokens[i];
        }
    }
    return count;
}

/* What words cost, before any paraphrases. */
static Pair price_words(
    Room *room, const Vocabulary *vocabulary, const Costs *costs, const i32 *types, i64 w,
    const i32 *tokens, i64 m
) {
    Pair pair = pair_for(room, w, m);
    for (i64 k = 0; k < w; k++) {
        i32 ours = types[k];
        pair.content[k] = vocabulary->content[ours];
        for (i64 j = 0; j < m; j++) {
            i32 theirs = tokens[j];
            u8 kind = DIFFERENT;
            double cost = costs->substitution;
            if (ours == theirs) {
                kind = EQUAL;
                cost = costs->match;
            } else {
                if (vocabulary->stem[ours] == vocabulary->stem[theirs]) {
                    kind = ALIKE;
                    cost = lesser(cost, costs->stem);
                }
                if (share_a_set(vocabulary, ours, theirs)) {
                    kind = ALIKE;
                    cost = lesser(cost, costs->synonym);
                }
            }
            pair.kinds[k * m + j] = kind;
            pair.costs[k * m + j] = cost;
        }
    }
    for (i64 j = 0; j < m; j++) pair.reference_content[j] = vocabulary->content[tokens[j]];
    return pair;
}

KERNEL(terp_edits)(
    const i32 *ids, const i64 *offsets, const i32 *stem, const u64 *synset_masks,
    const i64 *synset_offsets, const i32 *synsets, const u8 *content, i64 tokens,
    const i32 *table_offsets, const i32 *phrases, const float *probabilities, const i32 *word,
    const i32 *parent, const i32 *children, const i32 *first, const i32 *token, const i32 *number,
    i64 entries, const Costs *costs, const Limits *limits, const i64 *hypotheses,
    const i64 *references, const i64 *reference_offsets, i64 count, double *result
) {
    OPEN(room);
    Vocabulary vocabulary = {stem, synset_masks, synset_offsets, synsets, content};
    PhraseTable table = {table_offsets, phrases, probabilities, word, parent,
                         children,      first,   token,         number, entries};
    Items items = {ids, offsets, hypotheses, references, reference_offsets, count};
    Extent extent = extent_of(&items, limits->beam);
    Scratch scratch = scratch_for(&room, extent, limits);
    i32 *types = NEW(&room, i32, extent.n), *local = NEW(&room, i32, tokens);
    memset(local, -1, (size_t)tokens * sizeof(i32));
    Block *mark = room.last;
    for (i64 item = 0; item < count; item++) {
        const i32 *hypothesis = ids + offsets[hypotheses[item]];
        i64 n = length_of(&items, hypotheses[item]), length = 0;
        i64 w = number_types(hypothesis, n, local, types);
        double best = INFINITY;
        for (i64 k = reference_offsets[item]; k < reference_offsets[item + 1]; k++) {
            const i32 *reference = ids + offsets[references[k]];
            i64 m = length_of(&items, references[k]);
            length += m;
            Pair pair = price_words(&room, &vocabulary, costs, types, w, reference, m);
            Task task = {&scratch, &pair, NULL, costs, limits, n, m};
            Rules rules = find_rules(&room, &task, &pair, &table, local, reference);
            for (i64 i = 0; i < n; i++)
                scratch.hypothesis[i] = scratch.shifted[i] = local[hypothesis[i]];
            task.rules = &rules;
            best = lesser(best, edit_cost(&room, &task));
            release(&room, mark);
        }
        for (i64 k = 0; k < w; k++) local[types[k]] = -1;
        result[2 * item] = best;
        result[2 * item + 1] =
            (double)length / (double)(reference_offsets[item + 1] - reference_offsets[item]);
    }
    return leave(&room, DONE);
}

/* A table in which each entry stands under its phrase, and under its paraphrase, too. ends: zeros. */
KERNEL(both_ways)(
    const i32 *offsets, i64 nodes, const i32 *paraphrases, const float *weights, i32 *ends,
    i32 *phrases, float *probabilities
) {
    for (i64 node = 0; node < nodes; node++) ends[node] += offsets[node + 1] - offsets[node];
    for (i64 entry = 0; entry < offsets[nodes]; entry++) ends[paraphrases[entry]]++;
    i32 total = 0;
    for (i64 node = 0; node <= nodes; node++) ends[node] = total += ends[node];
    for (i64 node = nodes - 1; node >= 0; node--) {
        for (i64 entry = offsets[node + 1] - 1; entry >= offsets[node]; entry--) {
            i32 other = paraphrases[entry], place = --ends[node];
            phrases[place] = other;
            probabilities[place] = weights[entry];
            place = --ends[other];
            phrases[place] = (i32)node;
            probabilities[place] = weights[entry];
        }
    }
    return DONE;
}
