/* dot-product: the place whose free room points least the way of what is asked, each dimension
 * by the largest node there may be (Grandl et al., "Multi-resource packing", SIGCOMM 2014, in the
 * form that Weng et al., USENIX ATC 2023, compare with). */
#include "policies.h"

enum { MOST_MCPU = 128000, MOST_MILLI = 8000 };

struct score dot_product(struct engine *engine, struct trial *trial)
{
    (void)engine;
    int64_t asked = (int64_t)trial->class->count * trial->class->milli;
    int64_t free = cards_left(trial) + asked;
    int64_t cpu = trial->cpu_before * trial->class->cpu / MOST_MCPU;
    int64_t cards = free * asked / MOST_MILLI;
    return (struct score){-(cpu * MOST_MILLI + cards * MOST_MCPU), 0};
}
