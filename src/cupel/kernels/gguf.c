/* Reading GGUF files of models: where texts lie, and blocks of small numbers made floats.

   A block of 32 or 256 numbers has its own scale. Each float is computed as the format's definition
   says, in single precision. */

#include "room.h"

enum { Q5_0 = 6, Q8_0 = 8, Q4_K = 12, Q6_K = 14 };
enum { SMALL = 32, LARGE = 256 };

/* A number of half precision. */
static float half(const u8 *bytes) {
    u32 bits = (u32)bytes[0] | (u32)bytes[1] << 8;
    u32 exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size;
    if (exponent == 31) {
        size = fraction ? NAN : INFINITY;
    } else if (exponent == 0) {
        size = ldexpf((float)fraction, -24);
    } else {
        u32 single = (exponent + 112) << 23 | fraction << 13;
        memcpy(&size, &single, sizeof size);
    }
    return bits >> 15 ? -size : size;
}

/* A scale, and 32 numbers of 8 bits. */
static void decode_q8_0(const u8 *block, float *out) {
    float scale = half(block);
    for (int i = 0; i < SMALL; i++) out[i] = scale * (float)(int8_t)block[2 + i];
}

/* A scale, the fifth bits of 32 numbers, their other four. */
static void decode_q5_0(const u8 *block, float *out) {
    float scale = half(block);
    u32 fifth = (u32)block[2] | (u32)block[3] << 8 | (u32)block[4] << 16 | (u32)block[5] << 24;
    for (int i = 0; i < SMALL / 2; i++) {
        u32 low = (block[6 + i] & 15) | (fifth >> i & 1) << 4;
        u32 high = block[6 + i] >> 4 | (fifth >> (i + 16) & 1) << 4;
        out[i] = scale * (float)((i32)low - 16);
        out[i + SMALL / 2] = scale * (float)((i32)high - 16);
    }
}

/* Two scales, eight pairs of 6 bits (scale and minimum), and 256 numbers of 4 bits. */
static void decode_q4_k(const u8 *block, float *out) {
    float scale = half(block), least_scale = half(block + 2);
    const u8 *packed = block + 4, *numbers = block + 16;
    for (int group = 0; group < 8; group++) {
        int at = group & 3;
        u32 own = packed[at] & 63, lowest = packed[at + 4] & 63;
        if (group > 3) {
            own = (packed[at + 8] & 15) | (packed[at] >> 6) << 4;
            lowest = packed[at + 8] >> 4 | (packed[at + 4] >> 6) << 4;
        }
        float factor = scale * (float)own, shift = least_scale * (float)lowest;
        const u8 *bytes = numbers + SMALL * (group / 2);
        int bits = 4 * (group & 1);
        for (int i = 0; i < SMALL; i++)
            out[SMALL * group + i] = factor * (float)(bytes[i] >> bits & 15) - shift;
    }
}

/* 256 numbers of 6 bits (four and two), 16 scales, and their scale. */
static void decode_q6_k(const u8 *block, float *out) {
    float scale = half(block + 208);
    for (int group = 0; group < 8; group++) {  /* of 32 numbers */
        int part = group / 4, quarter = group & 3;
        const u8 *low = block + 64 * part + SMALL * (quarter & 1);
        const u8 *high = block + 128 + SMALL * part;
        for (int i = 0; i < SMALL; i++) {
            u32 number = (low[i] >> 4 * (quarter / 2) & 15) | (high[i] >> 2 * quarter & 3) << 4;
            float own = scale * (float)(int8_t)block[192 + 2 * group + i / 16];
            out[SMALL * group + i] = own * (float)((i32)number - 32);
        }
    }
}

/* blocks: `count` of them, one after the other. */
KERNEL(decode_blocks)(const u8 *blocks, i64 count, i64 format, float *out) {
    for (i64 block = 0; block < count; block++) {
        switch (format) {
            case Q5_0: decode_q5_0(blocks + 22 * block, out + SMALL * block); break;
            case Q8_0: decode_q8_0(blocks + 34 * block, out + SMALL * block); break;
            case Q4_K: decode_q4_k(blocks + 144 * block, out + LARGE * block); break;
            case Q6_K: decode_q6_k(blocks + 210 * block, out + LARGE * block); break;
        }
    }
    return DONE;
}

/* Texts lie one after the other from bytes[start] on, each behind its length in 8 bytes. last: where
   the last one ends, -1 where that is beyond the end. */
KERNEL(text_places)(
    const u8 *bytes, i64 size, i64 start, i64 count, i64 *starts, i64 *ends, i64 *last
) {
    i64 at = start;
    *last = -1;
    for (i64 text = 0; text < count; text++) {
        if (at > size - 8) return DONE;
        u64 length = 0;
        for (int i = 7; i >= 0; i--) length = length << 8 | bytes[at + i];
        at += 8;
        if (length > (u64)(size - at)) return DONE;
        starts[text] = at;
        at += (i64)length;
        ends[text] = at;
    }
    *last = at;
    return DONE;
}
