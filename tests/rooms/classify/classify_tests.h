/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the tests of the classifier share. Its tables are vectors; here are the invariants. */

#include "classify/classify.h"
#include "support/test.h"

struct classifying {
    struct joulie_classify_input in; /* rules and settings; the rest is added from below */
    struct jl_classify_metrics metrics;
    bool has_metrics;
    const struct jl_profile_status *previous; /* NULL = none */
    const int64_t *now_ms;                    /* NULL = none */
    struct jl_pair pairs[4];
    struct jl_map annotations;
    struct jl_arena arena;
    struct jl_classification result;
    struct joulie_error err;
};

/* An input of rule set current without metrics. Ends with classifying_end(). */
void classifying_begin(struct classifying *c);
void classifying_end(struct classifying *c);
/* A number of the window, by its row in jl_classify_metrics_table. */
void measure(struct classifying *c, unsigned row, double value);
void set_utilisation(struct classifying *c, double cpu_pct, double gpu_pct, double mem_pct);
void set_energies(struct classifying *c, double cpu_j, double dram_j, double gpu_j);
void annotate(struct classifying *c, const char *key, const char *value);
void set_hysteresis(struct classifying *c, double points);
void set_min_confidence(struct classifying *c, double confidence);
void classify_now(struct classifying *c); /* must succeed */
int classify_fails(struct classifying *c);

const char *reason_of(const struct classifying *c);
/* Classification, avgUtilizationPct and confidence; not the texts. */
void assert_same_profile(const struct jl_profile_status *a, const struct jl_profile_status *b);
