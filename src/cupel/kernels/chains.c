/* What the dep-ngrams of references score in translations, for whole batches.

   `exact_sums` looks for the words themselves (RED); `aligned_sums` goes by an alignment, one match
   per word (REDp, DEPREF with resources), and keeps apart by what kind of match and of word each
   dep-ngram's score came about, so that weights can be put on afterwards. */

#include "chain_ways.h"

enum { PARTS = 6 };  /* of each length, sums by module (of 3) and by function or content words */

typedef struct {
    i32 kind, start, length;
} Structure;

/* Trees and their structures, as `Trees` and `DepNgrams` have them. */
typedef struct {
    const i32 *ids;
    const i64 *offsets;
    const i32 *heads;
    const Structure *structures;
    const i64 *structure_offsets;
} Forest;

/* A translation; where each word occurs: `first`, and after each occurrence `following`, or -1. */
typedef struct {
    const i32 *ids;
    i64 length;
    i32 *first, *following;
} Ours;

/* A reference with the heads of its words. */
typedef struct {
    const i32 *ids, *heads;
    i64 length;
    const Structure *structures;
    i64 structure_count;
} Theirs;

static Theirs reference_of(const Forest *forest, i64 row) {
    i64 start = forest->offsets[row], structure = forest->structure_offsets[row];
    return (Theirs){
        forest->ids + start,
        forest->heads + start,
        forest->offsets[row + 1] - start,
        forest->structures + structure,
        forest->structure_offsets[row + 1] - structure,
    };
}

/* Fill in the chain of n words that ends at `word`, head first; false where there is none. */
static bool climb(const i32 *heads, i32 word, i64 n, i32 *chain) {
    for (i64 k = n - 1; k >= 0; k--) {
        if (word < 0) return false;
        chain[k] = word;
        word = heads[word];
    }
    return true;
}

static void index_words(Ours *ours) {
    for (i64 at = ours->length - 1; at >= 0; at--) {
        ours->following[at] = ours->first[ours->ids[at]];
        ours->first[ours->ids[at]] = (i32)at;
    }
}

static void forget_words(Ours *ours) {
    for (i64 at = 0; at < ours->length; at++) ours->first[ours->ids[at]] = -1;
}

/* List the occurrences of a chain's words; false where one has none. */
static bool find_occurrences(
    const Ours *ours, const Theirs *theirs, const i32 *chain, i64 n, i32 *found, i64 *counts,
    i64 width
) {
    for (i64 k = 0; k < n; k++)
        if (ours->first[theirs->ids[chain[k]]] < 0) return false;
    for (i64 k = 0; k < n; k++) {
        i64 count = 0;
        for (i32 at = ours->first[theirs->ids[chain[k]]]; at >= 0; at = ours->following[at])
            found[k * width + count++] = at;
        counts[k] = count;
    }
    return true;
}

/* Where words start ... + n of the reference stand together in the translation, or -1. */
static i64 place_of(const Ours *ours, const Theirs *theirs, i64 start, i64 n) {
    i64 at = ours->first[theirs->ids[start]];
    while (at >= 0 && at + n <= ours->length) {
        i64 k = 1;
        while (k < n && ours->ids[at + k] == theirs->ids[start + k]) k++;
        if (k == n) return at;
        at = ours->following[at];
    }
    return -1;
}

/* Room for translations of up to `width` words and chains of up to `longest`. */
typedef struct {
    i32 *found;
    i64 *counts;
    i32 *rows;
    i32 *chain, *where;
    i64 width;
} Desk;

static Desk desk_for(Room *room, i64 longest, i64 width) {
    return (Desk){
        NEW(room, i32, longest * width),
        NEW(room, i64, longest),
        NEW(room, i32, (2 * longest + 2) * width),
        NEW(room, i32, longest),
        NEW(room, i32, longest),
        width,
    };
}

static Ours nowhere(Room *room, i64 vocabulary, i64 width) {
    Ours ours = {.first = NEW(room, i32, vocabulary), .following = NEW(room, i32, width)};
    memset(ours.first, -1, (size_t)vocabulary * sizeof(i32));
    return ours;
}

/* text_ids, text_offsets: the translations, in ids of the same vocabulary. sums: (pairs, longest). */
KERNEL(exact_sums)(
    const i32 *text_ids, const i64 *text_offsets, i64 texts, const i32 *ids, const i64 *offsets,
    const i32 *heads, const Structure *structures, const i64 *structure_offsets,
    const i64 *hypotheses, const i64 *references, i64 pairs, i64 vocabulary, i64 longest, i64 kind,
    double *sums
) {
    OPEN(room);
    Forest forest = {ids, offsets, heads, structures, structure_offsets};
    i64 width = most(1, longest_of(text_offsets, texts));
    Desk desk = desk_for(&room, longest, width);
    Ours ours = nowhere(&room, vocabulary, width);
    for (i64 p = 0; p < pairs; p++) {
        Theirs theirs = reference_of(&forest, references[p]);
        ours.ids = text_ids + text_offsets[hypotheses[p]];
        ours.length = text_offsets[hypotheses[p] + 1] - text_offsets[hypotheses[p]];
        double *sum = sums + p * longest;
        index_words(&ours);
        for (i32 word = 0; word < theirs.length; word++) {
            if (ours.first[theirs.ids[word]] < 0) continue;
            for (i64 n = 1; n <= longest; n++) {
                if (!climb(theirs.heads, word, n, desk.chain)) break;
                if (!find_occurrences(
                        &ours, &theirs, desk.chain, n, desk.found, desk.counts, width
                    ))
                    break;  /* nor has a longer chain that ends here */
                Way way = {desk.chain, n, desk.found, desk.counts, width, desk.where};
                sum[n - 1] += best_way(&room, &way, kind, desk.rows);
            }
        }
        for (i64 s = 0; s < theirs.structure_count; s++) {
            Structure structure = theirs.structures[s];
            if (place_of(&ours, &theirs, structure.start, structure.length) >= 0)
                sum[structure.length - 1] += 1;
        }
        forget_words(&ours);
    }
    return leave(&room, DONE);
}

/* All matches of one pair. rows: [kind, n, positions in reference and translation], zeros, with room
   for all that there can be. */
KERNEL(exact_matches)(
    const i32 *text_ids, i64 length, const i32 *ids, const i64 *offsets, const i32 *heads,
    const Structure *structures, const i64 *structure_offsets, i64 r, i64 vocabulary, i64 longest,
    i64 kind, i32 *rows, double *scores, i64 *count
) {
    OPEN(room);
    Forest forest = {ids, offsets, heads, structures, structure_offsets};
    i64 width = most(1, length), columns = 2 + 2 * longest;
    Desk desk = desk_for(&room, longest, width);
    Ours ours = nowhere(&room, vocabulary, width);
    Theirs theirs = reference_of(&forest, r);
    ours.ids = text_ids;
    ours.length = length;
    index_words(&ours);
    *count = 0;
    for (i64 n = 1; n <= longest; n++) {
        for (i32 word = 0; word < theirs.length; word++) {
            i32 *row = rows + *count * columns, *chain = row + 2, *where = row + 2 + longest;
            if (!climb(theirs.heads, word, n, chain)) continue;
            if (!find_occurrences(&ours, &theirs, chain, n, desk.found, desk.counts, width))
                continue;
            Way way = {chain, n, desk.found, desk.counts, width, where};
            double score = best_way(&room, &way, kind, desk.rows);
            if (score > 0) {
                row[1] = (i32)n;
                scores[(*count)++] = score;
            }
        }
        for (i64 s = 0; s < theirs.structure_count; s++) {
            Structure structure = theirs.structures[s];
            if (structure.length != n) continue;
            i64 place = place_of(&ours, &theirs, structure.start, n);
            if (place < 0) continue;
            i32 *row = rows + *count * columns;
            row[0] = 1 + structure.kind;
            row[1] = (i32)n;
            for (i64 k = 0; k < n; k++) {
                row[2 + k] = (i32)(structure.start + k);
                row[2 + longest + k] = (i32)(place + k);
            }
            scores[(*count)++] = 1;
        }
    }
    return leave(&room, DONE);
}

/* Spread a dep-ngram's score: p * (c_m / n) * (C_fun / n), and C_con likewise. */
static void add_parts(
    double *part, double score, const i32 *chain, i64 n, const u8 *module, const u8 *function
) {
    i64 functions = 0;
    for (i64 k = 0; k < n; k++) functions += function[chain[k]];
    for (i64 k = 0; k < n; k++) {
        double *own = part + 2 * module[chain[k]];
        own[0] += score * (double)functions / (double)(n * n);
        own[1] += score * (double)(n - functions) / (double)(n * n);
    }
}

/* matches: (., 5), of words, as `align` keeps them; parts: (pairs, longest, PARTS). */
KERNEL(aligned_sums)(
    const i32 *ids, const i64 *offsets, const i32 *heads, const Structure *structures,
    const i64 *structure_offsets, i64 trees, const i64 *references, i64 pairs, const i32 *matches,
    const i64 *match_offsets, const u8 *is_function, i64 longest, i64 kind, double *parts
) {
    OPEN(room);
    Forest forest = {ids, offsets, heads, structures, structure_offsets};
    i64 width = most(1, longest_of(offsets, trees));
    i32 *places = NEW(&room, i32, width), *chain = NEW(&room, i32, longest);
    i32 *where = NEW(&room, i32, longest);
    u8 *module = ZEROS(&room, u8, width), *function = NEW(&room, u8, width);
    for (i64 p = 0; p < pairs; p++) {
        Theirs theirs = reference_of(&forest, references[p]);
        double *part = parts + p * longest * PARTS;
        for (i64 word = 0; word < theirs.length; word++) {
            places[word] = -1;
            function[word] = is_function[theirs.ids[word]];
        }
        for (i64 k = match_offsets[p]; k < match_offsets[p + 1]; k++) {
            const i32 *match = matches + 5 * k;
            places[match[0]] = match[2];
            module[match[0]] = (u8)match[4];
        }
        for (i32 word = 0; word < theirs.length; word++) {
            for (i64 n = 1; n <= longest; n++) {
                if (!climb(theirs.heads, word, n, chain) || places[chain[0]] < 0) break;
                for (i64 k = 0; k < n; k++) where[k] = places[chain[k]];
                double score = score_of(chain, where, n, kind);
                if (score > 0) add_parts(part + (n - 1) * PARTS, score, chain, n, module, function);
            }
        }
        for (i64 s = 0; s < theirs.structure_count; s++) {
            i32 start = theirs.structures[s].start;
            i64 n = theirs.structures[s].length;
            bool together = places[start] >= 0;
            for (i32 k = 0; k < n; k++) {
                chain[k] = start + k;
                together = together && places[start + k] == places[start] + k;
            }
            if (together) add_parts(part + (n - 1) * PARTS, 1, chain, n, module, function);
        }
    }
    return leave(&room, DONE);
}

KERNEL(score_of)(const i32 *chain, const i32 *where, i64 n, i64 kind, double *score) {
    *score = score_of(chain, where, n, kind);
    return DONE;
}
