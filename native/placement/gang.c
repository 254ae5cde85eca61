#include "gang.h"

#include "fit.h"

void take_place(struct engine *engine, const struct class *class, int32_t node, uint64_t cards,
                bool bar)
{
    struct cluster *cluster = &engine->cluster;
    for (uint64_t rest = cards; rest != 0; rest &= rest - 1) {
        int32_t card = __builtin_ctzll(rest);
        int64_t mib = memory_on(class, cluster->mib[card_at(cluster, node, card)]);
        cluster_move(cluster, (struct move){node, card, class->milli, mib, 1, bar ? 1 : 0});
    }
    cluster_move(cluster, (struct move){node, NO_CARD, class->cpu, class->memory, 0, 0});
}

/* Members with `count` different cards each, where card j serves at most times[j] members: the
 * most t such that the sum of min(times[j], t) is t * count. */
static int32_t most_members(const int32_t *times, int32_t cards, int32_t count)
{
    int64_t total = 0;
    for (int32_t card = 0; card < cards; card++) {
        total += times[card];
    }
    for (int64_t most = total / count;; most = total / count) {
        total = 0;
        for (int32_t card = 0; card < cards; card++) {
            total += times[card] < most ? times[card] : most;
        }
        if (total >= most * count) {
            return (int32_t)most;
        }
    }
}

/* How many members the cards in the mask serve. */
static int32_t by_cards(const struct cluster *cluster, const struct class *class, int32_t node,
                        uint64_t fitting, bool apart)
{
    int32_t times[MOST_CARDS], cards = 0;
    for (uint64_t rest = fitting; rest != 0; rest &= rest - 1) {
        int64_t at = card_at(cluster, node, __builtin_ctzll(rest));
        bool once = apart || whole_cards(class);
        times[cards++] = once ? 1 : (int32_t)parts_left(cluster, class, at);
    }
    return most_members(times, cards, class->count);
}

static int32_t by_numa(const struct cluster *cluster, const struct class *class, int32_t node,
                       uint64_t fitting, bool apart)
{
    int32_t members = 0;
    while (fitting != 0) {
        uint64_t there = beside_first(cluster, node, fitting);
        members += by_cards(cluster, class, node, there, apart);
        fitting &= ~there;
    }
    return members;
}

static int64_t times_in(int64_t left, int64_t each)
{
    if (each <= 0) {
        return INT32_MAX;
    }
    return left < 0 ? 0 : left / each;
}

int32_t members_fitting(const struct engine *engine, const struct class *class, int32_t node,
                        bool apart)
{
    const struct cluster *cluster = &engine->cluster;
    if (!cluster->present[node] || !suits(class, node)) {
        return 0;
    }
    int64_t members = times_in(cluster->cpu_left[node], class->cpu);
    int64_t by_memory = times_in(cluster->memory_left[node], class->memory);
    members = by_memory < members ? by_memory : members;
    if (members == 0 || class->count == 0) {
        return (int32_t)(members < INT32_MAX ? members : INT32_MAX);
    }
    uint64_t fitting = fitting_cards(cluster, class, node);
    int64_t served = class->one_numa ? by_numa(cluster, class, node, fitting, apart)
                                     : by_cards(cluster, class, node, fitting, apart);
    return (int32_t)(served < members ? served : members);
}
