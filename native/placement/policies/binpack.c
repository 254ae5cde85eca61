/* binpack: least left over on the cards that are taken, then on all cards of the node, then of
 * its CPU, then of its memory. */
#include "policies.h"

static int64_t left_over(const struct engine *engine, const struct trial *trial)
{
    int64_t over = 0;
    for (uint64_t rest = trial->taken; rest != 0; rest &= rest - 1) {
        int32_t card = __builtin_ctzll(rest);
        int64_t whole = engine->cluster.mib[card_at(&engine->cluster, trial->node, card)];
        over += trial->milli[card] + (whole > 0 ? trial->mib[card] * WHOLE / whole : 0);
    }
    return over;
}

struct score binpack(struct engine *engine, struct trial *trial)
{
    int64_t node_left = 0;
    for (int32_t card = 0; card < trial->cards; card++) {
        node_left += trial->milli[card];
    }
    int64_t over = left_over(engine, trial);
    return (struct score){-(over * (1ll << 24) + node_left),
                          -(trial->cpu * (1ll << 32) + trial->memory)};
}
