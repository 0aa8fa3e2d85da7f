/* Counting concordant, discordant and tied pairs of rankings, for permutation tests. */

#include "room.h"

enum { PLANES = 64 };

/* Add 2^plane to 64 counters at once, those whose bit is set; counter: planes of their digits. */
static inline void add(u64 *counter, u64 bits, int plane) {
    while (bits) {
        u64 carry = counter[plane] & bits;
        counter[plane++] ^= bits;
        bits = carry;
    }
}

/* 64 trials are counted at once, digit by digit. counts: (2, 64 words, 3). */
KERNEL(swapped_counts)(
    const double *first, const double *second, i64 units, const i64 *better, const i64 *worse,
    const i64 *weight, i64 pairs, const u64 *swapped, i64 words, i64 *counts
) {
    OPEN(room);
    i64 total = 0;
    /* What the first metric says of a pair, by whether its better and its worse unit are swapped;
       the second metric then has just the other scores. */
    u8(*outcomes)[4] = (u8(*)[4])NEW(&room, u8, 4 * pairs);
    for (i64 p = 0; p < pairs; p++) {
        total += weight[p];
        for (int swap = 0; swap < 4; swap++) {
            double a = swap & 1 ? second[better[p]] : first[better[p]];
            double b = swap & 2 ? second[worse[p]] : first[worse[p]];
            outcomes[p][swap] = a > b ? 0 : a < b ? 1 : 2;
        }
    }
    for (i64 word = 0; word < words; word++) {
        u64 counters[2][2][PLANES] = {0};
        for (i64 p = 0; p < pairs; p++) {
            u64 x = swapped[word * units + better[p]], y = swapped[word * units + worse[p]];
            u64 outcome[2][3] = {0};
            for (int swap = 0; swap < 4; swap++) {
                u64 bits = (swap & 1 ? x : ~x) & (swap & 2 ? y : ~y);
                outcome[0][outcomes[p][swap]] |= bits;
                outcome[1][outcomes[p][3 - swap]] |= bits;
            }
            for (int metric = 0; metric < 2; metric++)
                for (int kind = 0; kind < 2; kind++)
                    for (int plane = 0; weight[p] >> plane > 0; plane++)
                        if (weight[p] >> plane & 1)
                            add(counters[metric][kind], outcome[metric][kind], plane);
        }
        for (int metric = 0; metric < 2; metric++) {
            for (int k = 0; k < 64; k++) {
                i64 *row = counts + ((metric * words + word) * 64 + k) * 3;
                for (int kind = 0; kind < 2; kind++)
                    for (int plane = 0; plane < 48; plane++)
                        row[kind] += (i64)(counters[metric][kind][plane] >> k & 1) << plane;
                row[2] = total - row[0] - row[1];
            }
        }
    }
    return leave(&room, DONE);
}
