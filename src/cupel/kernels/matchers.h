/* METEOR's matchers: every pair of words or phrases that could be aligned.

   A match says that some words of the reference correspond to some words of the hypothesis, and
   which matcher found it. All matchers look at all words, so that the same two words may be matched
   by several. The matches are ordered by their start in the reference and then as METEOR finds
   them, on which ties in its search depend: matcher by matcher, the hypothesis from left to right;
   paraphrases of the reference's phrases before those of the hypothesis' phrases. */

#ifndef CUPEL_MATCHERS_H
#define CUPEL_MATCHERS_H

#include "phrases.h"

enum { EXACT, STEM, SYNONYM, PARAPHRASE };

typedef struct {
    i32 reference_start, reference_length, hypothesis_start, hypothesis_length;
    i32 stage;  /* the matcher's place in the order of matchers */
} Match;

typedef struct {
    Match *rows;
    i64 count, size;
} Matches;

typedef struct {
    const i32 *ids;
    const i64 *offsets;
    const i64 *phrase_offsets;
    const Phrase *phrases;
} Sentences;

/* What the matchers know of each token id. key and stem are Java's 32-bit hash codes of the word and
   its stem: the jar compares those, and "le" matches "n'" in French because theirs are equal. The
   synonym sets of word w are synsets[synset_spans[w][0]] to synsets[synset_spans[w][1] - 1]. */
typedef struct {
    const i32 *key;
    const i32 *stem;
    const u8 *is_function;
    const i32 (*synset_spans)[2];
    const i32 *synsets;
} Words;

/* A hash table from keys to chains of entries, emptied by starting another epoch. tag: epoch and key
   of each slot; first: its first entry; following: the next entry of the same key, or -1. */
typedef struct {
    i64 epoch, mask;
    i64 *tag;
    i32 *first;
    i32 *following;
} Chains;

static Chains chains_for(Room *room, i64 entries) {
    i64 size = 64;
    while (size < 2 * entries) size *= 2;
    return (Chains){
        .mask = size - 1,
        .tag = ZEROS(room, i64, size),
        .first = NEW(room, i32, size),
        .following = NEW(room, i32, most(entries, 1)),
    };
}

static inline i64 tag_of(const Chains *chains, i32 key) {
    return (i64)((u64)chains->epoch << 32 | (u32)key);
}

/* The slot of a tag, or the free one where it belongs. */
static inline i64 slot_of(const Chains *chains, i64 tag) {
    i64 slot = (i64)((u64)tag * 0x9E3779B1u >> 14) & chains->mask;
    while (chains->tag[slot] != tag && chains->tag[slot] >> 32 == tag >> 32)
        slot = (slot + 1) & chains->mask;
    return slot;
}

/* Put an entry before those that its key has. */
static inline void chain(Chains *chains, i32 key, i64 entry) {
    i64 tag = tag_of(chains, key), slot = slot_of(chains, tag);
    chains->following[entry] = chains->tag[slot] == tag ? chains->first[slot] : -1;
    chains->tag[slot] = tag;
    chains->first[slot] = (i32)entry;
}

/* The first entry of a key, -1 where there is none. */
static inline i32 first_of(const Chains *chains, i32 key) {
    i64 tag = tag_of(chains, key), slot = slot_of(chains, tag);
    return chains->tag[slot] == tag ? chains->first[slot] : -1;
}

static inline void put_match(Room *room, Matches *matches, Match match) {
    if (matches->count == matches->size) {
        matches->size *= 2;
        matches->rows = larger(room, matches->rows, matches->count, matches->size, sizeof(Match));
    }
    matches->rows[matches->count++] = match;
}

/* A sentence as a matcher takes it. */
typedef struct {
    const i32 *ids;
    i64 length;
} Tokens;

static inline Tokens tokens_of(const Sentences *sentences, i64 row) {
    const i64 *offsets = sentences->offsets;
    return (Tokens){sentences->ids + offsets[row], offsets[row + 1] - offsets[row]};
}

/* What the matchers work with: chains, and for synonyms the word that each entry belongs to and
   which words are matched (all 0 before and after). */
typedef struct {
    Chains chains;
    i32 *owner;
    u8 *is_matched;
} Desk;

/* Match words whose `key` is equal and, unless `exact`, whose `other` is not. */
static void match_words(
    Room *room, Tokens ours, Tokens theirs, const i32 *key, const i32 *other, bool exact, i32 stage,
    Chains *chains, Matches *matches
) {
    chains->epoch++;
    for (i64 i = ours.length - 1; i >= 0; i--)  /* so that chains go from left to right */
        chain(chains, key[ours.ids[i]], i);
    for (i64 j = 0; j < theirs.length; j++)
        for (i32 i = first_of(chains, key[theirs.ids[j]]); i >= 0; i = chains->following[i])
            if (exact || other[ours.ids[i]] != other[theirs.ids[j]])
                put_match(room, matches, (Match){(i32)j, 1, i, 1, stage});
}

/* Match different words that share a synonym set. */
static void match_synonyms(
    Room *room, Tokens ours, Tokens theirs, const Words *words, i32 stage, Desk *desk,
    Matches *matches
) {
    Chains *chains = &desk->chains;
    chains->epoch++;
    i64 entries = 0;
    for (i64 i = 0; i < ours.length; i++) {
        const i32 *span = words->synset_spans[ours.ids[i]];
        for (i64 k = span[0]; k < span[1]; k++) {
            chain(chains, words->synsets[k], entries);
            desk->owner[entries++] = (i32)i;
        }
    }
    for (i64 j = 0; j < theirs.length; j++) {
        i32 lowest = (i32)ours.length, highest = -1;
        i32 key = words->key[theirs.ids[j]];
        const i32 *span = words->synset_spans[theirs.ids[j]];
        for (i64 k = span[0]; k < span[1]; k++) {
            i32 entry = first_of(chains, words->synsets[k]);
            for (; entry >= 0; entry = chains->following[entry]) {
                i32 i = desk->owner[entry];
                if (words->key[ours.ids[i]] == key) continue;
                desk->is_matched[i] = 1;
                if (i < lowest) lowest = i;
                if (i > highest) highest = i;
            }
        }
        for (i32 i = lowest; i <= highest; i++) {
            if (desk->is_matched[i]) {
                desk->is_matched[i] = 0;
                put_match(room, matches, (Match){(i32)j, 1, i, 1, stage});
            }
        }
    }
}

/* Match phrases of sentence `source` with their paraphrases in sentence `target`. */
static void match_phrases(
    Room *room, const Sentences *sentences, const i32 *paraphrases, i64 source, i64 target,
    bool from_reference, i32 stage, Chains *chains, Matches *matches
) {
    const i64 *offsets = sentences->phrase_offsets;
    const Phrase *others = sentences->phrases + offsets[target];
    chains->epoch++;
    for (i64 k = offsets[target + 1] - offsets[target] - 1; k >= 0; k--)
        if (others[k].is_paraphrase) chain(chains, others[k].node, k);
    for (i64 k = offsets[source]; k < offsets[source + 1]; k++) {
        Phrase phrase = sentences->phrases[k];
        for (i64 entry = phrase.first_entry; entry < phrase.end_of_entries; entry++) {
            i32 at = first_of(chains, paraphrases[entry]);
            for (; at >= 0; at = chains->following[at]) {
                Phrase other = others[at];
                put_match(
                    room, matches,
                    from_reference
                        ? (Match){phrase.start, phrase.length, other.start, other.length, stage}
                        : (Match){other.start, other.length, phrase.start, phrase.length, stage}
                );
            }
        }
    }
}

static bool are_equal(Tokens ours, Tokens theirs, const i32 *key) {
    bool equal = ours.length == theirs.length;
    for (i64 i = 0; equal && i < ours.length; i++) equal = key[ours.ids[i]] == key[theirs.ids[i]];
    return equal;
}

/* All matches of two sentences in METEOR's order of finding. modules: the matchers in their order;
   paraphrases: the phrase of each entry of the table. */
static void find_matches(
    Room *room, const Sentences *sentences, const Words *words, const i32 *paraphrases,
    const i32 *modules, i64 module_count, i64 hypothesis, i64 reference, Desk *desk,
    Matches *matches
) {
    Tokens ours = tokens_of(sentences, hypothesis), theirs = tokens_of(sentences, reference);
    matches->count = 0;
    /* Of equal sentences only exact matches are taken, which spares METEOR errors of its beam. */
    i64 used = are_equal(ours, theirs, words->key) ? 1 : module_count;
    for (i32 stage = 0; stage < used; stage++) {
        i32 module = modules[stage];
        if (module == EXACT || module == STEM) {
            const i32 *key = module == EXACT ? words->key : words->stem;
            match_words(
                room, ours, theirs, key, words->key, module == EXACT, stage, &desk->chains, matches
            );
        } else if (module == SYNONYM) {
            match_synonyms(room, ours, theirs, words, stage, desk, matches);
        } else {
            for (int from_reference = 1; from_reference >= 0; from_reference--)
                match_phrases(
                    room, sentences, paraphrases, from_reference ? reference : hypothesis,
                    from_reference ? hypothesis : reference, from_reference, stage, &desk->chains,
                    matches
                );
        }
    }
}

#endif
