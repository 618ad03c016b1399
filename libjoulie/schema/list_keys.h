/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Lists whose items have keys (x-kubernetes-list-type: map) hold each key once, as the API server
 * asks.
 */

#include "schema/decode.h"

/* Whether items of this table have keys. */
bool jl_has_list_keys(const struct jl_table *table);

/*
 * Checks an object that was decoded by the table: 0, JOULIE_E_CONFLICT at the second item with the
 * same keys, or JOULIE_E_NOMEM.
 */
int jl_check_list_keys(struct jl_decode *decode, const struct jl_table *table, const void *object);
