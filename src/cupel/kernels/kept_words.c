/* Putting blanks between words where an earlier analysis had them (`cupel.text.kept_words`). */

#include "room.h"

enum { BLANK = 32 };

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

/* The code points with one blank between words. starts: the place of a sentence in `words`, -1 where it
   stays as it is; words: from there one bit for each code point that is no blank, 1 where another word
   starts; `size` bytes. spaced: room for twice as many code points; ends: where sentences end there. */
KERNEL(spaced_words)(
    const i32 *codes, const i64 *offsets, i64 sentences, const i64 *starts, const u8 *words, i64 size,
    i32 *spaced, i64 *ends
) {
    i64 made = 0;
    ends[0] = 0;
    for (i64 s = 0; s < sentences; s++) {
        i64 length = offsets[s + 1] - offsets[s], bit = 8 * starts[s];
        const i32 *own = codes + offsets[s];
        if (starts[s] < 0 || starts[s] + (length + 7) / 8 > size) {
            memcpy(spaced + made, own, (size_t)length * sizeof(i32));
            made += length;
        } else {
            for (i64 i = 0; i < length; i++) {
                if (own[i] == BLANK) continue;
                spaced[made] = BLANK;
                made += words[bit / 8] >> (bit % 8) & 1;
                bit++;
                spaced[made++] = own[i];
            }
        }
        ends[s + 1] = made;
    }
    return DONE;
}
