/* SPDX-License-Identifier: Apache-2.0 */

/* What a host makes of writes to its controls (keep.c): states, the list of writes, the log. */

#include "base/error.h"
#include "base/memory.h"
#include "enforce/host.h"

/* Once, however often it is tried. */
void jl_host_log_journal(struct joulie_host *host, const struct joulie_error *err)
{
    if (!host->is_journal_logged)
        jl_host_log(host, JOULIE_LOG_LEVEL_ERROR, "journal", "it takes nothing: %s", err->message);
    host->is_journal_logged = true;
}

/* A device that is lost, or is another one by now, is looked for again. */
void jl_host_remember(struct joulie_host *host, const struct jl_keep_item *item)
{
    host->writes += item->result.is_taken;
    if (item->wrote == JL_WROTE_LOST)
        host->needs_scan = true;
    if (item->wrote == JL_WROTE_LOST || host->made_count >= JL_MADE_MAX ||
        JL_GROW(&host->made, &host->made_room, host->made_count + 1) < 0)
        return;
    host->made[host->made_count++] = (struct jl_made){
        .control = (size_t)(jl_control_of(item->file) - host->controls),
        .has_from = item->has_before,
        .from = item->before,
        .to = item->value,
        .has_read_back = item->wrote == JL_WROTE_VERIFIED || item->wrote == JL_WROTE_DISAGREES,
        .read_back = item->result.read_back,
        .wrote = item->wrote,
    };
}

static void made(void *user, const struct jl_keep_item *item)
{
    struct joulie_host *host = user;
    struct jl_control *control = jl_control_of(item->file);
    const bool is_back = item->wrote == JL_WROTE_VERIFIED;
    if (item->is_switched) {
        control->has_tried_switch = true;
        control->tried_switch_ms = jl_host_monotonic_ms(host);
    }
    jl_host_remember(host, item);
    if (item->is_way_back)
        jl_host_log(host, is_back ? JOULIE_LOG_LEVEL_WARN : JOULIE_LOG_LEVEL_ERROR, "rapl",
                    is_back ? "%s went back to %llu: another part failed"
                            : "%s could not go back to %llu after another part failed",
                    item->file->key, (unsigned long long)item->value);
}

/* What stands there before the first cap is what will be given back. */
static void log_low(const struct joulie_host *host, const struct jl_keep_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct jl_control_file *file = items[i].file;
        uint64_t most = 0;
        if (file->now.code == 0 && jl_host_open_key(host, file->key) == NULL &&
            jl_control_file_is_low(file, file->now.value, &most))
            jl_host_log(host, JOULIE_LOG_LEVEL_WARN, "journal",
                        "%s: %llu uW was found, below its maximum of %llu uW: %s", file->key,
                        (unsigned long long)file->now.value, (unsigned long long)most,
                        host->gives_back_maximum
                            ? "the maximum will be given back"
                            : "if that is a cap whose journal was lost, it will be "
                              "given back as if it were the original");
    }
}

void jl_host_write(struct joulie_host *host, struct jl_keep_item *items, size_t count,
                   bool is_group, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_keep keep = {
        .root = &host->root,
        .journal = host->journal,
        .memory = &host->tick_memory,
        .owner = host->owner,
        .may_enable = host->may_enable,
        .gives_back_maximum = host->gives_back_maximum,
        .user = host,
        .made = made,
    };
    log_low(host, items, count);
    const int rc = host->client != NULL
                       ? jl_client_write(host->client, &keep, items, count, is_group, &err)
                       : jl_keep_write(&keep, items, count, is_group, now_ms, &err);
    if (rc < 0) {
        host->journal_message = JL_JOIN(&host->tick_memory, "no journal, no write: ", err.message);
        jl_host_log_journal(host, &err);
    } else {
        host->is_journal_logged = false;
    }
    for (size_t i = 0; i < count; i++) {
        struct jl_control *control = jl_control_of(items[i].file);
        jl_cap_life_wrote(&control->life, &control->view, items[i].wrote, items[i].value,
                          items[i].result.read_back);
    }
}
