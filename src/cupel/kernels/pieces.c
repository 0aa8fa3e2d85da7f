/* Text as pieces between white space: splitting a whole batch, and putting tokens in their place. */

#include "room.h"

/* White space that Java and Python see differently, and surrogates. */
static inline bool is_unusual(u32 code) {
    return code == 0x0B || (0x1C <= code && code <= 0x1F) || code == 0x85 || code == 0xA0 ||
           code == 0x1680 || (0x2000 <= code && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000 ||
           (0xD800 <= code && code <= 0xDFFF);
}

static inline bool is_quote_or_comma(u32 code) {
    return code == 0x27 || code == 0x2C || code == 0x60 || code == 0x2018 || code == 0x2019;
}

static inline bool is_blank(u32 code) {
    return code == 0x20 || (0x09 <= code && code <= 0x0D && code != 0x0B);
}

typedef struct {
    i32 *numbers;
    u64 *hashes;
    i64 size;
} Slots;

static Slots slots_of(Room *room, i64 size) {
    Slots slots = {NEW(room, i32, size), NEW(room, u64, size), size};
    memset(slots.numbers, -1, (size_t)size * sizeof(i32));
    return slots;
}

static void put(Slots *slots, i32 number, u64 hash) {
    i64 mask = slots->size - 1, slot = (i64)(hash & (u64)mask);
    while (slots->numbers[slot] >= 0) slot = (slot + 1) & mask;
    slots->numbers[slot] = number;
    slots->hashes[slot] = hash;
}

static Slots grown(Room *room, const Slots *old) {
    Slots slots = slots_of(room, 4 * old->size);
    for (i64 k = 0; k < old->size; k++)
        if (old->numbers[k] >= 0) put(&slots, old->numbers[k], old->hashes[k]);
    return slots;
}

/* The number of the piece codes[start:end], -1 for a new one; starts, ends: of the others. */
static inline i32 find(
    const Slots *slots, u64 hash, const u32 *codes, i64 start, i64 end, const i64 *starts,
    const i64 *ends
) {
    i64 mask = slots->size - 1;
    for (i64 slot = (i64)(hash & (u64)mask); slots->numbers[slot] >= 0; slot = (slot + 1) & mask) {
        i32 number = slots->numbers[slot];
        if (slots->hashes[slot] != hash || ends[number] - starts[number] != end - start) continue;
        i64 k = 0;
        while (k < end - start && codes[starts[number] + k] == codes[start + k]) k++;
        if (k == end - start) return number;
    }
    return -1;
}

/* ids, starts, ends: room for as many pieces as there can be; sizes: how many pieces there are, and
   how many distinct ones. */
KERNEL(split_pieces)(
    const u32 *codes, i64 length, i32 *ids, i64 *offsets, i64 *starts, i64 *ends, u8 *is_odd,
    i64 *sizes
) {
    OPEN(room);
    Slots slots = slots_of(&room, 1024);
    i64 pieces = 0, distinct = 0, sentence = 0, start = -1;
    u64 hash = 0;
    bool quoted = false;
    for (i64 at = 0; at < length; at++) {
        u32 code = codes[at];
        if (code > 0x20 || !is_blank(code)) {
            if ((code < 0x20 || code >= 0x85) && is_unusual(code)) is_odd[sentence] = 1;
            if (start < 0) {
                start = at;
                hash = 0;
                if (quoted && is_quote_or_comma(code)) is_odd[sentence] = 1;
            }
            hash = (hash ^ code) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 32;
            continue;
        }
        if (start >= 0) {
            i32 number = find(&slots, hash, codes, start, at, starts, ends);
            if (number < 0) {
                number = (i32)distinct++;
                starts[number] = start;
                ends[number] = at;
                put(&slots, number, hash);
                if (2 * distinct > slots.size) slots = grown(&room, &slots);
            }
            ids[pieces++] = number;
            quoted = is_quote_or_comma(codes[at - 1]);
            start = -1;
        }
        if (code == 0x0A) {
            offsets[++sentence] = pieces;
            quoted = false;
        }
    }
    sizes[0] = pieces;
    sizes[1] = distinct;
    return leave(&room, DONE);
}

/* kinds: what each piece is to the one before it; variants: (pieces, 3), the row of tokens that a
   piece has before a piece of each kind, the first one at the end of a sentence. */
KERNEL(place_tokens)(
    const i32 *pieces, const i64 *offsets, i64 sentences, const u8 *kinds, const i32 *variants,
    const i32 *row_offsets, const i32 *row_tokens, i64 *token_offsets, Handed *tokens
) {
    OPEN(room);
    i32 *rows = NEW(&room, i32, offsets[sentences]);
    i64 total = 0, count = 0;
    for (i64 s = 0; s < sentences; s++) {
        for (i64 at = offsets[s]; at < offsets[s + 1]; at++) {
            int kind = at + 1 < offsets[s + 1] ? kinds[pieces[at + 1]] : 0;
            rows[at] = variants[3 * (i64)pieces[at] + kind];
            total += row_offsets[rows[at] + 1] - row_offsets[rows[at]];
        }
    }
    i32 *placed = NEW(&room, i32, total);
    token_offsets[0] = 0;
    for (i64 s = 0; s < sentences; s++) {
        for (i64 at = offsets[s]; at < offsets[s + 1]; at++)
            for (i64 k = row_offsets[rows[at]]; k < row_offsets[rows[at] + 1]; k++)
                placed[count++] = row_tokens[k];
        token_offsets[s + 1] = count;
    }
    hand_over(&room, tokens, placed, count, sizeof(i32));
    return leave(&room, DONE);
}
