/* SPDX-License-Identifier: Apache-2.0 */

/* Frequency policies; cpuN/cpufreq is a link to one of them
 * (docs/rules/frequencies.md#policies). */

#include "base/number.h"
#include "base/sort.h"
#include "host/parts.h"

/* Takes one number of a list with blanks between; false at its end or when it is no list. */
static bool next_cpu(struct jl_text *list, uint32_t *out)
{
    uint64_t value = 0;
    *list = jl_text_trim(*list);
    const size_t len = jl_text_find(*list, ' ');
    if (jl_parse_u64(list->ptr, len, &value) != 0 || value >= JL_SCAN_ITEMS_MAX)
        return false;
    list->ptr += len;
    list->len -= len;
    *out = (uint32_t)value;
    return true;
}

static void read_cpus(struct jl_scan *scan, const struct jl_spot *spot,
                      struct jl_cpufreq_policy *policy)
{
    static const char file[] = "affected_cpus";
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    struct jl_text list;
    uint32_t cpu = 0;
    if (!jl_spot_text(scan, spot, file, JL_TEXT_FILE_MAX, &scratch, &list))
        return;
    while (next_cpu(&list, &cpu)) {
        uint32_t *item = jl_scan_add(scan, spot, (void **)&policy->cpus, &policy->cpu_count,
                                     sizeof *policy->cpus);
        if (item == NULL)
            return;
        *item = cpu;
    }
    if (list.len > 0) {
        policy->cpu_count = 0;
        jl_spot_warn(scan, spot, file, "is no list of CPUs");
    }
}

static void read_policy(struct jl_scan *scan, const struct jl_spot *cpufreq, const char *name,
                        uint32_t number)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    struct jl_host_facts *facts = scan->facts;
    if (!jl_spot_enter(scan, cpufreq, name, &spot))
        return;
    struct jl_cpufreq_policy policy = {
        .number = number,
        .path = jl_spot_path(scan, &spot, NULL),
        .driver = jl_spot_word(scan, &spot, "scaling_driver"),
        .governor = jl_spot_word(scan, &spot, "scaling_governor"),
        .cpuinfo_min_khz = jl_spot_number(scan, &spot, "cpuinfo_min_freq"),
        .cpuinfo_max_khz = jl_spot_number(scan, &spot, "cpuinfo_max_freq"),
        .scaling_min_khz = jl_spot_number(scan, &spot, "scaling_min_freq"),
        .scaling_max_khz = jl_spot_number(scan, &spot, "scaling_max_freq"),
        .base_khz = jl_spot_number(scan, &spot, "base_frequency"),
        .lowest_nonlinear_khz = jl_spot_number(scan, &spot, "amd_pstate_lowest_nonlinear_freq"),
    };
    read_cpus(scan, &spot, &policy);
    struct jl_cpufreq_policy *item =
        jl_scan_add(scan, cpufreq, (void **)&facts->policies, &facts->policy_count, sizeof *item);
    if (item != NULL)
        *item = policy;
}

static int compare_policies(const void *a, const void *b, void *user)
{
    const struct jl_cpufreq_policy *left = a;
    const struct jl_cpufreq_policy *right = b;
    (void)user;
    return (left->number > right->number) - (left->number < right->number);
}

void jl_scan_cpufreq(struct jl_scan *scan)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    struct jl_host_facts *facts = scan->facts;
    facts->policies = NULL;
    facts->policy_count = 0;
    if (!jl_spot_enter(scan, NULL, JL_CPUFREQ_PATH, &spot))
        return;
    jl_spot_list(scan, &spot, &listing);
    for (size_t i = 0; i < listing.count && scan->code == 0; i++) {
        uint32_t number = 0;
        if (jl_scan_numbered(listing.names[i], "policy", &number))
            read_policy(scan, &spot, listing.names[i], number);
    }
    if (scan->code == 0)
        scan->code = jl_sort(facts->policies, facts->policy_count, sizeof *facts->policies,
                             compare_policies, NULL);
}
