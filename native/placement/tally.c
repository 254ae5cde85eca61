#include "tally.h"

#include "fit.h"
#include "links.h"

static enum lack lacking_card(const struct cluster *cluster, const struct class *class,
                              int32_t node)
{
    int32_t allowed = 0;
    bool roomy = false;
    for (int32_t card = 0; card < cluster->cards[node]; card++) {
        int64_t at = card_at(cluster, node, card);
        if (class->allows[cluster->model[at]] == 0) {
            continue;
        }
        allowed++;
        roomy = roomy || cluster->mib_left[at] >= memory_on(class, cluster->mib[at]);
    }
    if (allowed < class->count) {
        return LACK_MODEL;
    }
    if (class->count > 1 || whole_cards(class)) {
        return LACK_CARDS;
    }
    return roomy ? LACK_CARD_COMPUTE : LACK_CARD_MEMORY;
}

enum lack what_lacks(const struct engine *engine, const struct class *class, int32_t node)
{
    const struct cluster *cluster = &engine->cluster;
    if (!suits(class, node)) {
        return LACK_SUITED;
    }
    uint64_t fitting = class->count > 0 ? fitting_cards(cluster, class, node) : 0;
    if (__builtin_popcountll(fitting) < class->count) {
        return lacking_card(cluster, class, node);
    }
    if (class->cpu > 0 && cluster->cpu_left[node] < class->cpu) {
        return LACK_CPU;
    }
    if (class->memory > 0 && cluster->memory_left[node] < class->memory) {
        return LACK_MEMORY;
    }
    bool none = class->count > 0 && choose_cards(engine, class, node, fitting) == 0;
    return none ? LACK_CARDS : LACK_NOTHING;
}
