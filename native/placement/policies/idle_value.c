/* idle-value: where least of the node's cards is expected to be idle in the end, by a table that
 * is worked out from, or learnt of, the work that comes; what scarce room the place takes is fined
 * (see worth.h and reserve.h). Equal places: the one of least pressure, then
 * the one with least CPU left. */
#include "policies.h"

/* The expected idle of a node. Its CPU is sliced by residue; the slice of a milli-card is kept in
 * 1/65536 mCPU. The table fits into the nearest cache, so that this costs less than remembering
 * it by state would. */
static int64_t idle(const struct engine *engine, int64_t cpu, const int32_t *residues,
                    int32_t cards)
{
    int64_t free = 0, sum = 0;
    for (int32_t card = 0; card < cards; card++) {
        free += residues[card];
    }
    if (free == 0) {
        return 0;
    }
    int64_t slice = cpu > 0 ? (cpu << 16) / free : 0;
    for (int32_t card = 0; card < cards; card++) {
        if (residues[card] > 0) {
            sum += worth_at(engine->worth, residues[card], slice * residues[card] >> 16);
        }
    }
    return sum;
}

struct score idle_value(struct engine *engine, struct trial *trial)
{
    if (!trial->valued) {
        trial->value_before = idle(engine, trial->cpu_before, trial->before, trial->cards);
        trial->valued = true;
    }
    int64_t after = idle(engine, trial->cpu, trial->after, trial->cards);
    int64_t gained = trial->value_before - after - reserves_fine(engine, trial);
    int64_t pressure = reserves_pressure(engine, trial->node);
    return (struct score){floored(gained, engine->worth_step),
                          -(pressure * (1ll << 32) + trial->cpu)};
}
