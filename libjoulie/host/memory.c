/* SPDX-License-Identifier: Apache-2.0 */

/* Memory of the machine and of its NUMA nodes. */

#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "host/parts.h"

/* The line "MemTotal:  131072 kB", of a node "Node 0 MemTotal: …". */
static struct jl_fact total_of(struct jl_text text)
{
    static const char key[] = "MemTotal:";
    struct jl_fact fact = { .code = JOULIE_E_PARSE };
    const char *at = text.len > 0 ? strstr(text.ptr, key) : NULL;
    if (at == NULL)
        return fact;
    struct jl_text rest = jl_text(at + strlen(key));
    rest.len = jl_text_find(rest, '\n');
    rest = jl_text_trim(rest);
    const size_t digits = jl_text_find(rest, ' ');
    if (!jl_text_is((struct jl_text){ rest.ptr + digits, rest.len - digits }, " kB"))
        return fact;
    uint64_t kib = 0;
    fact.code = jl_parse_u64(rest.ptr, digits, &kib);
    if (fact.code == 0 && __builtin_mul_overflow(kib, UINT64_C(1024), &fact.value))
        fact.code = JOULIE_E_RANGE;
    return fact;
}

static struct jl_fact read_total(struct jl_scan *scan, const struct jl_spot *spot, const char *file)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    struct jl_text text;
    if (!jl_spot_text(scan, spot, file, JL_TEXT_FILE_MAX, &scratch, &text))
        return (struct jl_fact){ .code = JOULIE_E_UNSUPPORTED };
    const struct jl_fact fact = total_of(text);
    if (fact.code != 0)
        jl_spot_warn(scan, spot, file, "has no total of the memory");
    return fact;
}

static void read_node(struct jl_scan *scan, const struct jl_spot *folder, const char *name,
                      uint32_t number)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    struct jl_host_facts *facts = scan->facts;
    if (!jl_spot_enter(scan, folder, name, &spot))
        return;
    struct jl_numa_node *node =
        jl_scan_add(scan, folder, (void **)&facts->numa_nodes, &facts->numa_count, sizeof *node);
    if (node == NULL)
        return;
    *node = (struct jl_numa_node){ .number = number,
                                   .cpulist = jl_spot_word(scan, &spot, "cpulist"),
                                   .memory_bytes = read_total(scan, &spot, "meminfo") };
}

static int compare_nodes(const void *a, const void *b, void *user)
{
    const struct jl_numa_node *left = a;
    const struct jl_numa_node *right = b;
    (void)user;
    return (left->number > right->number) - (left->number < right->number);
}

static void read_nodes(struct jl_scan *scan)
{
    JL_CLEANUP(jl_spot_leave) struct jl_spot spot;
    JL_CLEANUP(jl_listing_clear) struct jl_listing listing = { .count = 0 };
    struct jl_host_facts *facts = scan->facts;
    if (!jl_spot_enter(scan, NULL, "sys/devices/system/node", &spot))
        return;
    jl_spot_list(scan, &spot, &listing);
    for (size_t i = 0; i < listing.count && scan->code == 0; i++) {
        uint32_t number = 0;
        if (jl_scan_numbered(listing.names[i], "node", &number))
            read_node(scan, &spot, listing.names[i], number);
    }
    if (scan->code == 0)
        scan->code = jl_sort(facts->numa_nodes, facts->numa_count, sizeof *facts->numa_nodes,
                             compare_nodes, NULL);
}

void jl_scan_memory(struct jl_scan *scan)
{
    scan->facts->memory_bytes = read_total(scan, NULL, "proc/meminfo");
    read_nodes(scan);
}
