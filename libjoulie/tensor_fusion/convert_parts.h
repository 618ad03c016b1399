/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the conversion share. */

#include "schema/tree.h"
#include "tensor_fusion/convert.h"
#include "tensor_fusion/dialect_texts.h"

/*
 * One conversion. A failure is remembered: after one, the functions below do nothing and return
 * NULL or false, so that the code is checked once, at the end.
 */
struct jl_conversion {
    struct jl_arena *arena;
    struct joulie_error *err; /* may be NULL */
    int code;
    double gpu_tflops;          /* of one GPU; 0 = unknown */
    const char *ambiguous_path; /* what named several GPUs and is to be reported, or NULL */
    const char *unknown_model;  /* that was given and is not in the catalogue, or NULL */
    bool is_silent;             /* a trial: nothing is reported */
    const struct jl_convert_warning *first;
    struct jl_convert_warning *last;
};

/* The two amounts of a resource that ratios are between; 0 = unknown. */
struct jl_ratio_pair {
    double request;
    double limit;
};

struct jl_resource_amounts {
    struct jl_ratio_pair tflops;
    struct jl_ratio_pair vram_bytes;
};

/* The block of autoScalingConfig that is being converted. */
struct jl_block {
    struct json_object *members;
    enum jl_dialect to;
    struct jl_resource_amounts amounts; /* of one worker and GPU, in the target dialect */
};

/* convert_tree.c: trees and reports. A value that is given is taken over, also on failure. */
void jl_convert_fail(struct jl_conversion *c, int code, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void jl_convert_fail_memory(struct jl_conversion *c);
/* path.key, or the one of them that there is; "" after a failure. */
const char *jl_convert_path(struct jl_conversion *c, const char *path, const char *key);
/* At path.key, or at path alone when key is NULL; nothing in a trial. */
void jl_convert_warn(struct jl_conversion *c, const char *reason, const char *path, const char *key,
                     const char *text);
/* NotRepresentable at path.key, unless the value is empty: null, {}, [], or such inside. */
void jl_convert_lose(struct jl_conversion *c, const char *path, const char *key,
                     struct json_object *value);
bool jl_convert_is_void(struct json_object *value);
struct json_object *jl_convert_new(struct jl_conversion *c);
/* Members shared, not copied. */
struct json_object *jl_convert_copy(struct jl_conversion *c, struct json_object *object);
void jl_convert_put(struct jl_conversion *c, struct json_object *object, const char *key,
                    struct json_object *value);
void jl_convert_share(struct jl_conversion *c, struct json_object *object, const char *key,
                      struct json_object *value);
void jl_convert_put_text(struct jl_conversion *c, struct json_object *object, const char *key,
                         const char *text);
void jl_convert_put_bool(struct jl_conversion *c, struct json_object *object, const char *key,
                         bool value);
/* Members by type, NULL = absent; another type is JOULIE_E_TYPE. Borrowed. */
struct json_object *jl_convert_object(struct jl_conversion *c, struct json_object *parent,
                                      const char *path, const char *key);
struct json_object *jl_convert_list(struct jl_conversion *c, struct json_object *parent,
                                    const char *path, const char *key);
const char *jl_convert_text(struct jl_conversion *c, struct json_object *parent, const char *path,
                            const char *key);
bool jl_convert_bool(struct jl_conversion *c, struct json_object *parent, const char *path,
                     const char *key);

/* convert_values.c: texts. False: absent, or reported as InvalidField. */
bool jl_convert_ratio(struct jl_conversion *c, struct json_object *parent, const char *path,
                      const char *key, enum jl_ratio_field field, double *out);
bool jl_convert_decimal(struct jl_conversion *c, struct json_object *parent, const char *path,
                        const char *key, enum jl_decimal decimal, double *out);
bool jl_convert_duration(struct jl_conversion *c, struct json_object *parent, const char *path,
                         const char *key, int64_t *out_ns);
/* Go has no days, weeks and years; below zero is none either. */
bool jl_convert_is_go_duration(const char *text);
/* The text itself when it is one; NULL: absent, or reported as InvalidField. */
const char *jl_convert_go_text(struct jl_conversion *c, struct json_object *parent,
                               const char *path, const char *key);
/* The largest unit that divides it, hours at most: 168h, 90m, 1500ms. */
const char *jl_convert_go_duration(struct jl_conversion *c, int64_t ns);
/* Shortest, four decimals at most; NULL = too large for that. */
const char *jl_convert_decimal_text(struct jl_conversion *c, double value, const char *unit);
/* The same of the value of path.key: what the decimals change is reported. NULL also where only 0
 * were left, unless that is as good as the value. */
const char *jl_convert_rounded(struct jl_conversion *c, const char *path, const char *key,
                               double value, bool is_zero_fine);
/* A quantity of a tree; 0 or a code. */
struct jl_quantity;
int jl_convert_quantity(struct json_object *value, struct jl_quantity *out);

/* convert_layers.c: between the layers of A and autoSetResources. NULL = nothing to write. */
struct json_object *jl_layers_to_resources(struct jl_conversion *c, const struct jl_block *block);
struct json_object *jl_resources_to_limits(struct jl_conversion *c, const struct jl_block *block);
struct json_object *jl_resources_to_requests(struct jl_conversion *c, const struct jl_block *block);
/* Warns of what the layers cannot hold. */
void jl_lose_resources(struct jl_conversion *c, const struct jl_block *block);

/* convert_names.c: between the names of B and C. */
struct json_object *jl_rename_resources(struct jl_conversion *c, const struct jl_block *block);

/* convert_compute.c: percents of a GPU into TFLOPS. */
struct json_object *jl_convert_resources(struct jl_conversion *c, struct json_object *resources,
                                         const char *path, enum jl_dialect to);
/* Whether requests or limits have a member compute. */
bool jl_has_percents(struct json_object *resources);
void jl_resource_amounts(struct json_object *resources, struct jl_resource_amounts *out);
/* The capacity that makes the TFLOPS of present out of the percents of source; 0 = none is seen. */
double jl_convert_capacity(struct json_object *source_spec, struct json_object *present_spec);

/* convert_spec.c: a whole spec; from and to differ. NULL after a failure. */
struct json_object *jl_convert_spec(struct jl_conversion *c, struct json_object *spec,
                                    enum jl_dialect from, enum jl_dialect to);

const char *jl_convert_rule_path(struct jl_conversion *c, size_t i); /* "" in a trial */

/* convert_cron.c: the text itself, or in the grammar that operators of C read. */
const char *jl_convert_cron_text(struct jl_conversion *c, const char *text);

/* convert_doubts.c: warns of what the operator of C ignores or refuses in its own dialect. */
void jl_convert_doubt(struct jl_conversion *c, struct json_object *spec);

/* convert_equal.c: equal quantities, ratios and durations by value, null and empty as absent. */
bool jl_convert_same(struct json_object *a, struct json_object *b);
/* What Go leaves out when it writes: false, 0, "", and objects of nothing but such members. */
bool jl_convert_is_nothing(struct json_object *value);

#define JL_BLOCK_PATH "spec.autoScalingConfig"
#define JL_UPPER_PERCENTILE 0.99 /* what the limits layer of A is to B and C */
