/* best-fit: least left of the node, CPU and cards weighed by the largest node there may be, as in
 * Weng et al., "Beware of Fragmentation", USENIX ATC 2023. */
#include "policies.h"

enum { MOST_MCPU = 128000, MOST_MILLI = 8000 };

struct score best_fit(struct engine *engine, struct trial *trial)
{
    (void)engine;
    return (struct score){-(trial->cpu * MOST_MILLI + cards_left(trial) * MOST_MCPU), 0};
}
