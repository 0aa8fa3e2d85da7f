/* Room to work in, and the door to Python.

   A kernel opens a room, takes arrays from it, and leaves it, which gives all of them back. Where
   memory runs out, `take` jumps back to the door, and the kernel answers OUT_OF_MEMORY. */

#ifndef CUPEL_ROOM_H
#define CUPEL_ROOM_H

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define KERNEL(name) EXPORT int cupel_##name

enum { DONE = 0, OUT_OF_MEMORY = 1 };

typedef union Block {
    union Block *before;
    max_align_t start_of_values;
} Block;

typedef struct {
    Block *volatile last;
    jmp_buf full;
} Room;

#define OPEN(room)             \
    Room room = {0};           \
    if (setjmp(room.full) != 0) \
    return leave(&room, OUT_OF_MEMORY)

/* Give back all that was taken after `mark`, a former value of `last`. */
static inline void release(Room *room, Block *mark) {
    while (room->last != mark) {
        Block *block = room->last;
        room->last = block->before;
        free(block);
    }
}

static inline int leave(Room *room, int state) {
    release(room, NULL);
    return state;
}

static inline void *take(Room *room, i64 count, size_t size, bool zeros) {
    Block *block = NULL;
    if (count >= 0 && (u64)count < (SIZE_MAX - sizeof(Block)) / size) {
        size_t bytes = sizeof(Block) + (size_t)count * size;
        block = zeros ? calloc(1, bytes) : malloc(bytes);
    }
    if (block == NULL) longjmp(room->full, 1);
    block->before = room->last;
    room->last = block;
    return block + 1;
}

#define NEW(room, type, count) ((type *)take(room, count, sizeof(type), false))
#define ZEROS(room, type, count) ((type *)take(room, count, sizeof(type), true))

/* An array whose size only the kernel knows: Python copies and frees it. */
typedef struct {
    void *values;
    i64 count;
} Handed;

static inline void hand_over(Room *room, Handed *handed, const void *rows, i64 count, size_t size) {
    handed->values = malloc((size_t)count * size + 1);
    if (handed->values == NULL) longjmp(room->full, 1);
    handed->count = count;
    memcpy(handed->values, rows, (size_t)count * size);
}

/* The array with room for `needed` values, the first `count` of them kept. */
static inline void *larger(Room *room, const void *values, i64 count, i64 needed, size_t size) {
    void *copy = take(room, needed, size, false);
    memcpy(copy, values, (size_t)count * size);
    return copy;
}

static inline i64 least(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 most(i64 a, i64 b) { return a > b ? a : b; }

/* The longest of sentences given by their offsets. */
static inline i64 longest_of(const i64 *offsets, i64 sentences) {
    i64 longest = 0;
    for (i64 s = 0; s < sentences; s++) longest = most(longest, offsets[s + 1] - offsets[s]);
    return longest;
}

#endif
