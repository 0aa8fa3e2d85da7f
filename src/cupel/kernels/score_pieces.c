/* Cutting texts into pieces of a vocabulary by joining neighbours: byte-pair encoding by scores.

   A text begins as its characters. Of all neighbours whose join is a piece the two with the highest
   score are joined, the first of equal ones, until there are none. A heap has the joins to come; one
   whose sides have grown since is passed over. A character that is no piece becomes its bytes. */

#include "room.h"

/* Pieces by their number, and a table by their bytes: `slots`, of which `size` is a power of two, has
   -1 where there is none. */
typedef struct {
    const u8 *bytes;
    const i64 *starts, *ends;
    const float *scores;
    i32 *slots;
    i64 size;
} Vocabulary;

static inline u64 hash_of(const u8 *bytes, i64 length) {
    u64 code = (u64)length;
    for (i64 i = 0; i < length; i++) code = (code ^ bytes[i]) * 0x9E3779B97F4A7C15u;
    return code ^ code >> 32;
}

/* Where a piece stands in the table, or the empty slot where it belongs. */
static i64 slot_of(const Vocabulary *pieces, const u8 *bytes, i64 length) {
    i64 mask = pieces->size - 1, slot = (i64)(hash_of(bytes, length) & (u64)mask);
    for (; pieces->slots[slot] >= 0; slot = (slot + 1) & mask) {
        i32 number = pieces->slots[slot];
        if (pieces->ends[number] - pieces->starts[number] == length &&
            memcmp(pieces->bytes + pieces->starts[number], bytes, (size_t)length) == 0)
            break;
    }
    return slot;
}

/* Enter the pieces that `is_used`; of equal ones the last. slots: full of -1, over twice as many. */
KERNEL(piece_slots)(
    const u8 *bytes, const i64 *starts, const i64 *ends, const u8 *is_used, i64 count, i32 *slots,
    i64 size
) {
    Vocabulary pieces = {bytes, starts, ends, NULL, slots, size};
    for (i64 number = 0; number < count; number++)
        if (is_used[number])
            slots[slot_of(&pieces, bytes + starts[number], ends[number] - starts[number])] =
                (i32)number;
    return DONE;
}

typedef struct {
    float score;
    i32 left, right;  /* symbols */
    i64 length;       /* of both */
    i32 number;
} Join;

static inline bool is_before(const Join *a, const Join *b) {
    return a->score > b->score || (a->score == b->score && a->left < b->left);
}

/* A part of the text; length 0 once it was joined to the one before. */
typedef struct {
    i64 start, length;
    i32 before, after;
} Symbol;

typedef struct {
    const Vocabulary *pieces;
    const u8 *text;
    Symbol *symbols;
    Join *heap;
    i64 count;
} State;

static void push(State *state, Join join) {
    i64 at = state->count++;
    for (; at > 0 && is_before(&join, &state->heap[(at - 1) / 2]); at = (at - 1) / 2)
        state->heap[at] = state->heap[(at - 1) / 2];
    state->heap[at] = join;
}

static Join pop(State *state) {
    Join first = state->heap[0], last = state->heap[--state->count];
    i64 at = 0;
    for (;;) {
        i64 child = 2 * at + 1;
        if (child >= state->count) break;
        if (child + 1 < state->count && is_before(&state->heap[child + 1], &state->heap[child]))
            child++;
        if (!is_before(&state->heap[child], &last)) break;
        state->heap[at] = state->heap[child];
        at = child;
    }
    state->heap[at] = last;
    return first;
}

static void offer(State *state, i32 left, i32 right) {
    if (left < 0 || right < 0) return;
    const Symbol *first = &state->symbols[left];
    i64 length = first->length + state->symbols[right].length;
    const Vocabulary *pieces = state->pieces;
    i32 number = pieces->slots[slot_of(pieces, state->text + first->start, length)];
    if (number >= 0) push(state, (Join){pieces->scores[number], left, right, length, number});
}

/* Bytes of the UTF-8 character that starts here. */
static inline i64 width(const u8 *text, i64 rest) {
    i64 bytes = *text < 0xC0 ? 1 : *text < 0xE0 ? 2 : *text < 0xF0 ? 3 : 4;
    return least(bytes, rest);
}

static i32 split_characters(State *state, i64 length) {
    i32 count = 0;
    for (i64 at = 0; at < length; count++) {
        i64 bytes = width(state->text + at, length - at);
        state->symbols[count] = (Symbol){at, bytes, count - 1, count + 1};
        at += bytes;
    }
    if (count > 0) state->symbols[count - 1].after = -1;
    return count;
}

static void join_symbols(State *state, i32 symbols) {
    state->count = 0;
    for (i32 left = 0; left + 1 < symbols; left++) offer(state, left, left + 1);
    while (state->count > 0) {
        Join join = pop(state);
        Symbol *left = &state->symbols[join.left], *right = &state->symbols[join.right];
        if (left->length == 0 || right->length == 0 || left->after != join.right ||
            left->length + right->length != join.length)
            continue;
        left->length = join.length;
        right->length = 0;
        left->after = right->after;
        if (right->after >= 0) state->symbols[right->after].before = join.left;
        offer(state, left->before, join.left);
        offer(state, join.left, left->after);
    }
}

/* of_bytes: (256,) the pieces of single bytes. ids: room for as many as there are bytes. */
KERNEL(joined_pieces)(
    const u8 *bytes, const i64 *starts, const i64 *ends, const float *scores, i32 *slots, i64 size,
    const i32 *of_bytes, const u8 *text, const i64 *offsets, i64 texts, i32 *ids, i64 *id_offsets
) {
    OPEN(room);
    Vocabulary pieces = {bytes, starts, ends, scores, slots, size};
    i64 longest = longest_of(offsets, texts), count = 0;
    /* Each join offers two more, and there are fewer joins than characters. */
    State state = {&pieces, text, NEW(&room, Symbol, longest), NEW(&room, Join, 3 * longest), 0};
    id_offsets[0] = 0;
    for (i64 t = 0; t < texts; t++) {
        state.text = text + offsets[t];
        i32 symbols = split_characters(&state, offsets[t + 1] - offsets[t]);
        join_symbols(&state, symbols);
        for (i32 s = 0; s < symbols; s++) {
            const u8 *first = state.text + state.symbols[s].start;
            i64 length = state.symbols[s].length;
            if (length == 0) continue;
            i32 number = slots[slot_of(&pieces, first, length)];
            if (number >= 0) {
                ids[count++] = number;
            } else {
                for (i64 i = 0; i < length; i++) ids[count++] = of_bytes[first[i]];
            }
        }
        id_offsets[t + 1] = count;
    }
    return leave(&room, DONE);
}
