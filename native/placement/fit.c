#include "fit.h"

#include "links.h"

int64_t memory_on(const struct class *class, int64_t mib)
{
    return class->mib > 0 ? class->mib : mib * class->milli / WHOLE;
}

int64_t parts_left(const struct cluster *cluster, const struct class *class, int64_t at)
{
    int64_t each = memory_on(class, cluster->mib[at]);
    int64_t by_memory = each > 0 ? cluster->mib_left[at] / each : WHOLE;
    int64_t by_compute = class->milli > 0 ? cluster->milli_left[at] / class->milli : by_memory;
    return by_memory < by_compute ? by_memory : by_compute;
}

uint64_t beside_first(const struct cluster *cluster, int32_t node, uint64_t cards)
{
    int32_t numa = cluster->numa[card_at(cluster, node, __builtin_ctzll(cards))];
    uint64_t beside = 0;
    for (uint64_t rest = cards; rest != 0; rest &= rest - 1) {
        int32_t card = __builtin_ctzll(rest);
        beside |= cluster->numa[card_at(cluster, node, card)] == numa ? 1ull << card : 0;
    }
    return beside;
}

bool takes(const struct cluster *cluster, const struct class *class, int64_t at)
{
    int32_t flags = cluster->flags[at];
    bool parts_of_several = class->count > 1 && !whole_cards(class);
    return class->allows[cluster->model[at]] != 0 && (flags & CARD_UNHEALTHY) == 0 &&
           !((flags & CARD_MPS) != 0 && parts_of_several) && cluster->barred[at] == 0 &&
           !(whole_cards(class) && cluster->users[at] != 0);
}

uint64_t fitting_cards(const struct cluster *cluster, const struct class *class, int32_t node)
{
    uint64_t fitting = 0;
    int64_t mib = -1, asked = 0; /* of the last card: those of a node are mostly alike */
    for (int32_t card = 0; card < cluster->cards[node]; card++) {
        int64_t at = card_at(cluster, node, card);
        if (cluster->milli_left[at] < class->milli || !takes(cluster, class, at)) {
            continue;
        }
        if (cluster->mib[at] != mib) {
            mib = cluster->mib[at];
            asked = memory_on(class, mib);
        }
        fitting |= cluster->mib_left[at] >= asked ? 1ull << card : 0;
    }
    return fitting;
}

static void begin(struct trial *trial, const struct cluster *cluster, const struct class *class,
                  int32_t node)
{
    trial->class = class;
    trial->node = node;
    trial->cards = cluster->cards[node];
    trial->taken = 0;
    trial->cpu_before = cluster->cpu_left[node];
    trial->cpu = cluster->cpu_left[node] - class->cpu;
    trial->memory = cluster->memory_left[node] - class->memory;
    trial->valued = false;
    for (int32_t card = 0; card < trial->cards; card++) {
        int64_t at = card_at(cluster, node, card);
        trial->milli[card] = cluster->milli_left[at];
        trial->mib[card] = cluster->mib_left[at];
        trial->before[card] = cluster->residue[at];
        trial->after[card] = trial->before[card];
    }
}

/* Takes the class's part of the cards in the mask; with sign -1 gives it back. */
static void take(struct trial *trial, const struct cluster *cluster, uint64_t cards, int32_t sign)
{
    trial->taken = sign > 0 ? cards : 0;
    for (uint64_t rest = cards; rest != 0; rest &= rest - 1) {
        int32_t card = __builtin_ctzll(rest);
        int64_t at = card_at(cluster, trial->node, card);
        trial->milli[card] -= sign * trial->class->milli;
        trial->mib[card] -= sign * memory_on(trial->class, cluster->mib[at]);
        trial->after[card] = residue_of(cluster, at, trial->milli[card], trial->mib[card]);
    }
}

/* Whether an earlier card of the mask is just like this one. */
static bool seen_before(const struct cluster *cluster, const struct trial *trial, uint64_t mask,
                        int32_t card)
{
    int64_t at = card_at(cluster, trial->node, card);
    for (uint64_t rest = mask & ((1ull << card) - 1); rest != 0; rest &= rest - 1) {
        int32_t other = __builtin_ctzll(rest);
        int64_t there = card_at(cluster, trial->node, other);
        if (trial->milli[other] == trial->milli[card] && trial->mib[other] == trial->mib[card] &&
            cluster->mib[there] == cluster->mib[at] &&
            cluster->model[there] == cluster->model[at]) {
            return true;
        }
    }
    return false;
}

static void best_single(struct engine *engine, struct trial *trial, uint64_t fitting,
                        struct found *best)
{
    const struct cluster *cluster = &engine->cluster;
    bool first = true;
    int32_t residue = 0; /* of the best card: of equal ones the fullest is taken */
    for (uint64_t rest = fitting; rest != 0; rest &= rest - 1) {
        int32_t card = __builtin_ctzll(rest);
        if (seen_before(cluster, trial, fitting, card)) {
            continue;
        }
        take(trial, cluster, 1ull << card, 1);
        struct score score = engine->policy(engine, trial);
        take(trial, cluster, 1ull << card, -1);
        bool tighter = !engine->first_card && !better(best->score, score) &&
                       trial->before[card] < residue;
        if (first || better(score, best->score) || tighter) {
            *best = (struct found){score, 1ull << card};
            residue = trial->before[card];
            first = false;
        }
    }
}

bool evaluate(struct engine *engine, const struct class *class, int32_t node,
              struct found *best)
{
    const struct cluster *cluster = &engine->cluster;
    engine->evaluations++;
    if (!cluster->present[node] || !suits(class, node) ||
        (class->cpu > 0 && cluster->cpu_left[node] < class->cpu) ||
        (class->memory > 0 && cluster->memory_left[node] < class->memory)) {
        return false;
    }
    uint64_t fitting = class->count > 0 ? fitting_cards(cluster, class, node) : 0;
    if (__builtin_popcountll(fitting) < class->count) {
        return false;
    }
    struct trial trial;
    begin(&trial, cluster, class, node);
    if (class->count == 1 && !whole_cards(class)) {
        best_single(engine, &trial, fitting, best);
        return true;
    }
    uint64_t cards = choose_cards(engine, class, node, fitting);
    if (class->count > 0 && cards == 0) {
        return false;
    }
    take(&trial, cluster, cards, 1);
    *best = (struct found){engine->policy(engine, &trial), cards};
    return true;
}
