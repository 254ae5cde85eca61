#include "policies.h"

static int64_t worth(struct engine *engine, int32_t kind, int64_t cpu, const int32_t *residues,
                     int32_t cards, valuation value)
{
    struct memo_key key;
    int32_t sorted[MOST_CARDS];
    for (int32_t card = 0; card < cards; card++) {
        sorted[card] = residues[card];
    }
    if (!memo_key(&key, kind, cpu, sorted, cards)) {
        return value(engine, kind, cpu, sorted, cards);
    }
    struct memo_entry *entry = memo_find(&engine->memo, key);
    if (entry->key.high == 0) {
        *entry = (struct memo_entry){key, value(engine, kind, cpu, sorted, cards)};
    }
    return entry->value;
}

int64_t gain(struct engine *engine, struct trial *trial, valuation value)
{
    int32_t kind = engine->cluster.kind[trial->node];
    if (!trial->valued) {
        trial->value_before =
            worth(engine, kind, trial->cpu_before, trial->before, trial->cards, value);
        trial->valued = true;
    }
    return worth(engine, kind, trial->cpu, trial->after, trial->cards, value) -
           trial->value_before;
}

int64_t quantised(const struct engine *engine, int64_t gain)
{
    int32_t low = 0, high = engine->steps_count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (engine->steps[middle] <= gain) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int64_t cards_left(const struct trial *trial)
{
    int64_t left = 0;
    for (int32_t card = 0; card < trial->cards; card++) {
        left += trial->after[card];
    }
    return left;
}

int64_t floored(int64_t value, int64_t by)
{
    return value >= 0 ? value / by : -((-value + by - 1) / by);
}
