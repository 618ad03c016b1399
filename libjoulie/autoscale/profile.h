/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A profile as what its autoscaler runs by: fields of every dialect, defaults and bounds. The
 * pool's config stands behind the profile's. Rules: docs/rules/autoscaling.md#configuration.
 */

#include <json-c/json.h>

#include "autoscale/config.h"
#include "schema/decode.h"

struct jl_autoscale_source {
    struct json_object *profile; /* WorkloadProfile or TensorFusionWorkload, any dialect */
    const char *profile_path;    /* of it in the document: put before every path */
    struct json_object *pool;    /* autoScalingConfig of the pool; NULL = none */
    const char *pool_path;       /* of it in the document */
    double gpu_tflops;           /* FP16 TFLOPS of one GPU, for compute percents; 0 = unknown */
    const struct jl_zone_finder *zones; /* NULL: a rule with a zone is bad, unless it is UTC */
};

/*
 * What is wrong with a field is a condition of the config, and its default counts. Everything that
 * out points to is in the arena; texts gets the amounts of spec.resources and of the rules. 0,
 * JOULIE_E_REQUIRED, JOULIE_E_ENUM, JOULIE_E_UNSUPPORTED, JOULIE_E_TYPE (no such object; where is
 * below profile_path) or JOULIE_E_NOMEM.
 */
int jl_autoscale_config_read(const struct jl_autoscale_source *source,
                             enum jl_autoscale_model model, struct jl_arena *arena,
                             struct jl_autoscale_config *out, struct jl_amount_texts *texts,
                             struct joulie_error *err);

/*
 * Checks an object of a document by its table (NULL: that of its kind) and makes its
 * tree. Types and unknown members are judged here, texts by the config, and cron rules there one by
 * one. The codes of jl_decode_raw() and jl_tree_from_raw().
 */
int jl_autoscale_object_read(struct jl_decode *decode, const struct jl_raw *raw,
                             const struct jl_path *at, const struct jl_table *table,
                             struct json_object **out);
