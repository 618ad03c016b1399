/* SPDX-License-Identifier: Apache-2.0 */
#include "classify/classify_tests.h"

#include <string.h>

void classifying_begin(struct classifying *c)
{
    *c = (struct classifying){ .in = JOULIE_INIT(struct joulie_classify_input),
                               .err = JOULIE_INIT(struct joulie_error) };
    c->annotations.items = c->pairs;
}

void classifying_end(struct classifying *c)
{
    jl_arena_clear(&c->arena);
}

void measure(struct classifying *c, unsigned row, double value)
{
    memcpy((char *)&c->metrics + jl_classify_metrics_table.rows[row].offset, &value, sizeof value);
    c->metrics.window.has |= UINT64_C(1) << row;
}

void set_utilisation(struct classifying *c, double cpu_pct, double gpu_pct, double mem_pct)
{
    measure(c, JL_INDEX(jl_classify_metrics, cpu_util_pct), cpu_pct);
    measure(c, JL_INDEX(jl_classify_metrics, gpu_util_pct), gpu_pct);
    measure(c, JL_INDEX(jl_classify_metrics, mem_pressure_pct), mem_pct);
    c->has_metrics = true;
}

void set_energies(struct classifying *c, double cpu_j, double dram_j, double gpu_j)
{
    measure(c, JL_INDEX(jl_classify_metrics, cpu_energy_j), cpu_j);
    measure(c, JL_INDEX(jl_classify_metrics, dram_energy_j), dram_j);
    measure(c, JL_INDEX(jl_classify_metrics, gpu_energy_j), gpu_j);
    c->has_metrics = true;
}

void annotate(struct classifying *c, const char *key, const char *value)
{
    assert_true(c->annotations.count < JL_COUNT(c->pairs));
    c->pairs[c->annotations.count++] = (struct jl_pair){ key, value };
}

void set_hysteresis(struct classifying *c, double points)
{
    c->in.has |= JOULIE_CLASSIFY_HAS_HYSTERESIS;
    c->in.hysteresis_pct = points;
}

void set_min_confidence(struct classifying *c, double confidence)
{
    c->in.has |= JOULIE_CLASSIFY_HAS_MIN_CONFIDENCE;
    c->in.min_confidence = confidence;
}

static int classify(struct classifying *c)
{
    struct joulie_classify_input in = c->in;
    if (c->has_metrics) {
        jl_classify_put_metrics(&c->metrics, &in);
        in.rules = c->in.rules;
        in.has |= c->in.has;
        in.hysteresis_pct = c->in.hysteresis_pct;
        in.min_confidence = c->in.min_confidence;
        in.derive_class = c->in.derive_class;
        in.use_sim_texts = c->in.use_sim_texts;
    }
    jl_classify_put_annotations(&c->annotations, &in);
    if (c->previous)
        jl_classify_put_previous(c->previous, &in);
    return jl_classify(&in, c->now_ms, &c->arena, &c->result, &c->err);
}

void classify_now(struct classifying *c)
{
    if (classify(c) != 0)
        fail_msg("%s: %s", c->err.where, c->err.message);
}

int classify_fails(struct classifying *c)
{
    memset(&c->result, 0x5A, sizeof c->result);
    const struct jl_classification before = c->result;
    const int rc = classify(c);
    assert_true(rc < 0);
    assert_memory_equal(&c->result, &before, sizeof before);
    return rc;
}

const char *reason_of(const struct classifying *c)
{
    return c->result.status.classification_reason;
}

static void assert_same_part(const struct jl_profile_part *a, const struct jl_profile_part *b)
{
    assert_int_equal(a->has, b->has);
    assert_int_equal(a->intensity, b->intensity);
    assert_int_equal(a->bound, b->bound);
    assert_int_equal(a->cap_sensitivity, b->cap_sensitivity);
    assert_near(a->avg_utilization_pct, b->avg_utilization_pct, 0);
}

void assert_same_profile(const struct jl_profile_status *a, const struct jl_profile_status *b)
{
    assert_int_equal(a->has, b->has);
    assert_int_equal(a->criticality.class_, b->criticality.class_);
    assert_int_equal(a->migratability.reschedulable, b->migratability.reschedulable);
    assert_same_part(&a->cpu, &b->cpu);
    assert_same_part(&a->gpu, &b->gpu);
    assert_near(a->confidence, b->confidence, 0);
}
