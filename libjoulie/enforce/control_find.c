/* SPDX-License-Identifier: Apache-2.0 */

/* From a key of the journal to the files of its control, by looking for them now: zones come back
 * under other numbers. Called by joulie-rescue; a host has them from its scan (controls.c), and a
 * test compares both. */

#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "enforce/control_file.h"
#include "host/parts.h"
#include "power/rapl.h"

#define RAPL "rapl/"
#define RAPL_FOLDER JL_POWERCAP_PATH "/intel-rapl"
#define PACKAGE "package-"
#define LONG_TERM "long_term"
#define SHORT_TERM "short_term"
#define POLICY "cpufreq/policy"
#define CONSTRAINTS_MAX 16
#define ZONES_MAX 256 /* in a folder */
#define WORD_BYTES 128

/* ---- words and numbers below a folder ---- */

static int text_is(const struct jl_root *root, struct jl_arena *arena, const char *folder,
                   const char *file, const char *word, bool *out)
{
    const char *path = JL_JOIN(arena, folder, "/", file);
    struct jl_text text = { 0 };
    int sys_errno = 0;
    if (path == NULL)
        return JOULIE_E_NOMEM;
    const int rc = jl_root_text(root, path, WORD_BYTES, arena, &text, &sys_errno);
    *out = rc == 0 && jl_text_is(jl_text_trim(text), word);
    return rc == JOULIE_E_NOMEM ? rc : 0;
}

static struct jl_fact number_of(const struct jl_root *root, struct jl_arena *arena,
                                const char *folder, const char *file)
{
    const char *path = JL_JOIN(arena, folder, "/", file);
    return path != NULL ? jl_root_number(root, path) : (struct jl_fact){ .code = JOULIE_E_NOMEM };
}

/* ---- limits of packages ---- */

struct zone {
    const struct jl_root *root;
    struct jl_arena *arena;
    char *name;
    char *folder;
};

/* The first zone of the name in a folder. The kernel calls them as the folder and a number in
 * hexadecimal, the lowest that is free: nothing has to be listed. */
static int find_zone(struct zone *zone, const char *folder)
{
    static const char digits[] = "0123456789abcdef";
    JL_CLEANUP(jl_root_close)
    struct jl_root in = { zone->root->os, jl_root_folder(zone->root, folder) };
    for (unsigned i = 0; in.fd >= 0 && i < ZONES_MAX; i++) {
        const char number[3] = { digits[i >> 4], digits[i & 15] };
        const char *name = JL_JOIN(zone->arena, strrchr(folder, '/') + 1, ":", &number[i < 16]);
        bool is_it = false;
        if (name == NULL || text_is(&in, zone->arena, name, "name", zone->name, &is_it) < 0)
            return JOULIE_E_NOMEM;
        zone->folder = is_it ? JL_JOIN(zone->arena, folder, "/", name) : NULL;
        if (is_it)
            return zone->folder != NULL ? 0 : JOULIE_E_NOMEM;
    }
    return JOULIE_E_NOT_FOUND;
}

static char *constraint_path(struct zone *zone, unsigned number, const char *file)
{
    char digits[JL_DOUBLE_TEXT];
    digits[jl_format_u64(number, digits)] = '\0';
    return JL_JOIN(zone->arena, "constraint_", digits, "_", file);
}

static int find_constraint(struct zone *zone, const char *name, unsigned *out)
{
    for (unsigned number = 0; number < CONSTRAINTS_MAX; number++) {
        const char *file = constraint_path(zone, number, "name");
        bool is_it = false;
        if (file == NULL || text_is(zone->root, zone->arena, zone->folder, file, name, &is_it) < 0)
            return JOULIE_E_NOMEM;
        *out = number;
        if (is_it)
            return 0;
    }
    return JOULIE_E_NOT_FOUND;
}

static struct jl_fact max_of(struct zone *zone, unsigned number)
{
    const char *file = constraint_path(zone, number, "max_power_uw");
    return file != NULL ? number_of(zone->root, zone->arena, zone->folder, file)
                        : (struct jl_fact){ .code = JOULIE_E_NOMEM };
}

static int find_limit(struct zone *zone, const char *constraint, struct jl_control_file *out)
{
    unsigned number = 0;
    unsigned long_term = 0;
    int rc = find_zone(zone, RAPL_FOLDER);
    if (rc == 0)
        rc = find_constraint(zone, LONG_TERM, &long_term);
    if (rc == 0)
        rc = find_constraint(zone, constraint, &number);
    if (rc < 0)
        return rc;
    *out = jl_control_file_new(jl_same(constraint, LONG_TERM) ? JL_CONTROL_LONG : JL_CONTROL_SHORT);
    out->unit = JL_RAPL_UNIT_UW;
    out->zone_name = zone->name;
    out->folder = zone->folder;
    const char *file = constraint_path(zone, number, "power_limit_uw");
    out->path = file != NULL ? JL_JOIN(zone->arena, zone->folder, "/", file) : NULL;
    out->max = max_of(zone, number);
    out->zone_max = max_of(zone, long_term);
    const bool is_whole = out->path != NULL && out->max.code != JOULIE_E_NOMEM &&
                          out->zone_max.code != JOULIE_E_NOMEM;
    return is_whole ? 0 : JOULIE_E_NOMEM;
}

/* rapl/<zone>/<constraint>, package zones only */
static int find_rapl(const struct jl_root *root, struct jl_arena *arena, const char *key,
                     struct jl_control_file *out)
{
    const char *name = key + strlen(RAPL);
    const char *constraint = strrchr(name, '/');
    if (constraint == NULL || !jl_starts_with(name, PACKAGE) ||
        !(jl_same(constraint + 1, LONG_TERM) || jl_same(constraint + 1, SHORT_TERM)))
        return JOULIE_E_NOT_FOUND;
    struct zone zone = {
        .root = root,
        .arena = arena,
        .name = jl_arena_copy(arena, name, (size_t)(constraint - name)),
    };
    return zone.name != NULL ? find_limit(&zone, constraint + 1, out) : JOULIE_E_NOMEM;
}

int jl_control_energy_find(const struct jl_root *root, const char *name, struct jl_arena *arena,
                           const char **out_path)
{
    struct zone zone = { .root = root, .arena = arena };
    struct jl_text rest = jl_text(name);
    const char *folder = RAPL_FOLDER;
    while (rest.len > 0) {
        const struct jl_text part = jl_text_cut(&rest, '/');
        zone.name = jl_arena_copy(arena, part.ptr, part.len);
        const int rc = zone.name != NULL ? find_zone(&zone, folder) : JOULIE_E_NOMEM;
        if (rc < 0)
            return rc;
        folder = zone.folder;
    }
    const char *path = JL_JOIN(arena, folder, "/energy_uj");
    if (path == NULL)
        return JOULIE_E_NOMEM;
    *out_path = path;
    return 0;
}

/* ---- frequencies ---- */

/* cpufreq/policy<N>/max and /min */
static int find_frequency(const struct jl_root *root, struct jl_arena *arena, const char *key,
                          struct jl_control_file *out)
{
    const char *number = key + strlen(POLICY);
    const size_t len = jl_text_find(jl_text(number), '/');
    const bool is_max = jl_same(number + len, "/max");
    uint64_t policy = 0;
    if (jl_parse_u64(number, len, &policy) < 0 || (!is_max && !jl_same(number + len, "/min")))
        return JOULIE_E_NOT_FOUND;
    char digits[JL_DOUBLE_TEXT];
    digits[jl_format_u64(policy, digits)] = '\0';
    char *folder = JL_JOIN(arena, JL_CPUFREQ_PATH "/policy", digits);
    if (folder == NULL)
        return JOULIE_E_NOMEM;
    const struct jl_fact low = number_of(root, arena, folder, "cpuinfo_min_freq");
    const struct jl_fact high = number_of(root, arena, folder, "cpuinfo_max_freq");
    if (low.code != 0 || high.code != 0)
        return low.code == JOULIE_E_NOMEM || high.code == JOULIE_E_NOMEM ? JOULIE_E_NOMEM
                                                                         : JOULIE_E_NOT_FOUND;
    *out = jl_control_file_new(is_max ? JL_CONTROL_FREQ_MAX : JL_CONTROL_FREQ_MIN);
    out->range = (struct jl_freq_range){ .min_khz = low.value, .max_khz = high.value };
    out->folder = folder;
    out->path = JL_JOIN(arena, folder, is_max ? "/scaling_max_freq" : "/scaling_min_freq");
    return out->path != NULL ? 0 : JOULIE_E_NOMEM;
}

int jl_control_file_find(const struct jl_root *root, const char *key, struct jl_arena *arena,
                         struct jl_control_file *out)
{
    int rc = JOULIE_E_NOT_FOUND;
    if (jl_starts_with(key, RAPL))
        rc = find_rapl(root, arena, key, out);
    else if (jl_starts_with(key, POLICY))
        rc = find_frequency(root, arena, key, out);
    if (rc < 0)
        return rc;
    out->key = jl_arena_string(arena, key);
    return out->key != NULL ? 0 : JOULIE_E_NOMEM;
}
