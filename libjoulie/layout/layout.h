/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the public headers declare, as data: the build writes table.c with make_table.py. */

#include <stddef.h>
#include <stdint.h>

struct jl_layout_member {
    const char *name;
    const char *type; /* as C says it, without the name */
    size_t offset, size;
};

struct jl_layout_struct {
    const char *name; /* without "struct" */
    size_t size, align;
    const struct jl_layout_member *members;
    size_t member_count;
};

struct jl_layout_handle {
    const char *name; /* of a struct that only the library can see into */
};

struct jl_layout_value {
    const char *name;
    int value;
};

struct jl_layout_enum {
    const char *name; /* without "enum" */
    const struct jl_layout_value *values;
    size_t value_count;
};

struct jl_layout_number {
    const char *name;
    uint64_t value;
};

struct jl_layout_text {
    const char *name, *value;
};

struct jl_layout_parameter {
    const char *name, *type;
};

struct jl_layout_function {
    const char *name, *returns;
    const struct jl_layout_parameter *parameters;
    size_t parameter_count;
};

struct jl_layout {
    const struct jl_layout_struct *structs;
    size_t struct_count;
    const struct jl_layout_handle *handles;
    size_t handle_count;
    const struct jl_layout_enum *enums;
    size_t enum_count;
    const struct jl_layout_number *numbers; /* macros */
    size_t number_count;
    const struct jl_layout_text *texts; /* macros that are texts */
    size_t text_count;
    const struct jl_layout_function *callbacks; /* types of functions */
    size_t callback_count;
    const struct jl_layout_function *functions;
    size_t function_count;
};

extern const struct jl_layout jl_layout;
