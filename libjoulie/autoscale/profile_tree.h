/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The objects that an autoscaler reads: a profile, and the block of a pool. */

#include <json-c/json.h>

#include "schema/decode.h"

/*
 * Checks an object of a document by its table (NULL: that of its kind) and makes its
 * tree. Types and unknown members are judged here, texts by the config, and cron rules there one by
 * one. The codes of jl_decode_raw() and jl_tree_from_raw().
 */
int jl_autoscale_object_read(struct jl_decode *decode, const struct jl_raw *raw,
                             const struct jl_path *at, const struct jl_table *table,
                             struct json_object **out);
