/* idle-value: where least of the node's cards is expected to be idle in the end, by a table that
 * is worked out from, or learnt of, the work that comes; what scarce room the place takes is fined
 * (see worth.h and reserve.h). Equal places: the one with least CPU left. */
#include "policies.h"

static int64_t not_idle(const struct engine *engine, int32_t kind, int64_t cpu,
                          const int32_t *residues, int32_t cards)
{
    (void)kind;
    int64_t free = 0, idle = 0;
    for (int32_t card = 0; card < cards; card++) {
        free += residues[card];
    }
    for (int32_t card = 0; card < cards; card++) {
        if (residues[card] > 0) {
            int64_t slice = cpu > 0 ? cpu * residues[card] / free : 0;
            idle += worth_at(engine->worth, residues[card], slice);
        }
    }
    return -idle;
}

static int64_t floored(int64_t value, int64_t by)
{
    return value >= 0 ? value / by : -((-value + by - 1) / by);
}

struct score idle_value(struct engine *engine, struct trial *trial)
{
    int64_t gained = gain(engine, trial, not_idle) - reserves_fine(engine, trial);
    return (struct score){floored(gained, engine->worth_step), -trial->cpu};
}
