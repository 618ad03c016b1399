/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of tensor_fusion/validate.h share. */

#include "tensor_fusion/dialect.h"
#include "tensor_fusion/dialect_texts.h"
#include "tensor_fusion/validate.h"

/* An object or a list inside the document, and where it stands. */
struct jl_fusion_place {
    struct jl_path at;            /* refers to the place that it is inside of */
    const struct jl_table *table; /* of the object, or of the items of the list */
    const void *object;           /* its first member is has; or a struct jl_list */
};

bool jl_fusion_has(const struct jl_fusion_place *place, unsigned bit);

/* The object or the list of a row, and an item of a list; the outer place has to outlive it. */
struct jl_fusion_place jl_fusion_inside(const struct jl_fusion_place *place, unsigned bit);
size_t jl_fusion_count(const struct jl_fusion_place *list);
struct jl_fusion_place jl_fusion_item(const struct jl_fusion_place *list, size_t i);

/* The text of a row, or an empty one: which means the field's default, as absent does. */
struct jl_text jl_fusion_text_at(const struct jl_fusion_place *place, unsigned bit);

/* Warns of the member of a row. */
void jl_fusion_warn(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit,
                    const char *message);
/* Fails at the member of a row. */
int jl_fusion_fail(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit,
                   int code, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Durations, ratios and targets of an object and of the objects inside. */
int jl_fusion_check_texts(struct jl_decode *decode, const struct jl_fusion_place *place);
/* Rules of spec.autoScalingConfig: their cron expressions. */
int jl_fusion_check_schedules(struct jl_decode *decode, const struct jl_fusion_place *rules);
/* autoSetResources: percentiles and bounds in their order, the threshold within the margin. */
int jl_fusion_check_order(struct jl_decode *decode, const struct jl_fusion_place *resources);

/* spec.nodeAffinity: operators, numbers of values, weights, label keys. */
int jl_fusion_check_affinity(struct jl_decode *decode, const struct jl_fusion_place *affinity);
