/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Demand over time, generated from a seed: bursts, days, ramps and steps
 * (docs/autoscaling-simulation.md). Called by autoscale_compare.c.
 */

#include "sim/autoscale_load.h"

#include <math.h>

#include "base/elementary.h"
#include "base/number.h"
#include "base/random.h"

#define SECONDS_PER_HOUR 3600.0
#define HOURS_PER_DAY 24.0
#define TWO_PI 6.283185307179586

/* Levels are multiples of what the profile requests. */
#define BURST_BASE 0.5
#define BURST_LOW 1.5
#define BURST_HIGH 4.0
#define BURST_GAP_S 2700.0   /* mean time from the end of a burst to the next */
#define BURST_LENGTH_S 240.0 /* mean */
#define BURST_SHORTEST_S 30.0
#define DAY_LOW 0.25
#define DAY_RANGE 1.5
#define QUIETEST_HOUR 4.0
#define RAMP_START 0.4
#define RAMP_END 4.0
#define LEVEL_LOW 0.3
#define LEVEL_HIGH 3.5
#define LEVEL_LENGTH_S 7200.0 /* mean */

/* Noise around a level: correlated from step to step, as requests in flight are. */
#define NOISE_KEEPS 0.9
#define NOISE_SHARE 0.08

/* VRAM of a worker as shares of the profile's limit: the model, what the requests in flight need
 * (shared out over the workers), and long prompts now and then, each of which some worker has to
 * hold alone. The allocator gives memory back slowly. */
#define VRAM_MODEL 0.4
#define VRAM_PER_LEVEL 0.1
#define VRAM_LONG 0.2
#define LONG_GAP_S 28800.0  /* mean time between long prompts */
#define LONG_LENGTH_S 300.0 /* mean */
#define VRAM_HALF_LIFE_S 1800.0
#define LN_2 0.6931471805599453

const struct jl_words jl_load_words = JL_WORDS({
    { JL_LOAD_BURSTY, "bursty" },
    { JL_LOAD_DIURNAL, "diurnal" },
    { JL_LOAD_RAMP, "ramp" },
    { JL_LOAD_STEP, "step" },
});

/* Something that begins at random times and lasts for a random time. */
struct episode {
    double until_s; /* end of the present state */
    double value;   /* while it lasts; 0 between */
};

struct source {
    struct jl_random levels;
    struct jl_random noise;
    struct jl_random memory;
    struct episode burst;
    struct episode prompt;
    double level;
    double level_until_s;
    double noise_now;
    double in_flight; /* share of VRAM, as the allocator keeps it */
    double alone;
};

static double exponential(struct jl_random *random, double mean_s)
{
    return mean_s * jl_random_exponential(random);
}

static double burst_level(struct source *source, double now_s)
{
    struct episode *burst = &source->burst;
    while (now_s >= burst->until_s) {
        const bool is_over = burst->value > 0;
        burst->value = is_over ? 0 : jl_random_range(&source->levels, BURST_LOW, BURST_HIGH);
        burst->until_s += is_over ? exponential(&source->levels, BURST_GAP_S)
                                  : BURST_SHORTEST_S + exponential(&source->levels, BURST_LENGTH_S);
    }
    return BURST_BASE + burst->value;
}

static double day_level(double now_s)
{
    const double hour = now_s / SECONDS_PER_HOUR;
    return DAY_LOW + DAY_RANGE * (1 - jl_cos(TWO_PI * (hour - QUIETEST_HOUR) / HOURS_PER_DAY)) / 2;
}

/* Levels are drawn evenly on a logarithmic scale: halving is as likely as doubling. */
static double step_level(struct source *source, double now_s)
{
    while (now_s >= source->level_until_s) {
        source->level =
            jl_exp(jl_random_range(&source->levels, jl_log(LEVEL_LOW), jl_log(LEVEL_HIGH)));
        source->level_until_s += exponential(&source->levels, LEVEL_LENGTH_S);
    }
    return source->level;
}

static double level_of(enum jl_load_kind kind, struct source *source, double now_s, double end_s)
{
    switch (kind) {
    case JL_LOAD_BURSTY:
        return burst_level(source, now_s);
    case JL_LOAD_DIURNAL:
        return day_level(now_s);
    case JL_LOAD_RAMP:
        return RAMP_START + (RAMP_END - RAMP_START) * now_s / end_s;
    case JL_LOAD_STEP:
        return step_level(source, now_s);
    case JL_LOAD_TRACE:
    case JL_LOAD_UNKNOWN:
        break;
    }
    return 0;
}

/* An autoregressive process whose variance is 1, whatever NOISE_KEEPS is. */
static double with_noise(struct source *source, double level)
{
    source->noise_now = NOISE_KEEPS * source->noise_now +
                        sqrt(1 - NOISE_KEEPS * NOISE_KEEPS) * jl_random_normal(&source->noise);
    return level * jl_max(0, 1 + NOISE_SHARE * source->noise_now);
}

static double long_prompt(struct source *source, double now_s)
{
    struct episode *prompt = &source->prompt;
    while (now_s >= prompt->until_s) {
        const bool is_over = prompt->value > 0;
        prompt->value = is_over ? 0 : VRAM_LONG;
        prompt->until_s += exponential(&source->memory, is_over ? LONG_GAP_S : LONG_LENGTH_S);
    }
    return prompt->value;
}

/* Takes more at once, gives back slowly. */
static void allocate(double *held, double wanted)
{
    const double kept = jl_exp(-LN_2 * JL_LOAD_STEP_S / VRAM_HALF_LIFE_S);
    *held = jl_max(wanted, wanted + (*held - wanted) * kept);
}

/* One stream each: another kind of level leaves noise and memory as they are. */
static void begin(struct source *source, uint64_t seed)
{
    struct jl_random seeds = { .state = seed };
    source->levels.state = jl_random_next(&seeds);
    source->noise.state = jl_random_next(&seeds);
    source->memory.state = jl_random_next(&seeds);
    source->burst.until_s = exponential(&source->levels, BURST_GAP_S);
    source->prompt.until_s = exponential(&source->memory, LONG_GAP_S);
}

int jl_load_generate(enum jl_load_kind kind, uint64_t seed, double hours,
                     const struct jl_load_scale *scale, struct jl_arena *arena, struct jl_load *out)
{
    const double end_s = hours * SECONDS_PER_HOUR;
    const size_t count = (size_t)ceil(end_s / JL_LOAD_STEP_S);
    struct jl_load load = {
        .count = count,
        .tflops = JL_NEW_ARRAY(arena, count, double),
        .vram_bytes = JL_NEW_ARRAY(arena, count, double),
        .shared_bytes = JL_NEW_ARRAY(arena, count, double),
    };
    if (!load.tflops || !load.vram_bytes || !load.shared_bytes)
        return jl_arena_code(arena);

    struct source source = { .level_until_s = 0 };
    begin(&source, seed);
    for (size_t i = 0; i < count; i++) {
        const double now_s = (double)i * JL_LOAD_STEP_S;
        const double level = with_noise(&source, level_of(kind, &source, now_s, end_s));
        load.tflops[i] = level * scale->tflops;
        allocate(&source.alone, long_prompt(&source, now_s));
        allocate(&source.in_flight, VRAM_PER_LEVEL * level);
        load.vram_bytes[i] = floor((VRAM_MODEL + source.alone) * scale->vram_bytes);
        load.shared_bytes[i] = floor(source.in_flight * scale->vram_bytes * scale->workers);
    }
    *out = load;
    return 0;
}
