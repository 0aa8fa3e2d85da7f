/* Fixed and floating structures of many dependency trees at once (see `cupel.syntax.ngrams`). */

#include "room.h"

typedef struct {
    i32 kind, first, length;
} Structure;

enum { FIXED, FLOATING };

typedef struct {
    Structure *rows;
    i64 count, size;
} Structures;

static inline void put(Room *room, Structures *found, Structure row) {
    if (found->count == found->size) {
        found->size *= 2;
        found->rows = larger(room, found->rows, found->count, found->size, sizeof(Structure));
    }
    found->rows[found->count++] = row;
}

/* The words that some neighbours dominate: from where to where they stand, and how many they are. */
typedef struct {
    i64 low, high, words;
} Span;

static inline Span joined(Span a, Span b) {
    return (Span){least(a.low, b.low), most(a.high, b.high), a.words + b.words};
}

static inline bool is_contiguous(Span span) { return span.high - span.low + 1 == span.words; }

KERNEL(find_structures)(
    const i64 *offsets, i64 trees, const i32 *first, const i32 *last, const i32 *size,
    const i32 *children, const i64 *starts, i64 longest, i64 *ends, Handed *rows
) {
    OPEN(room);
    Structures found = {NEW(&room, Structure, 1024), 0, 1024};
    ends[0] = 0;
    for (i64 t = 0; t < trees; t++) {
        i64 base = offsets[t];
#define SPAN(child) ((Span){first[base + (child)], last[base + (child)], size[base + (child)]})
        for (i64 head = base; head < offsets[t + 1]; head++) {
            i64 begin = starts[head], end = starts[head + 1];
            i64 middle = begin;  /* the first child on the right */
            while (middle < end && children[middle] < head - base) middle++;
            /* Fixed: the head, the nearest children to its left and the nearest to its right. */
            Span span = {head - base, head - base, 1};
            for (i64 left = middle; left >= begin; left--) {
                if (left < middle) span = joined(span, SPAN(children[left]));
                if (span.words > longest) break;
                Span whole = span;
                for (i64 right = middle - 1; right < end; right++) {
                    if (right >= middle) whole = joined(whole, SPAN(children[right]));
                    if (whole.words > longest) break;
                    if (whole.words > 1 && is_contiguous(whole))
                        put(&room, &found, (Structure){FIXED, (i32)whole.low, (i32)whole.words});
                }
            }
            /* Floating: two or more consecutive children. */
            for (i64 one = begin; one < end; one++) {
                span = SPAN(children[one]);
                for (i64 other = one + 1; other < end && span.words < longest; other++) {
                    span = joined(span, SPAN(children[other]));
                    if (span.words <= longest && is_contiguous(span))
                        put(&room, &found, (Structure){FLOATING, (i32)span.low, (i32)span.words});
                }
            }
        }
#undef SPAN
        ends[t + 1] = found.count;
    }
    hand_over(&room, rows, found.rows, found.count, sizeof(Structure));
    return leave(&room, DONE);
}
