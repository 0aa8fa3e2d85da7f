/* Translation edit rate's search for shifts (Snover et al. 2006), as sacreBLEU's TER runs it.

   A round aligns hypothesis and reference by edit distance, lists the phrases that could move, and
   makes the move that lowers the distance most; rounds end when no move does. The result is the
   number of moves and the distance left.

   What makes it fast, none of which changes a result:

   - Distances come from bit vectors, 64 cells of the matrix in a few instructions, where the beam of
     sacreBLEU's matrix cannot matter (ter_matrix.h).
   - A moved hypothesis shares the rows before the moved span with the unmoved one. Behind it the words
     are the same: where no cell of the row there is lower than it was, the distance is not either.
   - Moves never change which words there are, so no distance falls below `floor`, the distance
     between the bags of words. A move counts as one edit: where `distance - floor` is at most 1,
     moving gains nothing.
   - Candidates are listed before any is tried: a round that reaches the limit of candidates makes no
     move, whatever its candidates are worth. */

#include "ter_matrix.h"

enum { MAX_SHIFT_SIZE = 10, MAX_SHIFT_DISTANCE = 50, MAX_CANDIDATES = 1000 };

static Scratch scratch_for(Room *room, Extent extent) {
    i64 n = extent.n, m = extent.m, blocks = least(blocks_of(m), MAX_BLOCKS);
    return (Scratch){
        .hypothesis = NEW(room, i32, n),
        .shifted = NEW(room, i32, n),
        .reference = NEW(room, i32, m),
        .last = NEW(room, i32, m),
        .next = NEW(room, i32, m),
        .alignment = NEW(room, i32, m),
        .hypothesis_errors = NEW(room, i32, n + 1),
        .reference_errors = NEW(room, i32, m + 1),
        .candidates = NEW(room, Shift, MAX_CANDIDATES + MAX_SHIFT_SIZE + 1),
        .sorted = NEW(room, Shift, MAX_CANDIDATES + MAX_SHIFT_SIZE + 1),
        .equal = NEW(room, u64, (least(m, MAX_BLOCKS * WORD) + 1) * blocks),
        .cells = NEW(room, Cells, (n + 1) * blocks),
        .final = NEW(room, i32, n + 1),
        .band = NEW(room, i32, extent.cells),
        .row = NEW(room, i32, m + 1),
    };
}

/* Put a pair into the scratch, as classes; returns the distance between the bags of words. first: -1
   for every word, before and after. */
static i64 load_pair(
    Scratch *s, const i32 *hypothesis, i64 n, const i32 *reference, i64 m, i32 *first
) {
    i32 *counts = s->row;
    for (i64 j = 0; j < m; j++) {
        i32 *class = &first[reference[j]];
        if (*class < 0) {
            *class = (i32)j;
            counts[j] = 0;
        } else {
            s->next[s->last[*class]] = (i32)j;
        }
        s->next[j] = (i32)m;
        s->reference[j] = *class;
        s->last[*class] = (i32)j;
        counts[*class]++;
    }
    i64 matched = 0;
    for (i64 i = 0; i < n; i++) {
        i32 class = first[hypothesis[i]];
        if (class < 0) {
            class = (i32)m;
        } else if (counts[class] > 0) {
            counts[class]--;
            matched++;
        }
        s->hypothesis[i] = s->shifted[i] = class;
    }
    for (i64 j = 0; j < m; j++) first[reference[j]] = -1;
    i64 blocks = blocks_of(m);
    if (blocks <= MAX_BLOCKS) {
        memset(s->equal, 0, (size_t)((m + 1) * blocks) * sizeof(u64));
        for (i64 j = 0; j < m; j++)
            s->equal[s->reference[j] * blocks + j / WORD] |= (u64)1 << (j % WORD);
    }
    return most(n, m) - matched;
}

/* Alignment and running sums of errors, going back from the end of both sentences. */
static inline void trace(Scratch *s, i64 n, i64 m, bool beam, i64 blocks) {
    i64 i = n, j = m;
    while (j > 0) {
        s->alignment[j - 1] = (i32)(i - 1);
        s->reference_errors[j] = 1;
        int move = REFERENCE;
        if (i > 0) {
            move = beam ? beam_move(s, n, m, i, j) : bits_move(s, blocks, i, j);
            if (move != REFERENCE) {
                bool right = move == BOTH && s->hypothesis[i - 1] == s->reference[j - 1];
                s->hypothesis_errors[i] = !right;
                if (right) s->reference_errors[j] = 0;
                i--;
            }
        }
        if (move != HYPOTHESIS) j--;
    }
    for (; i > 0; i--) s->hypothesis_errors[i] = 1;
    s->hypothesis_errors[0] = 0;
    for (i = 0; i < n; i++) s->hypothesis_errors[i + 1] += s->hypothesis_errors[i];
    s->reference_errors[0] = 0;
    for (j = 0; j < m; j++) s->reference_errors[j + 1] += s->reference_errors[j];
}

/* Distance of `hypothesis`; *beam: whether it comes from the rows within the beam. */
static i64 measure_pair(Scratch *s, i64 n, i64 m, bool *beam) {
    i64 blocks = blocks_of(m);
    *beam = true;
    if (blocks <= MAX_BLOCKS) {  /* the usual case, one block, is compiled on its own */
        i64 distance = blocks == 1 ? bits_rows(s, n, m, 1) : bits_rows(s, n, m, blocks);
        *beam = !beam_is_wide(n, m, distance);
        if (!*beam) return distance;
    }
    return beam_rows(s, n, m);
}

/* Alignment and errors of the edits of a measured pair. */
static void align_pair(Scratch *s, i64 n, i64 m, bool beam) {
    i64 blocks = blocks_of(m);
    if (blocks == 1 && !beam) trace(s, n, m, false, 1);
    else trace(s, n, m, beam, blocks);
}

/* Fill `candidates`; returns how many there are. *checked grows by how many count against the limit.

   A candidate is a phrase of up to 10 words that also stands in the reference, at most 50 words
   away, where some word is wrong both here and there. Its targets are behind the words that the
   reference's phrase, and the word before it, are aligned to. Targets that move nothing are counted
   only. */
static i64 list_candidates(Scratch *s, i64 n, i64 m, i64 *checked) {
    const i32 *errors = s->hypothesis_errors, *reference_errors = s->reference_errors;
    i64 found = 0;
    for (i64 i = 0; i < n; i++) {
        i32 class = s->hypothesis[i];
        if (class == m || errors[least(i + MAX_SHIFT_SIZE, n)] == errors[i]) continue;
        i64 last = least(m - 1, i + MAX_SHIFT_DISTANCE);
        for (i64 j = class; j <= last; j = s->next[j]) {
            if (j < i - MAX_SHIFT_DISTANCE) continue;
            i64 longest = least(MAX_SHIFT_SIZE, least(n - i, m - j)), length = 0;
            if (s->alignment[j] >= i)  /* no phrase moves to where it stands */
                longest = least(longest, s->alignment[j] - i);
            while (length < longest && s->hypothesis[i + length] == s->reference[j + length]) {
                length++;
                if (errors[i + length] == errors[i]) continue;
                if (reference_errors[j + length] == reference_errors[j]) continue;
                i64 previous = -1;
                for (i64 position = j - 1; position < j + length; position++) {
                    i64 target = position >= 0 ? s->alignment[position] + 1 : 0;
                    if (target == previous) continue;
                    previous = target;
                    ++*checked;
                    if (target != i)
                        s->candidates[found++] = (Shift){(i32)length, (i32)i, (i32)target};
                }
                if (*checked >= MAX_CANDIDATES) return found;
            }
        }
    }
    return found;
}

/* Distance of the hypothesis with a shift made; any number above `limit` where it is above.

   `limit` is below the distance of `hypothesis`: where that one did not need the beam, this one does
   not, and where this one does, the rows of that one are there. */
static i64 shifted_distance(Scratch *s, i64 n, i64 m, Shift shift, i64 limit) {
    if (m <= MAX_BLOCKS * WORD) {
        Move move = move_of(n, shift);
        i64 distance = m <= WORD ? bits_moved(s, n, m, move, limit)
                                 : bits_moved_blocks(s, n, m, move, limit);
        if (distance > limit || beam_is_wide(n, m, distance)) return distance;
    }
    Span span = move_phrase(s->hypothesis, s->shifted, n, shift);
    i64 distance = beam_shifted(s, n, m, span.low);
    copy_span(s->hypothesis, s->shifted, span);
    return distance;
}

/* Sort candidates by length, the longest first; of one length they keep their order. */
static void sort_candidates(Scratch *s, i64 found) {
    i64 places[MAX_SHIFT_SIZE + 1] = {0}, end = 0;
    for (i64 number = 0; number < found; number++) places[s->candidates[number].length]++;
    for (i64 length = MAX_SHIFT_SIZE; length > 0; length--) {
        i64 count = places[length];
        places[length] = end;
        end += count;
    }
    for (i64 number = 0; number < found; number++) {
        Shift shift = s->candidates[number];
        s->sorted[places[shift.length]++] = shift;
    }
}

/* Make the shift that lowers the distance most; returns by how much (0: none is made).

   To take a phrase out and to put it in changes the distance by its length at most, each: where the
   best gain so far is twice the length of a phrase, or more, it and all shorter ones gain no more. */
static i64 make_best_shift(Scratch *s, i64 n, i64 m, i64 found, i64 distance, i64 floor) {
    i64 best_gain = 0;
    Shift best = {0, 0, 0};
    sort_candidates(s, found);
    for (i64 number = 0; number < found; number++) {
        Shift shift = s->sorted[number];
        i64 needed = comes_first(shift, best) && best_gain > 0 ? best_gain : best_gain + 1;
        if (2 * shift.length < best_gain) break;
        if (2 * shift.length < needed) continue;
        i64 gain = distance - shifted_distance(s, n, m, shift, distance - needed);
        if (gain >= needed) {
            best_gain = gain;
            best = shift;
        }
        if (gain == distance - floor) break;
    }
    if (best_gain > 0)
        copy_span(s->shifted, s->hypothesis, move_phrase(s->hypothesis, s->shifted, n, best));
    return best_gain;
}

/* Shifts made, and the edit distance then left; stops early where it cannot be below `enough`. */
static i64 pair_edits(Scratch *s, i64 n, i64 m, i64 floor, i64 enough) {
    i64 shifts = 0, checked = 0;
    for (;;) {
        bool beam;
        i64 distance = measure_pair(s, n, m, &beam);
        if (distance - floor <= 1 || shifts + floor >= enough) return shifts + distance;
        align_pair(s, n, m, beam);
        i64 found = list_candidates(s, n, m, &checked);
        if (checked >= MAX_CANDIDATES) return shifts + distance;
        i64 gain = make_best_shift(s, n, m, found, distance, floor);
        if (gain == 0) return shifts + distance;
        shifts++;
        if (distance - gain == floor) return shifts + floor;
    }
}

KERNEL(ter_edits)(
    const i32 *ids, const i64 *offsets, const i64 *hypotheses, const i64 *references,
    const i64 *reference_offsets, i64 count, i64 vocabulary, double *result
) {
    OPEN(room);
    Items items = {ids, offsets, hypotheses, references, reference_offsets, count};
    Scratch scratch = scratch_for(&room, extent_of(&items, BEAM_WIDTH));
    i32 *first = NEW(&room, i32, vocabulary);
    memset(first, -1, (size_t)vocabulary * sizeof(i32));
    for (i64 item = 0; item < count; item++) {
        i64 n = length_of(&items, hypotheses[item]), best = (i64)1 << 60, length = 0;
        const i32 *hypothesis = ids + offsets[hypotheses[item]];
        for (i64 r = reference_offsets[item]; r < reference_offsets[item + 1]; r++) {
            i64 m = length_of(&items, references[r]);
            length += m;
            if (m == 0) {
                best = least(best, n);
                continue;
            }
            i64 floor =
                load_pair(&scratch, hypothesis, n, ids + offsets[references[r]], m, first);
            if (floor < best) best = least(best, pair_edits(&scratch, n, m, floor, best));
        }
        result[2 * item] = (double)best;
        result[2 * item + 1] =
            (double)length / (double)(reference_offsets[item + 1] - reference_offsets[item]);
    }
    return leave(&room, DONE);
}

/* How the edits to the first of the closest references divide; edits: (n,), their number; kinds:
   (n, 4), zeros before: insertions, deletions, substitutions and shifts. */
KERNEL(edit_kinds)(
    const i32 *ids, const i64 *offsets, const i64 *hypotheses, const i64 *references,
    const i64 *reference_offsets, i64 count, i64 vocabulary, const double *edits, double *kinds
) {
    OPEN(room);
    Items items = {ids, offsets, hypotheses, references, reference_offsets, count};
    Scratch scratch = scratch_for(&room, extent_of(&items, BEAM_WIDTH));
    i32 *first = NEW(&room, i32, vocabulary);
    memset(first, -1, (size_t)vocabulary * sizeof(i32));
    for (i64 item = 0; item < count; item++) {
        i64 n = length_of(&items, hypotheses[item]), fewest = (i64)edits[item];
        const i32 *hypothesis = ids + offsets[hypotheses[item]];
        double *own = kinds + 4 * item;
        for (i64 r = reference_offsets[item]; r < reference_offsets[item + 1]; r++) {
            i64 m = length_of(&items, references[r]);
            if (m == 0 && n != fewest) continue;
            if (m == 0) {
                own[1] = (double)n;
                break;
            }
            i64 floor =
                load_pair(&scratch, hypothesis, n, ids + offsets[references[r]], m, first);
            if (floor > fewest || pair_edits(&scratch, n, m, floor, fewest + 1) != fewest) continue;
            bool beam;
            i64 distance = measure_pair(&scratch, n, m, &beam);
            align_pair(&scratch, n, m, beam);
            own[0] = (double)(distance - scratch.hypothesis_errors[n]);
            own[1] = (double)(distance - scratch.reference_errors[m]);
            own[2] = (double)distance - own[0] - own[1];
            own[3] = (double)(fewest - distance);
            break;
        }
    }
    return leave(&room, DONE);
}
