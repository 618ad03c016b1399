/* SPDX-License-Identifier: Apache-2.0 */

/* Who writes a machine: the claim by the journal's lock, and a reader's glance at the journal
 * (docs/rules/enforcement.md#journal). */

#include <errno.h>

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
        .pid = is_writer ? jl_os_pid() : 0,
        .uid = jl_os_uid(),
    };
    return jl_journal_open(&setup, out, err);
}

int jl_host_peek(struct joulie_host *host, struct jl_journal_file **out, int *out_fd,
                 struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    if (host->is_claimed) {
        *out = host->journal;
        return 0;
    }
    const int rc = open_journal(host, false, out, out_fd, &full);
    return rc == JOULIE_E_IO && *out_fd == -ENOENT ? 0 : jl_error_return(&full, rc, err);
}

void jl_host_stop_peeking(struct joulie_host *host, struct jl_journal_file *file, int fd)
{
    if (!host->is_claimed)
        jl_journal_close(file);
    jl_fd_close(&host->root.os, &fd);
}

/* What was found before anybody's first write is in the journal, not in the file. */
void jl_host_remember_baselines(struct joulie_host *host, const struct jl_journal_file *file)
{
    const struct jl_journal *now = jl_journal_now(file);
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

/* The lock comes before anything is read for writing: what an earlier process left in force is
 * known when the first tick decides, so that a cap that is still wanted passes without a gap. */
int joulie_host_claim(struct joulie_host *host, int64_t now_ms, struct joulie_error *err)
{
    int rc = jl_host_check_now(now_ms, err);
    if (rc == 0)
        rc = jl_host_check_writer(host, err);
    if (rc < 0 || host->is_claimed)
        return rc;
    rc = open_journal(host, true, &host->journal, &host->state_fd, err);
    if (rc < 0) {
        jl_fd_close(&host->root.os, &host->state_fd);
        return rc;
    }
    host->is_claimed = true;
    host->writer_pid = jl_os_pid();
    jl_host_remember_baselines(host, host->journal);
    jl_host_reopen(host);
    const struct jl_journal *now = jl_journal_now(host->journal);
    if (now->open_count > 0)
        jl_host_log(host, JOULIE_LOG_LEVEL_INFO, "journal",
                    "%zu controls still have what an earlier process wrote", now->open_count);
    if (now->skipped > 0)
        jl_host_log(host, JOULIE_LOG_LEVEL_WARN, "journal", "%zu lines could not be read",
                    now->skipped);
    return 0;
}
