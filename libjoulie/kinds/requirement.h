/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One condition of a node affinity, with the scheduler's semantics
 * (docs/rules/tensor-fusion.md#node-affinity). One that is not valid (number or syntax of values,
 * key, operator) does not hold. A bound of Gt and Lt is a value as any other, so it has no sign.
 */

#include "schema/row.h"

/* Whether one of the texts is this one. */
bool jl_has_text(const struct jl_list *texts, const char *text);

/* label is the node's value of the key; NULL = it has none. */
bool jl_requirement_holds(const char *key, const char *op, const struct jl_list *values,
                          const char *label);
