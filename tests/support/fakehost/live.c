/* SPDX-License-Identifier: Apache-2.0 */
/* What kernel files answer, and what they make of what is written. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "parts.h"

#define TIME_UNIT_US UINT64_C(976)
#define LIMIT_FIELD UINT64_C(32768) /* 15 bits */
#define JIFFIES_PER_S 100.0

static void put_u64(struct jl_buffer *out, uint64_t value)
{
    char text[JL_DOUBLE_TEXT];
    jl_put(out, text, jl_format_u64(value, text));
}

static int put_line(struct jl_buffer *out, uint64_t value)
{
    put_u64(out, value);
    jl_put_char(out, '\n');
    return 0;
}

static int put_fixed(struct jl_buffer *out, const struct fk_node *node, int error)
{
    if (node->bytes.len == 0)
        return error;
    jl_put(out, node->bytes.data, node->bytes.len);
    return 0;
}

/* ---- proc/stat ---- */

static double all_cpus(const struct fk *fk)
{
    double cpus = 0;
    for (size_t i = 0; i < fk->unit_count; i++)
        cpus += (double)fk->units[i].cpus;
    return cpus;
}

static double all_busy_s(const struct fk *fk)
{
    double busy = 0;
    for (size_t i = 0; i < fk->unit_count; i++)
        busy += fk->units[i].busy_s;
    return busy;
}

static size_t unit_of_cpu_line(struct fk *fk, const char *name, size_t len)
{
    struct jl_buffer path = { 0 };
    jl_put_string(&path, FK_CPU "/");
    jl_put(&path, name, len);
    struct fk_node *cpu = fk_find(fk, fk->root, path.data);
    const uint64_t package =
        cpu ? fk_node_number(fk_find(fk, cpu, "topology/physical_package_id")) : 0;
    const uint64_t die = cpu ? fk_node_number(fk_find(fk, cpu, "topology/die_id")) : 0;
    jl_buffer_clear(&path);
    for (size_t i = 0; i < fk->unit_count; i++) {
        const struct fk_unit *unit = &fk->units[i];
        if (unit->package == package && (!unit->has_die || unit->die == die))
            return i;
    }
    return 0;
}

/* A line of the tree with the jiffies since it was loaded on top. */
static void put_cpu_line(struct fk *fk, struct jl_buffer *out, const char *line, size_t len)
{
    size_t name = 0;
    while (name < len && line[name] != ' ')
        name++;
    double busy_s = all_busy_s(fk);
    double cpus = all_cpus(fk);
    if (name > 3) {
        const struct fk_unit *unit = &fk->units[unit_of_cpu_line(fk, line, name)];
        busy_s = unit->cpus > 0 ? unit->busy_s / (double)unit->cpus : 0;
        cpus = 1;
    }
    const double idle_s = cpus * (double)fk->now_us / 1e6 - busy_s;
    jl_put(out, line, name);
    size_t at = name;
    for (int field = 0; at < len; field++) {
        const size_t start = at;
        while (at < len && line[at] == ' ')
            at++;
        jl_put(out, line + start, at - start);
        const size_t digits = at;
        while (at < len && line[at] != ' ')
            at++;
        uint64_t value = 0;
        (void)jl_parse_u64(line + digits, at - digits, &value);
        if (field == 0)
            value += (uint64_t)(busy_s * JIFFIES_PER_S);
        if (field == 3)
            value += (uint64_t)(idle_s > 0 ? idle_s * JIFFIES_PER_S : 0);
        put_u64(out, value);
    }
    jl_put_char(out, '\n');
}

static int put_stat(struct fk *fk, const struct fk_node *node, struct jl_buffer *out)
{
    for (const char *line = node->bytes.data; line && *line;) {
        const size_t len = strcspn(line, "\n");
        if (jl_starts_with(line, "cpu")) {
            put_cpu_line(fk, out, line, len);
        } else {
            jl_put(out, line, len);
            jl_put_char(out, '\n');
        }
        line += len + (line[len] == '\n');
    }
    return 0;
}

int fk_live_read(struct fk *fk, struct fk_node *node, struct jl_buffer *out)
{
    const struct fk_zone *zone = node->zone;
    uint64_t min;
    uint64_t max;
    switch (node->live) {
    case FK_ORDINARY:
    case FK_FIXED:
    case FK_TYPE_ENABLED:
    case FK_GOVERNOR:
        jl_put(out, node->bytes.data ? node->bytes.data : "", node->bytes.len);
        return 0;
    case FK_FIXED_CONSTRAINT:
        return put_fixed(out, node, -ENODATA);
    case FK_FIXED_ENERGY:
        return put_fixed(out, node, -EINVAL);
    case FK_ENERGY:
        return put_line(out, fk_zone_energy_uj(fk, zone));
    case FK_ENABLED:
        return put_line(out, zone->is_enabled);
    case FK_LIMIT:
        return put_line(out, zone->constraints[node->constraint].limit_uw);
    case FK_WINDOW:
        return put_line(out, zone->constraints[node->constraint].window_us);
    case FK_FREQ_MIN:
        fk_policy_range(node->policy, &min, &max);
        return put_line(out, min);
    case FK_FREQ_MAX:
        fk_policy_range(node->policy, &min, &max);
        return put_line(out, max);
    case FK_FREQ_NOW:
        return put_line(out, (uint64_t)fk_policy_khz(fk, node->policy));
    case FK_STAT:
        return put_stat(fk, node, out);
    case FK_CONTROL:
        fk_control_read(fk, node->control, out);
        return 0;
    }
    return -EIO;
}

/* ---- writes ---- */

/* An unsigned decimal with at most one LF at its end, as kstrtoull(…, 10) takes it. */
static bool decimal(const char *text, size_t len, uint64_t *out)
{
    if (len > 0 && text[len - 1] == '\n')
        len--;
    if (len > 0 && text[0] == '+')
        return len > 1 && text[1] != '-' && jl_parse_u64(text + 1, len - 1, out) == 0;
    return jl_parse_u64(text, len, out) == 0;
}

static bool boolean(const char *text, size_t len, bool *out)
{
    static const char *const words[] = { "0", "n", "N", "off", "1", "y", "Y", "on" };
    if (len > 0 && text[len - 1] == '\n')
        len--;
    for (size_t i = 0; i < JL_COUNT(words); i++) {
        if (jl_text_is((struct jl_text){ text, len }, words[i])) {
            *out = i >= 4;
            return true;
        }
    }
    return false;
}

static int write_limit(struct fk *fk, struct fk_node *node, const char *text, size_t len,
                       uint64_t unit_uw)
{
    uint64_t value;
    if (!decimal(text, len, &value))
        return -EINVAL;
    struct fk_constraint *constraint = &node->zone->constraints[node->constraint];
    constraint->limit_uw = value / unit_uw % LIMIT_FIELD * unit_uw;
    constraint->is_limit = true;
    fk_plan_limits(fk, node->zone->unit);
    return 0;
}

/* The code as the driver makes it: Y = log2 of the units, F the next two bits. */
static int write_window(struct fk_node *node, const char *text, size_t len)
{
    uint64_t value;
    if (!decimal(text, len, &value))
        return -EINVAL;
    struct fk_constraint *constraint = &node->zone->constraints[node->constraint];
    if (!constraint->has_window)
        return -ENODATA;
    const uint64_t units = value / TIME_UNIT_US;
    const unsigned y = units > 1 ? 63U - (unsigned)__builtin_clzll(units) : 0;
    const uint64_t f = units > 1 ? (4 * (units - (UINT64_C(1) << y)) >> y) & 3 : 0;
    constraint->window_us = (UINT64_C(1) << (y & 31)) * (4 + f) * TIME_UNIT_US / 4;
    return 0;
}

static int write_enabled(struct fk *fk, struct fk_zone *zone, const char *text, size_t len)
{
    bool is_on;
    if (!boolean(text, len, &is_on))
        return -EINVAL;
    if (zone->is_amd || !zone->constraints[0].is_there)
        return -ENOSYS;
    zone->is_enabled = is_on;
    fk_plan_limits(fk, zone->unit);
    return 0;
}

/* freq_qos takes an s32 of what strtoul(…, 0) read: negative ones are refused. */
static int write_freq(struct fk_node *node, const char *text, size_t len)
{
    char copy[64];
    char *end = copy;
    if (len > 0 && text[len - 1] == '\n')
        len--;
    const size_t sign = len > 0 && text[0] == '+';
    if (len >= sizeof copy || len <= sign || !jl_is_digit(text[sign]))
        return -EINVAL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    errno = 0;
    const unsigned long long value = strtoull(copy, &end, 0);
    if (errno == ERANGE)
        return -ERANGE;
    if (*end != '\0' || (value & UINT64_C(0x80000000)))
        return -EINVAL;
    if (node->live == FK_FREQ_MIN)
        node->policy->request_min_khz = value & UINT64_C(0x7fffffff);
    else
        node->policy->request_max_khz = value & UINT64_C(0x7fffffff);
    return 0;
}

static void store(struct fk_node *node, const char *text, size_t len)
{
    fk_bytes_set(&node->bytes, text, len);
    if (len > 0 && text[len - 1] != '\n')
        fk_bytes_put(&node->bytes, len, "\n", 1);
}

static int write_governor(struct fk *fk, struct fk_node *node, const char *text, size_t len)
{
    const struct fk_node *list = fk_find(fk, node->parent, "scaling_available_governors");
    const size_t word = len > 0 && text[len - 1] == '\n' ? len - 1 : len;
    for (const char *at = list && list->bytes.data ? list->bytes.data : ""; *at;) {
        const size_t size = strcspn(at, " \n");
        if (size > 0 && size == word && memcmp(at, text, size) == 0) {
            store(node, text, len);
            return 0;
        }
        at += size + (at[size] != '\0');
    }
    return -EINVAL;
}

static int write_fixed(struct fk_node *node, const char *text, size_t len)
{
    if (!(node->mode & 0222))
        return -EIO; /* no store function behind a file that somebody opened all the same */
    if (node->bytes.len > 0 && node->bytes.data[0] == '<') /* <unsupported> */
        return -EINVAL;
    store(node, text, len);
    return 0;
}

int fk_live_write(struct fk *fk, struct fk_node *node, const char *text, size_t len,
                  uint64_t unit_uw)
{
    if (len == 0)
        return 0; /* sysfs does not call the driver for nothing */
    switch (node->live) {
    case FK_FIXED:
        return write_fixed(node, text, len);
    case FK_FIXED_CONSTRAINT:
        return -ENODATA;
    case FK_LIMIT:
        return write_limit(fk, node, text, len, unit_uw);
    case FK_WINDOW:
        return write_window(node, text, len);
    case FK_ENABLED:
        return write_enabled(fk, node->zone, text, len);
    case FK_TYPE_ENABLED:
        return -ENOSYS;
    case FK_FREQ_MIN:
    case FK_FREQ_MAX:
        return write_freq(node, text, len);
    case FK_GOVERNOR:
        return write_governor(fk, node, text, len);
    case FK_CONTROL:
        return fk_control_write(fk, node->control, text, len);
    case FK_ORDINARY:
    case FK_FIXED_ENERGY:
    case FK_ENERGY:
    case FK_FREQ_NOW:
    case FK_STAT:
        break;
    }
    return -EIO;
}

void fk_live_reset(struct fk *fk)
{
    for (struct fk_zone *zone = fk->zones; zone; zone = zone->next) {
        zone->is_enabled = zone->first_enabled;
        for (size_t i = 0; i < FK_CONSTRAINTS_MAX; i++) {
            struct fk_constraint *constraint = &zone->constraints[i];
            constraint->is_limit = constraint->first_is_limit;
            constraint->limit_uw = constraint->first_limit_uw;
            constraint->window_us = constraint->first_window_us;
        }
    }
    for (struct fk_policy *policy = fk->policies; policy; policy = policy->next) {
        policy->request_min_khz = policy->first_min_khz;
        policy->request_max_khz = policy->first_max_khz;
    }
    for (size_t i = 0; i < fk->unit_count; i++)
        fk->units[i].energy_uj = 0;
    fk_settle(fk);
}
