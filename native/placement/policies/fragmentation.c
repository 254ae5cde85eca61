/* fragmentation: where the room that expected work cannot use grows least (Weng et al., "Beware of
 * Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX
 * ATC 2023). Of a node with residues g and free CPU c, a kind of work m with weight p cannot use
 *
 *     all g                   if it asks for no card, or does not fit
 *     the g that are below q  otherwise
 *
 * The gain is quantised; equal places are packed. `fgd-published` is the variant behind the
 * published figures: equal places go to the node of lowest rank. */
#include "policies.h"

static int64_t unusable(const struct kind_of_work *work, int32_t model, int64_t cpu,
                        const int32_t *residues, int32_t cards)
{
    int64_t all = 0, small = 0;
    int32_t fitting = 0;
    for (int32_t card = 0; card < cards; card++) {
        bool fits = residues[card] >= work->milli;
        all += residues[card];
        small += fits ? 0 : residues[card];
        fitting += fits;
    }
    bool fits = work->count > 0 && cpu >= work->cpu && work->allows[model] && fitting >= work->count;
    return fits ? small : all;
}

static int64_t usable(const struct engine *engine, int32_t kind, int64_t cpu,
                      const int32_t *residues, int32_t cards)
{
    int64_t wasted = 0;
    for (int32_t at = 0; at < engine->works; at++) {
        const struct kind_of_work *work = &engine->work[at];
        wasted += work->weight * unusable(work, engine->kind_models[kind], cpu, residues, cards);
    }
    return -wasted;
}

struct score fgd_published(struct engine *engine, struct trial *trial)
{
    return (struct score){quantised(engine, gain(engine, trial, usable)), 0};
}

struct score fragmentation(struct engine *engine, struct trial *trial)
{
    int64_t left = cards_left(trial) * (1ll << 32) + trial->cpu;
    return (struct score){quantised(engine, gain(engine, trial, usable)), -left};
}
