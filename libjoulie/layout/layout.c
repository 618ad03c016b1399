/* SPDX-License-Identifier: Apache-2.0 */

/* The layout of the public interface as JSON, for bindings and for the tests of the ABI. */

#include "layout/layout.h"

#include <string.h>

#include <joulie/layout.h>

#include "base/buffer.h"
#include "base/error.h"

/* Begins an object of a list: a comma before all but the first. */
static void put_start(struct jl_buffer *out, size_t index)
{
    jl_put_string(out, index > 0 ? ",{" : "{");
}

static void put_text(struct jl_buffer *out, const char *key, const char *text)
{
    jl_put_string(out, key);
    jl_put_json_string(out, text, strlen(text));
}

static void put_number(struct jl_buffer *out, const char *key, uint64_t value)
{
    jl_put_string(out, key);
    jl_put_u64(out, value);
}

static void put_struct(struct jl_buffer *out, const struct jl_layout_struct *type)
{
    put_text(out, "\"name\":", type->name);
    put_number(out, ",\"size\":", type->size);
    put_number(out, ",\"align\":", type->align);
    jl_put_string(out, ",\"members\":[");
    for (size_t i = 0; i < type->member_count; i++) {
        const struct jl_layout_member *member = &type->members[i];
        put_start(out, i);
        put_text(out, "\"name\":", member->name);
        put_text(out, ",\"type\":", member->type);
        put_number(out, ",\"offset\":", member->offset);
        put_number(out, ",\"size\":", member->size);
        jl_put_char(out, '}');
    }
    jl_put_string(out, "]}");
}

static void put_enum(struct jl_buffer *out, const struct jl_layout_enum *type)
{
    put_text(out, "\"name\":", type->name);
    jl_put_string(out, ",\"values\":[");
    for (size_t i = 0; i < type->value_count; i++) {
        put_start(out, i);
        put_text(out, "\"name\":", type->values[i].name);
        jl_put_string(out, ",\"value\":");
        jl_put_i64(out, type->values[i].value);
        jl_put_char(out, '}');
    }
    jl_put_string(out, "]}");
}

static void put_function(struct jl_buffer *out, const struct jl_layout_function *function)
{
    put_text(out, "\"name\":", function->name);
    put_text(out, ",\"returns\":", function->returns);
    jl_put_string(out, ",\"parameters\":[");
    for (size_t i = 0; i < function->parameter_count; i++) {
        put_start(out, i);
        put_text(out, "\"name\":", function->parameters[i].name);
        put_text(out, ",\"type\":", function->parameters[i].type);
        jl_put_char(out, '}');
    }
    jl_put_string(out, "]}");
}

static void put_types(struct jl_buffer *out, const struct jl_layout *layout)
{
    jl_put_string(out, "{\"structs\":[");
    for (size_t i = 0; i < layout->struct_count; i++) {
        put_start(out, i);
        put_struct(out, &layout->structs[i]);
    }
    jl_put_string(out, "],\"handles\":[");
    for (size_t i = 0; i < layout->handle_count; i++) {
        put_start(out, i);
        put_text(out, "\"name\":", layout->handles[i].name);
        jl_put_char(out, '}');
    }
    jl_put_string(out, "],\"enums\":[");
    for (size_t i = 0; i < layout->enum_count; i++) {
        put_start(out, i);
        put_enum(out, &layout->enums[i]);
    }
}

static void put_macros(struct jl_buffer *out, const struct jl_layout *layout)
{
    jl_put_string(out, "],\"constants\":[");
    for (size_t i = 0; i < layout->number_count; i++) {
        put_start(out, i);
        put_text(out, "\"name\":", layout->numbers[i].name);
        put_number(out, ",\"value\":", layout->numbers[i].value);
        jl_put_char(out, '}');
    }
    jl_put_string(out, "],\"texts\":[");
    for (size_t i = 0; i < layout->text_count; i++) {
        put_start(out, i);
        put_text(out, "\"name\":", layout->texts[i].name);
        put_text(out, ",\"value\":", layout->texts[i].value);
        jl_put_char(out, '}');
    }
}

static void put_functions(struct jl_buffer *out, const struct jl_layout *layout)
{
    jl_put_string(out, "],\"callbacks\":[");
    for (size_t i = 0; i < layout->callback_count; i++) {
        put_start(out, i);
        put_function(out, &layout->callbacks[i]);
    }
    jl_put_string(out, "],\"functions\":[");
    for (size_t i = 0; i < layout->function_count; i++) {
        put_start(out, i);
        put_function(out, &layout->functions[i]);
    }
    jl_put_string(out, "]}");
}

int joulie_layout(char **json, struct joulie_error *err)
{
    struct jl_buffer out = { 0 };
    put_types(&out, &jl_layout);
    put_macros(&out, &jl_layout);
    put_functions(&out, &jl_layout);
    return jl_hand_out(&out, json, err);
}
