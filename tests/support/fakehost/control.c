/* SPDX-License-Identifier: Apache-2.0 */
/* The files of fake/: the handles on the fake kernel for programs. A tree may bring values for
 * them.
 */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "parts.h"

#define DECIMALS 3

struct fk_control {
    const char *name;
    void (*read)(struct fk *fk, struct jl_buffer *out);
    int (*write)(struct fk *fk, const char *text, size_t len); /* NULL = read only */
};

static void put_fixed(struct jl_buffer *out, double value)
{
    char text[JL_DOUBLE_TEXT];
    if (isinf(value))
        jl_put_string(out, "none");
    else
        jl_put(out, text, jl_format_fixed(value, DECIMALS, text));
}

static void put_each(const struct fk *fk, double (*value)(const struct fk *fk, size_t unit),
                     struct jl_buffer *out)
{
    for (size_t i = 0; i < fk->unit_count; i++) {
        if (i > 0)
            jl_put_char(out, ' ');
        put_fixed(out, value(fk, i));
    }
    jl_put_char(out, '\n');
}

/* The first word of a text; what is left stays in it. */
static struct jl_text next_word(struct jl_text *text)
{
    *text = jl_text_trim(*text);
    size_t len = 0;
    while (len < text->len && !jl_is_space(text->ptr[len]))
        len++;
    const struct jl_text word = { text->ptr, len };
    text->ptr += len;
    text->len -= len;
    return word;
}

/* One number for all packages, or one for each. */
static int set_each(struct fk *fk, const char *text, size_t len, size_t offset)
{
    struct jl_text rest = { text, len };
    double values[64];
    size_t count = 0;
    for (struct jl_text word = next_word(&rest); word.len > 0; word = next_word(&rest)) {
        if (count == JL_COUNT(values) || jl_parse_double(word.ptr, word.len, &values[count]) != 0 ||
            values[count] < 0)
            return -EINVAL;
        count++;
    }
    if (count == 0 || (count > 1 && count != fk->unit_count))
        return -EINVAL;
    for (size_t i = 0; i < fk->unit_count; i++) {
        const double value = values[count == 1 ? 0 : i];
        memcpy((char *)&fk->units[i] + offset, &value, sizeof value);
    }
    return 0;
}

static int one_number(const char *text, size_t len, double *out)
{
    const struct jl_text word = jl_text_trim((struct jl_text){ text, len });
    if (jl_parse_double(word.ptr, word.len, out) != 0 || *out < 0 || *out > 1e9)
        return -EINVAL;
    return 0;
}

static double demand_w(const struct fk *fk, size_t unit)
{
    return fk->units[unit].demand_w;
}

static double idle_w(const struct fk *fk, size_t unit)
{
    return fk->units[unit].idle_w;
}

static double tdp_w(const struct fk *fk, size_t unit)
{
    return fk->units[unit].tdp_w;
}

static void read_demand(struct fk *fk, struct jl_buffer *out)
{
    put_each(fk, demand_w, out);
}

static int write_demand(struct fk *fk, const char *text, size_t len)
{
    return set_each(fk, text, len, offsetof(struct fk_unit, demand_w));
}

static void read_idle(struct fk *fk, struct jl_buffer *out)
{
    put_each(fk, idle_w, out);
}

static int write_idle(struct fk *fk, const char *text, size_t len)
{
    return set_each(fk, text, len, offsetof(struct fk_unit, idle_w));
}

static void read_tdp(struct fk *fk, struct jl_buffer *out)
{
    put_each(fk, tdp_w, out);
}

/* Idle power and demand keep their shares of it. */
static int write_tdp(struct fk *fk, const char *text, size_t len)
{
    struct jl_buffer before = { 0 };
    for (size_t i = 0; i < fk->unit_count; i++)
        jl_put(&before, (const char *)&fk->units[i].tdp_w, sizeof(double));
    const int rc = set_each(fk, text, len, offsetof(struct fk_unit, tdp_w));
    for (size_t i = 0; rc == 0 && i < fk->unit_count; i++) {
        struct fk_unit *unit = &fk->units[i];
        double old;
        memcpy(&old, before.data + i * sizeof old, sizeof old);
        unit->idle_w *= unit->tdp_w / old;
        unit->demand_w *= unit->tdp_w / old;
    }
    jl_buffer_clear(&before);
    return rc;
}

static void read_power(struct fk *fk, struct jl_buffer *out)
{
    put_each(fk, fk_power_w, out);
}

static void read_limit(struct fk *fk, struct jl_buffer *out)
{
    put_each(fk, fk_limit_w, out);
}

static void read_delay(struct fk *fk, struct jl_buffer *out)
{
    put_fixed(out, (double)fk->delay_us / 1e3);
    jl_put_char(out, '\n');
}

static int write_delay(struct fk *fk, const char *text, size_t len)
{
    double ms;
    const int rc = one_number(text, len, &ms);
    if (rc == 0)
        fk_set_delay_ms(fk, (int64_t)ms);
    return rc;
}

static void read_lag(struct fk *fk, struct jl_buffer *out)
{
    put_fixed(out, fk->lag_s * 1e3);
    jl_put_char(out, '\n');
}

static int write_lag(struct fk *fk, const char *text, size_t len)
{
    double ms;
    const int rc = one_number(text, len, &ms);
    if (rc == 0)
        fk_set_lag_ms(fk, ms);
    return rc;
}

static void read_time(struct fk *fk, struct jl_buffer *out)
{
    put_fixed(out, (double)fk->now_us / 1e6);
    jl_put_char(out, '\n');
}

/* +SECONDS: time jumps ahead. */
static int write_time(struct fk *fk, const char *text, size_t len)
{
    double seconds;
    if (len < 2 || text[0] != '+' || one_number(text + 1, len - 1, &seconds) != 0)
        return -EINVAL;
    fk_advance_us(fk, (int64_t)(seconds * 1e6));
    return 0;
}

static void read_fault(struct fk *fk, struct jl_buffer *out)
{
    fk_rules_put(fk, out);
}

static int write_fault(struct fk *fk, const char *text, size_t len)
{
    int rc = 0;
    for (size_t at = 0; at < len && rc == 0;) {
        const char *end = memchr(text + at, '\n', len - at);
        const size_t size = end ? (size_t)(end - text) - at : len - at;
        struct jl_buffer line = { 0 };
        jl_put(&line, text + at, size);
        if (jl_text_trim((struct jl_text){ text + at, size }).len > 0)
            rc = fk_fault(fk, line.data);
        jl_buffer_clear(&line);
        at += size + 1;
    }
    return rc;
}

/* COUNT PATH of each kernel file that the product wrote to. */
static void read_writes(struct fk *fk, struct jl_buffer *out)
{
    for (const struct fk_node *node = fk->nodes; node; node = node->next) {
        char count[JL_DOUBLE_TEXT];
        if (node->writes == 0 || !node->is_kernel || node->live == FK_CONTROL)
            continue;
        jl_put(out, count, jl_format_u64(node->writes, count));
        jl_put_char(out, ' ');
        jl_put_string(out, fk_path(fk, node));
        jl_put_char(out, '\n');
    }
}

static const struct fk_control controls[] = {
    { "tdp_w", read_tdp, write_tdp }, /* first: it moves the next two */
    { "idle_w", read_idle, write_idle },     { "demand_w", read_demand, write_demand },
    { "power_w", read_power, NULL },         { "limit_w", read_limit, NULL },
    { "delay_ms", read_delay, write_delay }, { "lag_ms", read_lag, write_lag },
    { "time_s", read_time, write_time },     { "fault", read_fault, write_fault },
    { "writes", read_writes, NULL },
};

void fk_control_add(struct fk *fk)
{
    struct fk_node *folder = fk_find(fk, fk->root, "fake");
    if (!folder) {
        folder = fk_node_new(fk, FK_FOLDER, 0755);
        folder->is_kernel = true;
        fk_attach(fk, fk->root, "fake", folder);
    }
    for (size_t i = 0; i < JL_COUNT(controls); i++) {
        struct fk_node *node = fk_find(fk, folder, controls[i].name);
        if (!node) {
            node = fk_node_new(fk, FK_FILE, controls[i].write ? 0644 : 0444);
            node->is_kernel = true;
            fk_attach(fk, folder, controls[i].name, node);
        } else if (controls[i].write && node->bytes.len > 0) {
            (void)controls[i].write(fk, node->bytes.data, node->bytes.len);
        }
        node->live = FK_CONTROL;
        node->control = &controls[i];
    }
}

void fk_control_read(struct fk *fk, const struct fk_control *control, struct jl_buffer *out)
{
    control->read(fk, out);
}

int fk_control_write(struct fk *fk, const struct fk_control *control, const char *text, size_t len)
{
    return control->write ? control->write(fk, text, len) : -EIO;
}
