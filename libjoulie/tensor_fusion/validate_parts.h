/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of fusion/validate.h share. */

#include "tensor_fusion/dialect.h"
#include "tensor_fusion/dialect_texts.h"
#include "tensor_fusion/validate.h"

/* An object inside the document, and where it stands. */
struct jl_fusion_place {
    const struct jl_path *at;
    const struct jl_table *table;
    const void *object; /* of the table; its first member is has */
};

bool jl_fusion_has(const struct jl_fusion_place *place, unsigned bit);

/* The object of a row, at *path. */
struct jl_fusion_place jl_fusion_inside(const struct jl_fusion_place *place, unsigned bit,
                                        struct jl_path *path);
/* Item i of the list of a row; *path and *item_path stand for the list and the item. */
struct jl_fusion_place jl_fusion_item(const struct jl_fusion_place *place, unsigned bit, size_t i,
                                      struct jl_path *path, struct jl_path *item_path);

/* The text of a row, or an empty one: which means the field's default, as absent does. */
struct jl_text jl_fusion_text_at(const struct jl_fusion_place *place, unsigned bit);

/* Warns of the member of a row. */
void jl_fusion_warn(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit,
                    const char *message);
/* Fails at the member of a row. */
int jl_fusion_fail(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit,
                   int code, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* spec.autoScalingConfig: durations, ratios, targets, cron expressions. */
int jl_fusion_check_texts(struct jl_decode *decode, const struct jl_fusion_place *autoscaling);
/* autoSetResources: percentiles and bounds in their order, the threshold within the margin. */
int jl_fusion_check_order(struct jl_decode *decode, const struct jl_fusion_place *resources);
/* One text that is a Go duration, empty = absent. */
int jl_fusion_check_go_duration(struct jl_decode *decode, const struct jl_fusion_place *place,
                                unsigned bit);

/* spec.nodeAffinity: operators, numbers of values, weights, label keys. */
int jl_fusion_check_affinity(struct jl_decode *decode, const struct jl_fusion_place *affinity);
