/* best-fit: least left of the node, CPU and cards weighed by the largest node there may be, in
 * whole percent, as the figures that Weng et al. publish beside theirs were made ("Beware of
 * Fragmentation", USENIX ATC 2023): int(100 (1 - (cpu / 128 cores + cards / 8) / 2)). */
#include "policies.h"

struct score best_fit(struct engine *engine, struct trial *trial)
{
    (void)engine;
    return (struct score){floored(256000 - trial->cpu - 16 * cards_left(trial), 2560), 0};
}
