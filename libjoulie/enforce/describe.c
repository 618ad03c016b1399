/* SPDX-License-Identifier: Apache-2.0 */

/* What a machine is made of, for others: joulie_host_hardware() as it is without our caps, and
 * joulie_host_snapshot(). */

#include "base/time.h"
#include "enforce/host.h"
#include "host/snapshot.h"
#include "kinds/naming.h"
#include "node/hardware.h"
#include "schema/encode.h"

/* A machine is described as it is without our caps: limits of the journal, not those that read. */
static void describe_uncapped(struct joulie_host *host, const struct jl_journal *open)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    for (size_t i = 0; open != NULL && i < host->facts.zone_count; i++) {
        const struct jl_zone *zone = &host->facts.zones[i];
        for (size_t k = 0; k < zone->constraint_count; k++) {
            struct jl_zone_constraint *constraint = &zone->constraints[k];
            const char *key = JL_JOIN(&memory, "rapl/", zone->name != NULL ? zone->name : "", "/",
                                      constraint->name != NULL ? constraint->name : "");
            const struct jl_journal_entry *entry =
                key != NULL ? jl_journal_entry_of(open, key) : NULL;
            if (entry != NULL)
                constraint->limit_uw = (struct jl_fact){ .value = entry->value };
        }
    }
}

static int read_uncapped(struct joulie_host *host, struct joulie_error *err)
{
    struct jl_peek peek;
    const int rc = jl_host_peek(host, &peek, err);
    if (rc == 0)
        describe_uncapped(host, peek.open);
    jl_host_stop_peeking(host, &peek);
    return rc;
}

/* A machine under a cap of ours is described as it is without it: otherwise the operator would take
 * the cap for the maximum and cap again from there. */
int joulie_host_hardware(struct joulie_host *host, const char *node_name, int64_t now_ms,
                         char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_node_hardware object = { 0 };
    char now[JL_TIME_TEXT];
    int rc = jl_check_text(node_name, "node_name", err);
    if (rc == 0 && (node_name == NULL || node_name[0] == '\0'))
        rc = jl_fail(err, JOULIE_E_REQUIRED, "node_name", "a node has a name");
    if (rc == 0)
        rc = jl_host_check_now(now_ms, err);
    if (rc == 0)
        rc = read_uncapped(host, err);
    if (rc < 0)
        return rc;
    rc = jl_node_hardware_status(&host->facts, &arena, &object.status);
    const char *name = rc == 0 ? jl_object_name(&arena, node_name, NULL, NULL) : NULL;
    if (name == NULL)
        return rc < 0 ? jl_fail(err, rc, "", "the machine cannot be described")
                      : jl_fail_memory(err);
    jl_format_time(now_ms, now);
    JL_PUT(&object, JL_ROOT_API_VERSION, api_version, "joulie.io/v1alpha1");
    JL_PUT(&object, JL_ROOT_KIND, kind, "NodeHardware");
    JL_PUT(&object.meta, 0, name, name);
    JL_MARK(&object, JL_ROOT_META);
    JL_SET(&object.spec, node_name, node_name);
    JL_MARK(&object, JL_ROOT_SPEC);
    JL_SET(&object.status, updated_at, now);
    JL_MARK(&object, JL_ROOT_STATUS);
    jl_encode(&text, &jl_node_hardware_table, &object);
    return jl_hand_out(&text, json, err);
}

struct relay {
    joulie_host_sink_fn *sink;
    void *user;
};

static int pass_on(void *user, const struct jl_snapshot_entry *entry)
{
    const struct relay *relay = user;
    const struct joulie_host_entry theirs = {
        .struct_size = sizeof theirs,
        .path = entry->path,
        .bytes = entry->bytes,
        .len = entry->len,
        .mode = entry->mode,
        .is_folder = entry->is_folder,
    };
    return relay->sink(relay->user, &theirs);
}

int joulie_host_snapshot(struct joulie_host *host, joulie_host_sink_fn *sink, void *user,
                         struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct relay relay = { sink, user };
    struct jl_snapshot snapshot = { .sink = pass_on, .user = &relay, .arena = &arena };
    int rc = jl_host_snapshot(&host->root, &snapshot);
    if (rc == JOULIE_E_NOMEM)
        rc = jl_fail_memory(err);
    else if (rc != 0)
        rc = jl_fail(err, rc, "", "the snapshot is not complete");
    for (size_t i = 0; i < snapshot.warning_count; i++)
        jl_host_log(host, JOULIE_LOG_LEVEL_WARN, "host", "%s: %s", snapshot.warnings[i].where,
                    snapshot.warnings[i].message);
    return rc;
}
