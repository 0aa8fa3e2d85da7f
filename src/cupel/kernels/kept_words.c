/* Putting blanks between words where an earlier analysis had them (`cupel.text.kept_words`). */

#include "room.h"

enum { WHITE = 1, BLANK = 32 };

static inline bool is_white(const u8 *classes, i64 size, i32 code) {
    return code < size && classes[code] & WHITE;
}

/* Two hashes of each sentence, (sentences, 2): together they stand for it. */
KERNEL(sentence_hashes)(const i32 *codes, const i64 *offsets, i64 sentences, u64 *hashes) {
    for (i64 s = 0; s < sentences; s++) {
        u64 first = (u64)(offsets[s + 1] - offsets[s]), second = 0x9E3779B97F4A7C15u;
        for (i64 i = offsets[s]; i < offsets[s + 1]; i++) {
            first = (first ^ (u32)codes[i]) * 0xD6E8FEB86659FD93u;
            first ^= first >> 32;
            second = (second + (u32)codes[i]) * 0xC2B2AE3D27D4EB4Fu;
            second ^= second >> 29;
        }
        hashes[2 * s] = first;
        hashes[2 * s + 1] = second;
    }
    return DONE;
}

/* The code points with a blank before each word. starts: the place of a sentence in `words`, -1 where
   it stays as it is; words: from there one bit for each code point but white space, 1 where a word
   starts; `size` bytes. spaced: room for twice as many code points; ends: where sentences end there. */
KERNEL(spaced_words)(
    const i32 *codes, const i64 *offsets, i64 sentences, const u8 *classes, i64 class_count,
    const i64 *starts, const u8 *words, i64 size, i32 *spaced, i64 *ends
) {
    i64 made = 0;
    ends[0] = 0;
    for (i64 s = 0; s < sentences; s++) {
        i64 length = offsets[s + 1] - offsets[s], bit = 8 * starts[s];
        bool is_kept = starts[s] >= 0 && starts[s] + (length + 7) / 8 <= size;
        for (i64 i = offsets[s]; i < offsets[s + 1]; i++) {
            if (is_kept && !is_white(classes, class_count, codes[i])) {
                if (words[bit / 8] >> (bit % 8) & 1) spaced[made++] = BLANK;
                bit++;
            }
            spaced[made++] = codes[i];
        }
        ends[s + 1] = made;
    }
    return DONE;
}
