/* METEOR's beam search for the best set of matches that do not overlap.

   Best is: most words covered (a match that is not exact counts half, rounded down), then fewest
   chunks, then smallest distance. The search goes through the reference from left to right and keeps
   the best `beam` paths; each takes one of the matches that start here, or skips the word. Ties keep
   the order in which paths arose.

   One thing is not as one would write it today, and kept because scores depend on it: the distance
   of a match is added to the path that it was taken *from*, so that it counts for the matches tried
   after it, and for skipping the word, but not for its own path.

   A path's merits are one integer, smaller is better: covered words from the top (16 bits), chunks
   (15), distance (32). What it covers of the hypothesis is a bit set, and the matches it took are a
   chain, so that a new path copies little; paths that would fall off the beam are never made. */

#ifndef CUPEL_BEAM_H
#define CUPEL_BEAM_H

#include "matchers.h"

enum { COVERED = 47, NO_MATCH = -1, SKIP = -2, KEEP = -3 };
#define CHUNK ((i64)1 << 32)

/* Matches by their start in the reference: those of word j are matches[starts[j]] to
   matches[starts[j + 1] - 1]. gains: by how much each betters a path, what it covers, half of it
   unless it is exact; masks: what it covers of a hypothesis of less than 64 words, as bits. */
typedef struct {
    Match *matches;
    i64 *gains;
    u64 *masks;
    i64 size;
    i32 *starts;
} Choices;

typedef struct {
    i64 merit;      /* what it is ranked by */
    i64 last;       /* where its last match ends in the hypothesis, -1 if the word before was skipped */
    i64 following;  /* the next reference word that it does not cover */
    i64 chain;      /* the last link of its chain of matches, -1 for none */
    bool is_taken;  /* whether there is a path in this place */
} Path;

/* A way on: a match (or SKIP, or KEEP) and the rank of the path it comes from. */
typedef struct {
    i64 merit;
    i32 match, rank;
} Offer;

typedef struct {
    i32 match, before;
} LinkOfMatches;

/* Room to search in; used: (2 beam, words), the words of the hypothesis that each path covers. */
typedef struct {
    Path *paths;
    u64 *used;
    i64 *order, *picked;
    Offer *takes, *passes;
    LinkOfMatches *links;
} Beam;

static Beam beam_for(Room *room, i64 beam, i64 longest) {
    return (Beam){
        .paths = NEW(room, Path, 2 * beam),
        .used = NEW(room, u64, 2 * beam * (1 + longest / 64)),
        .order = NEW(room, i64, beam + 1),
        .picked = NEW(room, i64, beam + 1),
        .takes = NEW(room, Offer, beam + 1),
        .passes = NEW(room, Offer, beam + 1),
        .links = NEW(room, LinkOfMatches, beam * longest),
    };
}

static inline i64 distance(i64 a, i64 b) { return a < b ? b - a : a - b; }

/* Put an offer behind those that are no worse; there is room for the one that falls off. */
static inline i64 put_offer(Offer *offers, i64 count, i64 beam, Offer offer) {
    i64 at = count;
    for (; at > 0 && offers[at - 1].merit > offer.merit; at--) offers[at] = offers[at - 1];
    offers[at] = offer;
    return least(count + 1, beam);
}

/* A word with one certain match, or with none: each path goes on in one way. */
static void pass_word(Beam *b, i64 count, const Choices *c, i64 current, i64 certain) {
    for (i64 k = 0; k < count; k++) {
        Path *path = &b->paths[b->order[k]];
        if (certain >= 0) {
            Match match = c->matches[certain];
            path->merit += distance(current, match.hypothesis_start) - c->gains[certain];
            if (path->last != -1 && path->last != match.hypothesis_start) path->merit += CHUNK;
            path->last = match.hypothesis_start + match.hypothesis_length;
            path->following = current + match.reference_length;
        } else if (path->following <= current) {
            if (path->last != -1) path->merit += CHUNK;
            path->last = -1;
            path->following = current + 1;
        }
    }
    for (i64 k = 1; k < count; k++) {  /* a stable insertion sort: they are nearly in order */
        i64 moved = b->order[k], at = k;
        for (; at > 0 && b->paths[b->order[at - 1]].merit > b->paths[moved].merit; at--)
            b->order[at] = b->order[at - 1];
        b->order[at] = moved;
    }
}

static inline bool is_free(const u64 *used, i64 words, Match match, u64 mask) {
    if (words == 1) return (used[0] & mask) == 0;
    bool free = true;
    for (i64 at = match.hypothesis_start; at < match.hypothesis_start + match.hypothesis_length; at++)
        if (used[at >> 6] >> (at & 63) & 1) free = false;
    return free;
}

/* List the ways on: those that take a match and those that pass come nearly in order, either of
   them, and are kept apart. */
static void list_offers(
    Beam *b, i64 count, const Choices *c, i64 current, i64 beam, i64 words, i64 *takes, i64 *passes
) {
    i64 first = c->starts[current], end = c->starts[current + 1], highest = c->gains[first];
    for (i64 m = first + 1; m < end; m++) highest = most(highest, c->gains[m]);
    *takes = *passes = 0;
    for (i64 rank = 0; rank < count; rank++) {
        const Path *path = &b->paths[b->order[rank]];
        i64 value = path->merit;
        if (*takes == beam && value - highest >= b->takes[beam - 1].merit)
            return;  /* neither this path nor a later one leads into the beam */
        i32 what = KEEP;
        if (path->following <= current) {
            what = SKIP;
            const u64 *used = b->used + b->order[rank] * words;
            for (i64 m = first; m < end; m++) {
                Match match = c->matches[m];
                if (!is_free(used, words, match, c->masks[m])) continue;
                i64 merit = value - c->gains[m];
                if (path->last != -1 && path->last != match.hypothesis_start) merit += CHUNK;
                if (*takes < beam || merit < b->takes[beam - 1].merit)
                    *takes = put_offer(b->takes, *takes, beam, (Offer){merit, (i32)m, (i32)rank});
                value += distance(current, match.hypothesis_start);
            }
            if (path->last != -1) value += CHUNK;
        }
        if (*takes == beam && value >= b->takes[beam - 1].merit) continue;
        if (*passes < beam || value < b->passes[beam - 1].merit)
            *passes = put_offer(b->passes, *passes, beam, (Offer){value, what, (i32)rank});
    }
}

/* A new path in a free place: `from` with one match more. */
static void take_match(
    Beam *b, const Choices *c, Offer offer, i64 from, i64 to, i64 current, i64 words, i64 link
) {
    Match match = c->matches[offer.match];
    const u64 *old = b->used + from * words;
    u64 *new = b->used + to * words;
    if (words == 1) {
        new[0] = old[0] | c->masks[offer.match];
    } else {
        i64 end = match.hypothesis_start + match.hypothesis_length;
        memcpy(new, old, (size_t)words * sizeof(u64));
        for (i64 at = match.hypothesis_start; at < end; at++) new[at >> 6] |= (u64)1 << (at & 63);
    }
    b->links[link] = (LinkOfMatches){offer.match, (i32)b->paths[from].chain};
    b->paths[to].merit = offer.merit;
    b->paths[to].last = match.hypothesis_start + match.hypothesis_length;
    b->paths[to].following = current + match.reference_length;
    b->paths[to].chain = link;
}

/* The best of both lists, of equals the one that arose first: by the rank of its path, and taking
   before passing. New paths go to places that no path of the old beam has. */
static i64 next_beam(
    Beam *b, i64 count, const Choices *c, i64 current, i64 beam, i64 words, i64 takes, i64 passes,
    i64 *linked
) {
    i64 taken = 0, passed = 0, place = 0, size = 0;
    while (size < beam && (taken < takes || passed < passes)) {
        const Offer *take = &b->takes[taken], *pass = &b->passes[passed];
        bool takes_next = passed == passes                ? true
                          : taken == takes                ? false
                          : take->merit != pass->merit    ? take->merit < pass->merit
                                                          : take->rank <= pass->rank;
        if (takes_next) {
            while (b->paths[place].is_taken) place++;
            take_match(b, c, *take, b->order[take->rank], place, current, words, (*linked)++);
            b->picked[size++] = place++;
            taken++;
        } else {
            i64 path = b->order[pass->rank];
            if (pass->match == SKIP) {
                b->paths[path].merit = pass->merit;
                b->paths[path].last = -1;
                b->paths[path].following = current + 1;
            }
            b->picked[size++] = path;
            passed++;
        }
    }
    for (i64 k = 0; k < count; k++) b->paths[b->order[k]].is_taken = false;
    for (i64 k = 0; k < size; k++) {
        b->order[k] = b->picked[k];
        b->paths[b->order[k]].is_taken = true;
    }
    return size;
}

/* Complete `chosen` (the match of each reference word that starts one) by the best path. words: how
   many words of 64 bits hold the hypothesis. */
static void search(Beam *b, const Choices *c, i64 length, i64 beam, i64 words, i32 *chosen) {
    for (i64 path = 0; path < 2 * beam; path++) b->paths[path].is_taken = false;
    memset(b->used, 0, (size_t)words * sizeof(u64));
    b->paths[0] = (Path){(i64)65535 << COVERED, -1, 0, -1, true};
    b->order[0] = 0;
    i64 count = 1, linked = 0;
    for (i64 current = 0; current < length; current++) {
        if (chosen[current] >= 0 || c->starts[current] == c->starts[current + 1]) {
            pass_word(b, count, c, current, chosen[current]);
            continue;
        }
        i64 takes, passes;
        list_offers(b, count, c, current, beam, words, &takes, &passes);
        count = next_beam(b, count, c, current, beam, words, takes, passes, &linked);
    }
    i64 best = -1, link = -1;
    for (i64 k = 0; k < count; k++) {
        const Path *path = &b->paths[b->order[k]];
        i64 value = path->merit + (path->last != -1 ? CHUNK : 0);
        if (best < 0 || value < best) {
            best = value;
            link = path->chain;
        }
    }
    for (; link >= 0; link = b->links[link].before)
        chosen[c->matches[b->links[link].match].reference_start] = b->links[link].match;
}

#endif
