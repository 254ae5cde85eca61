#include "survey.h"

#include <stdlib.h>

#include "fit.h"
#include "links.h"

static inline void raise_most(const struct cluster *cluster, struct most *most, int64_t amount,
                              int32_t node, int32_t card)
{
    if (most->node >= 0 && (amount < most->amount ||
                            (amount == most->amount &&
                             cluster->rank[node] >= cluster->rank[most->node]))) {
        return;
    }
    *most = (struct most){amount, node, card};
}

static int64_t positive(int64_t amount)
{
    return amount > 0 ? amount : 0;
}

static void count_node(const struct cluster *cluster, int32_t node, struct survey *survey)
{
    int64_t cpu = cluster->cpu[node], memory = cluster->memory[node];
    survey->suited++;
    survey->cpu_free += positive(cluster->cpu_left[node]);
    survey->cpu_there += cpu;
    survey->cpu_largest = cpu > survey->cpu_largest ? cpu : survey->cpu_largest;
    survey->memory_free += positive(cluster->memory_left[node]);
    survey->memory_there += memory;
    survey->memory_largest = memory > survey->memory_largest ? memory : survey->memory_largest;
}

/* The cards that fit, as a mask. */
static uint64_t count_cards(const struct cluster *cluster, const struct class *class, int32_t node,
                            struct survey *survey)
{
    uint64_t fitting = 0;
    int64_t mib = -1, asked = 0; /* of the last card: those of a node are mostly alike */
    for (int32_t card = 0; card < cluster->cards[node]; card++) {
        int64_t at = card_at(cluster, node, card);
        if (class->allows[cluster->model[at]] == 0) {
            continue;
        }
        if (cluster->mib[at] != mib) {
            mib = cluster->mib[at];
            asked = memory_on(class, mib);
        }
        survey->allowed++;
        raise_most(cluster, &survey->card_memory, cluster->mib_left[at], node, card);
        if (cluster->mib_left[at] >= asked) {
            raise_most(cluster, &survey->card_compute, cluster->milli_left[at], node, card);
            bool fits = cluster->milli_left[at] >= class->milli && takes(cluster, class, at);
            fitting |= fits ? 1ull << card : 0;
        }
    }
    survey->fitting += __builtin_popcountll(fitting);
    raise_most(cluster, &survey->cards, __builtin_popcountll(fitting), node, NO_CARD);
    return fitting;
}

/* `with_cpu` has the most memory of the nodes that have the CPU. */
static void count_served(const struct cluster *cluster, const struct class *class, int32_t node,
                         struct survey *survey, struct most *with_cpu)
{
    int64_t memory = cluster->memory_left[node];
    survey->served++;
    raise_most(cluster, &survey->cpu, cluster->cpu_left[node], node, NO_CARD);
    raise_most(cluster, &survey->memory, memory, node, NO_CARD);
    if (cluster->cpu_left[node] >= class->cpu) {
        raise_most(cluster, with_cpu, memory, node, NO_CARD);
    }
}

void survey_class(const struct engine *engine, const struct class *class, struct survey *survey)
{
    const struct cluster *cluster = &engine->cluster;
    const struct most none = {0, -1, NO_CARD};
    struct most with_cpu = none;
    *survey = (struct survey){0};
    survey->cards = survey->cpu = survey->memory = none;
    survey->card_compute = survey->card_memory = none;
    for (int32_t node = 0; node < cluster->nodes; node++) {
        if (!cluster->present[node] || !suits(class, node)) {
            continue;
        }
        count_node(cluster, node, survey);
        uint64_t fitting =
            class->count > 0 ? count_cards(cluster, class, node, survey) : 0;
        if (__builtin_popcountll(fitting) >= class->count &&
            (class->count == 0 || choose_cards(engine, class, node, fitting) != 0)) {
            count_served(cluster, class, node, survey, &with_cpu);
        }
    }
    survey->memory = with_cpu.node >= 0 ? with_cpu : survey->memory;
}

static bool easier(const struct cluster *cluster, const struct busy *one, const struct busy *other)
{
    if (one->held != other->held) {
        return one->held < other->held;
    }
    if (one->node != other->node) {
        return cluster->rank[one->node] < cluster->rank[other->node];
    }
    return one->card < other->card;
}

/* `busy` is a heap with the hardest on top: each place is harder than the two below it. */
static void sink(const struct cluster *cluster, struct busy *busy, int32_t count, int32_t at)
{
    for (;;) {
        int32_t hardest = at;
        for (int32_t below = 2 * at + 1; below <= 2 * at + 2 && below < count; below++) {
            hardest = easier(cluster, &busy[hardest], &busy[below]) ? below : hardest;
        }
        if (hardest == at) {
            return;
        }
        struct busy moved = busy[at];
        busy[at] = busy[hardest];
        busy[hardest] = moved;
        at = hardest;
    }
}

static int32_t keep(const struct cluster *cluster, struct busy *busy, int32_t count, int32_t most,
                    struct busy found)
{
    if (count < most) {
        busy[count++] = found;
        for (int32_t at = count / 2; count == most && at >= 0; at--) {
            sink(cluster, busy, count, at);
        }
    } else if (most > 0 && easier(cluster, &found, &busy[0])) {
        busy[0] = found;
        sink(cluster, busy, count, 0);
    }
    return count;
}

/* Puts the hardest of the heap last, then the next before it. */
static void sort(const struct cluster *cluster, struct busy *busy, int32_t count)
{
    for (int32_t at = count / 2; at >= 0; at--) {
        sink(cluster, busy, count, at);
    }
    for (int32_t last = count - 1; last > 0; last--) {
        struct busy hardest = busy[0];
        busy[0] = busy[last];
        busy[last] = hardest;
        sink(cluster, busy, last, 0);
    }
}

static int64_t held_of(const struct cluster *cluster, int64_t at)
{
    int64_t whole = cluster->mib[at], taken = whole - cluster->mib_left[at];
    int64_t compute = WHOLE - cluster->milli_left[at];
    if (taken == whole || taken == 0) {
        return compute + (taken > 0 ? WHOLE : 0);
    }
    return compute + (whole > 0 ? taken * WHOLE / whole : 0);
}

int32_t easiest_cards(const struct engine *engine, const struct class *class, int32_t node,
                      int32_t most, struct busy *busy)
{
    const struct cluster *cluster = &engine->cluster;
    int32_t count = 0, first = node < 0 ? 0 : node, end = node < 0 ? cluster->nodes : node + 1;
    for (int32_t there = first; there < end; there++) {
        if (!cluster->present[there] || !suits(class, there)) {
            continue;
        }
        uint64_t fitting = fitting_cards(cluster, class, there);
        for (int32_t card = 0; card < cluster->cards[there]; card++) {
            int64_t at = card_at(cluster, there, card);
            if ((fitting >> card & 1) == 0 && cluster->users[at] != 0 &&
                class->allows[cluster->model[at]] != 0) {
                count = keep(cluster, busy, count, most,
                             (struct busy){held_of(cluster, at), there, card});
            }
        }
    }
    sort(cluster, busy, count);
    return count;
}
