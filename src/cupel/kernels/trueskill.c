/* TrueSkill for two players with draws, played match by match (Herbrich et al. 2006).

   The matches are chosen as Sakaguchi et al. (2014) choose them; random numbers come from outside,
   so that a seed decides them. */

#include "room.h"

#define PI 3.141592653589793

static inline double density(double x) { return exp(-0.5 * x * x) / sqrt(2.0 * PI); }

static inline double mass(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

/* wins, judged: (n, n); uniforms: (matches, 2); mean, variance: (n,), before and after; the variance
   of a system that was never judged is below 0. */
KERNEL(tournament)(
    const double *wins, const double *judged, i64 n, const double *uniforms, i64 matches,
    double noise, double margin, double *mean, double *variance
) {
    OPEN(room);
    double *chance = NEW(&room, double, n);
    for (i64 match = 0; n > 0 && match < matches; match++) {
        i64 first = 0, second = -1;
        for (i64 j = 1; j < n; j++)
            if (variance[j] > variance[first]) first = j;
        double total = 0;
        for (i64 j = 0; j < n; j++) {
            chance[j] = 0;
            if (j != first && judged[first * n + j] > 0) {
                chance[j] = exp(-fabs(mean[first] - mean[j]));
                total += chance[j];
                second = j;
            }
        }
        if (variance[first] < 0 || second < 0) break;
        double left = uniforms[2 * match] * total;
        for (i64 j = 0; j < n; j++) {
            if (chance[j] > 0 && left < chance[j]) {
                second = j;
                break;
            }
            left -= chance[j];
        }

        double spread = sqrt(2 * noise * noise + variance[first] + variance[second]);
        double drawn = margin / spread;
        double outcome = uniforms[2 * match + 1] * judged[first * n + second];
        i64 better = first, worse = second;
        double v, w;
        if (outcome < wins[first * n + second] + wins[second * n + first]) {
            if (outcome >= wins[first * n + second]) {
                better = second;
                worse = first;
            }
            double x = (mean[better] - mean[worse]) / spread - drawn;
            v = density(x) / mass(x);
            w = v * (v + x);
        } else {
            double t = (mean[first] - mean[second]) / spread;
            double between = mass(drawn - t) - mass(-drawn - t);
            v = (density(-drawn - t) - density(drawn - t)) / between;
            w = v * v +
                ((drawn - t) * density(drawn - t) + (drawn + t) * density(drawn + t)) / between;
        }
        mean[better] += variance[better] / spread * v;
        mean[worse] -= variance[worse] / spread * v;
        variance[better] *= 1.0 - variance[better] / (spread * spread) * w;
        variance[worse] *= 1.0 - variance[worse] / (spread * spread) * w;
    }
    return leave(&room, DONE);
}
