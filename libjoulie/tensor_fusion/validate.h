/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What TensorFusion's objects ask for beyond the types of their members: members of the object's
 * own dialect only, grammars of texts, and relations between members. Rules:
 * docs/rules/tensor-fusion.md#validation.
 */

#include "kinds/tensor_fusion.h"
#include "schema/decode.h"

/* Whether a table is of a WorkloadProfile or TensorFusionWorkload of TensorFusion. */
bool jl_fusion_is_kind(const struct jl_table *table);

/*
 * Judges the object that decode has decoded with a table of jl_fusion_is_kind(), and reports
 * decode->on_warning MixedDialect. 0, JOULIE_E_UNKNOWN_MEMBER (of another dialect), JOULIE_E_PARSE,
 * JOULIE_E_REQUIRED, JOULIE_E_ENUM, JOULIE_E_RANGE, JOULIE_E_CONFLICT or JOULIE_E_NOMEM.
 */
int jl_fusion_check(struct jl_decode *decode, const void *object);
