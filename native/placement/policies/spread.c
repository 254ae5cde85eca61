/* spread: most left on the cards that are taken, then on the node: binpack the other way round. */
#include "policies.h"

struct score spread(struct engine *engine, struct trial *trial)
{
    struct score packed = binpack(engine, trial);
    return (struct score){-packed.major, -packed.minor};
}
