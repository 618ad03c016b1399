/* SPDX-License-Identifier: Apache-2.0 */

/* Reading a machine, saying what it is made of, and recording it (see life.h). */

#include <string.h>

#include <joulie/host.h>

#include "base/buffer.h"
#include "host/snapshot.h"
#include "host/tree.h"
#include "node/hardware.h"
#include "oom/life.h"
#include "schema/encode.h"

static struct tree tree;

static int hardware(struct jl_arena *arena, const struct jl_host_facts *facts,
                    struct jl_buffer *out)
{
    struct jl_hardware_status status;
    jl_buffer_reset(out);
    out->is_failed = false;
    const int rc = jl_node_hardware_status(facts, arena, &status);
    if (rc < 0)
        return rc;
    jl_encode(out, &jl_hardware_status_table, &status);
    return jl_buffer_code(out);
}

static int take(void *user, const struct jl_snapshot_entry *entry)
{
    oom_note(user, entry->path);
    return 0;
}

static int record(struct oom_life *life, struct jl_arena *arena)
{
    struct jl_snapshot snapshot = { .sink = take, .user = life, .arena = arena };
    const size_t used = life->used;
    const int rc = jl_host_snapshot(&tree.root, &snapshot);
    if (rc < 0)
        life->used = used;
    for (size_t i = 0; i < snapshot.warning_count && rc == 0; i++)
        oom_note(life, snapshot.warnings[i].where);
    return rc;
}

static int name_root(struct jl_arena *arena, const char **out)
{
    *out = jl_root_printable(arena, "r\xff");
    return *out != NULL ? 0 : jl_arena_code(arena);
}

static void live_once(struct oom_life *life)
{
    struct jl_arena arena = { 0 };
    struct jl_buffer json = { 0 };
    struct jl_host_facts facts = { 0 };
    const char *name = NULL;
    while (oom_again(life, jl_host_scan(&tree.root, &arena, &facts)))
        ;
    while (oom_again(life, hardware(&arena, &facts, &json)))
        ;
    while (oom_again(life, record(life, &arena)))
        ;
    while (oom_again(life, name_root(&arena, &name)))
        ;
    oom_note(life, json.data != NULL ? json.data : "nothing");
    oom_note(life, name != NULL ? name : "nothing");
    jl_buffer_clear(&json);
    jl_arena_clear(&arena);
}

/* The recording again, through joulie_host_snapshot(). */
static int take_file(void *user, const struct joulie_host_entry *entry)
{
    if (entry->is_folder == 0)
        oom_note(user, entry->path);
    return 0;
}

static int record_host(struct oom_life *life, struct joulie_host *host)
{
    const size_t used = life->used;
    const int rc = joulie_host_snapshot(host, take_file, life, NULL);
    if (rc < 0)
        life->used = used;
    return rc;
}

static void live_of_recording(struct oom_life *life)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host *host = NULL;
    options.root = tree.path;
    while (oom_again(life, joulie_host_open(&options, &host, NULL)))
        ;
    while (oom_again(life, record_host(life, host)))
        ;
    joulie_host_free(host);
}

/* A machine with everything that takes another way through the scan. */
static void build(void)
{
    tree_new(&tree);
    tree_intel_2s(&tree);
    tree_link(&tree, ZONES "/intel-rapl:7", "intel-rapl:0");
    tree_folder(&tree, ZONES "/a name\n");
    tree_put(&tree, ZONES "/intel-rapl:1/energy_uj", "junk\n");
    tree_put(&tree, CPU "/cpu1/topology/core_id", "-1\n");
    tree_put(&tree, "proc/sys/kernel/random/boot_id", "no id\n");
    tree_put(&tree, "sys/devices/pci0000:00/0000:00:01.0/class", "0x030200\n");
    tree_put(&tree, "sys/devices/pci0000:00/0000:00:01.0/vendor", "0x10de\n");
    tree_put(&tree, "sys/devices/pci0000:00/0000:00:01.0/device", "0x2330\n");
    tree_put(&tree, "sys/devices/pci0000:00/0000:00:01.0/numa_node", "-1\n");
}

int main(void)
{
    build();
    int status = oom_lives("a host's", live_once);
    status |= oom_lives("a recording's", live_of_recording);
    tree_free(&tree);
    return status;
}
