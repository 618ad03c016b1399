/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random TensorFusion objects of a dialect; equal seeds give equal objects. */

#include <json-c/json.h>

#include "base/random.h"
#include "tensor_fusion/dialect.h"

/* A, B, C or MIXED; the object is detected as that. To be released. */
struct json_object *random_object(struct jl_random *random, enum jl_dialect dialect);
