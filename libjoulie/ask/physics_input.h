/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the physics questions share: settings resolved and checked, failures at the right place. */

#include "ask/ask.h"
#include "physics/physics.h"

enum jl_physics_rules jl_ask_physics_rules(const struct jl_ask *ask);

/* The profile problem of physics/profile.h as a range error at <member>.<path>; 0 when path is
 * NULL. */
int jl_ask_physics_problem(struct jl_ask *ask, const char *member, const char *path);

/* A GPU given by itself at the member "gpu". */
int jl_ask_gpu(struct jl_ask *ask, const struct jl_gpu_profile *settings,
               struct jl_gpu_profile *out);

/* The formulas know every word: what is not a class counts as mixed. */
enum jl_cpu_class jl_ask_cpu_class(const char *word);
enum jl_gpu_class jl_ask_gpu_class(const char *word);
