/* dot-product: the place whose free room points least the way of what is asked, each dimension
 * by the largest node there may be, in whole percent (Grandl et al., "Multi-resource packing",
 * SIGCOMM 2014, in the form that Weng et al., USENIX ATC 2023, compare with). The whole percents
 * are part of it: told apart more finely it packs up to a point worse. */
#include "policies.h"

struct score dot_product(struct engine *engine, struct trial *trial)
{
    (void)engine;
    int64_t asked = (int64_t)trial->class->count * trial->class->milli;
    int64_t free = cards_left(trial) + asked;
    int64_t product = trial->cpu_before * trial->class->cpu + 256 * free * asked;
    return (struct score){floored(32768000000 - product, 327680000), 0};
}
