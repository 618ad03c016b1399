/* SPDX-License-Identifier: Apache-2.0 */

/* Who writes a machine: the claim by the journal's lock, and a reader's glance at the journal
 * (docs/rules/enforcement.md#journal). */

#include <errno.h>

#include "base/error.h"
#include "base/number.h"
#include "enforce/host.h"

/* A journal of this boot below the state folder. *out_fd stays open as long as the journal: it is
 * borrowed by it. On failure it is a negative errno. */
static int open_journal(struct joulie_host *host, bool is_writer, struct jl_journal_file **out,
                        int *out_fd, struct joulie_error *err)
{
    const int fd = jl_host_open_state(host, is_writer);
    *out_fd = fd;
    if (fd < 0)
        return jl_root_fail(err, jl_host_state_name(host), "", -fd);
    const struct jl_journal_setup setup = {
        .os = host->root.os,
        .folder_fd = fd,
        .folder = jl_host_state_name(host),
        .boot_id = host->facts.boot_id,
        .is_writer = is_writer,
        .machine = &host->root,
        .pid = is_writer ? jl_os_pid() : 0,
        .uid = jl_os_uid(),
    };
    return jl_journal_open(&setup, out, err);
}

/* Of an unprivileged host without a connection the journal may be out of sight: what was listed
 * last counts. */
static int peek_by_file(struct joulie_host *host, struct jl_peek *out, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    const int rc = open_journal(host, false, &out->file, &out->fd, &full);
    if (rc == JOULIE_E_IO && out->fd == -ENOENT)
        return 0;
    if (rc == JOULIE_E_IO && host->client != NULL && host->client->has_open) {
        out->open = &host->client->open;
        return 0;
    }
    if (rc == 0)
        out->open = jl_journal_now(out->file);
    return jl_error_return(&full, rc, err);
}

int jl_host_peek(struct joulie_host *host, struct jl_peek *out, struct joulie_error *err)
{
    *out = (struct jl_peek){ .fd = -1 };
    if (host->is_claimed) {
        out->open = jl_host_open_keys(host);
        return 0;
    }
    if (host->client == NULL || !jl_client_is_there(host->client))
        return peek_by_file(host, out, err);
    const int rc = jl_client_list(host->client, err);
    if (rc == 0)
        out->open = &host->client->open;
    return rc;
}

void jl_host_stop_peeking(struct joulie_host *host, struct jl_peek *peek)
{
    jl_journal_close(peek->file);
    jl_fd_close(&host->root.os, &peek->fd);
}

const struct jl_journal *jl_host_open_keys(const struct joulie_host *host)
{
    if (host->peeked != NULL)
        return host->peeked;
    if (!host->is_claimed)
        return NULL;
    return host->client != NULL ? &host->client->open : jl_journal_now(host->journal);
}

const struct jl_journal_entry *jl_host_open_key(const struct joulie_host *host, const char *key)
{
    const struct jl_journal *now = jl_host_open_keys(host);
    return now != NULL ? jl_journal_entry_of(now, key) : NULL;
}

/* What was found before anybody's first write is in the journal, not in the file. */
void jl_host_remember_baselines(struct joulie_host *host, const struct jl_journal *now)
{
    for (size_t i = 0; i < now->open_count; i++) {
        struct jl_control *control = jl_control_find(host, now->open[i].key);
        if (control == NULL)
            continue;
        control->has_found = true;
        control->found = now->open[i].value;
    }
}

int jl_host_check_writer(const struct joulie_host *host, struct joulie_error *err)
{
    return !host->is_claimed || host->writer_pid == jl_os_pid()
               ? 0
               : jl_fail(err, JOULIE_E_CONFLICT, "", "process %lld is the writer, not its fork",
                         (long long)host->writer_pid);
}

/* ---- the claim ---- */

static int claim_by_lock(struct joulie_host *host, struct joulie_error *err)
{
    const int rc = open_journal(host, true, &host->journal, &host->state_fd, err);
    if (rc < 0)
        jl_fd_close(&host->root.os, &host->state_fd);
    return rc;
}

/* What nobody gets around there is what is asked for here: steps and floor are the same. */
static int claim_by_hello(struct joulie_host *host, struct joulie_error *err)
{
    struct jl_client *client = host->client;
    int rc = jl_client_hello(client, host->owner, err);
    if (rc == 0)
        rc = jl_client_list(client, err);
    if (rc < 0)
        return rc;
    host->ramps |= (client->terms.flags & JL_WIRE_RAMPS) != 0;
    host->may_enable &= (client->terms.flags & JL_WIRE_ENABLES) != 0;
    host->config.floor_pct = jl_max(host->config.floor_pct, client->terms.floor_pct);
    return 0;
}

/* The lock comes before anything is read for writing: what an earlier process left in force is
 * known when the first tick decides, so that a cap that is still wanted passes without a gap. */
int joulie_host_claim(struct joulie_host *host, int64_t now_ms, struct joulie_error *err)
{
    int rc = jl_host_check_now(now_ms, err);
    if (rc == 0)
        rc = jl_host_check_writer(host, err);
    if (rc < 0 || host->is_claimed)
        return rc;
    rc = host->client != NULL ? claim_by_hello(host, err) : claim_by_lock(host, err);
    if (rc < 0)
        return rc;
    host->is_claimed = true;
    host->writer_pid = jl_os_pid();
    const struct jl_journal *now = jl_host_open_keys(host);
    jl_host_remember_baselines(host, now);
    jl_host_reopen(host);
    if (now->open_count > 0)
        jl_host_log(host, JOULIE_LOG_LEVEL_INFO, "journal",
                    "%zu controls still have what an earlier process wrote", now->open_count);
    if (now->skipped > 0)
        jl_host_log(host, JOULIE_LOG_LEVEL_WARN, "journal", "%zu lines could not be read",
                    now->skipped);
    return 0;
}
