/* Distinct words, numbered in order of first appearance: a hash table finds them, and compares them letter
   by letter, so that numbers are exact. */

#ifndef CUPEL_WORD_TABLE_H
#define CUPEL_WORD_TABLE_H

#include "room.h"

enum { COMMON = 0x10000 };  /* code points below are those of nearly all text */

/* The distinct words, one after the other in `letters`; word k starts at starts[k]. */
typedef struct {
    i32 *letters;
    i64 *starts;
    i64 count;
    i32 *slots;
    i64 size;
    i32 *single;  /* by code point: 1 more than the number of the word that is this one alone */
} Words;

/* letters: room for all words; starts: for their number and one more. */
static Words words_for(Room *room, i32 *letters, i64 *starts) {
    i64 size = 1 << 14;
    Words words = {letters, starts, 0, NEW(room, i32, size), size, ZEROS(room, i32, COMMON)};
    memset(words.slots, -1, (size_t)size * sizeof(i32));
    starts[0] = 0;
    return words;
}

static inline u64 hash(const i32 *codes, i64 length) {
    u64 value = 14695981039346656037u;
    for (i64 i = 0; i < length; i++) value = (value ^ (u64)(i64)codes[i]) * 1099511628211u;
    return value ^ (value >> 29);
}

/* Fill a table of twice the size with the same words. */
static void grow_words(Room *room, Words *words) {
    i64 mask = 2 * words->size - 1;
    i32 *slots = NEW(room, i32, mask + 1);
    memset(slots, -1, (size_t)(mask + 1) * sizeof(i32));
    for (i64 number = 0; number < words->count; number++) {
        i64 start = words->starts[number];
        i64 slot = (i64)hash(words->letters + start, words->starts[number + 1] - start) & mask;
        while (slots[slot] >= 0) slot = (slot + 1) & mask;
        slots[slot] = (i32)number;
    }
    words->slots = slots;
    words->size = mask + 1;
}

/* Where a word stands in the table, or the empty slot where it belongs. */
static inline i64 slot_of(const Words *words, const i32 *codes, i64 length) {
    i64 mask = words->size - 1;
    i64 slot = (i64)hash(codes, length) & mask;
    while (words->slots[slot] >= 0) {
        i64 start = words->starts[words->slots[slot]];
        if (words->starts[words->slots[slot] + 1] - start == length) {
            i64 i = 0;
            while (i < length && words->letters[start + i] == codes[i]) i++;
            if (i == length) break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* The next number, for a word that was not seen before. */
static inline i32 added_word(Words *words, const i32 *codes, i64 length) {
    i32 number = (i32)words->count++;
    memcpy(words->letters + words->starts[number], codes, (size_t)length * sizeof(i32));
    words->starts[number + 1] = words->starts[number] + length;
    return number;
}

/* The number of a word, the next one where it was not seen before. Words of one code point, most of
   those of Chinese, are found without the table. */
static inline i32 number_of(Room *room, Words *words, const i32 *codes, i64 length) {
    bool single = length == 1 && (u32)codes[0] < COMMON;
    if (single && words->single[codes[0]]) return words->single[codes[0]] - 1;
    i64 slot = slot_of(words, codes, length);
    if (words->slots[slot] >= 0) return words->slots[slot];
    i32 number = added_word(words, codes, length);
    words->slots[slot] = number;
    if (single) words->single[codes[0]] = number + 1;
    if (2 * words->count > words->size) grow_words(room, words);
    return number;
}

#endif
