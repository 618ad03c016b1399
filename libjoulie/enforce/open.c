/* SPDX-License-Identifier: Apache-2.0 */

/* Opening and closing a machine, its options, its log, its state folder. */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "enforce/host.h"

#define OPTIONS_BITS ((JOULIE_HOST_HAS_KEEPER << 1) - 1)

_Static_assert(sizeof(enum joulie_log_level) == 4, "enums of public structs have four bytes");

/* ---- what the exported functions share ---- */

int jl_host_check_now(int64_t now_ms, struct joulie_error *err)
{
    return jl_is_instant(now_ms)
               ? 0
               : jl_fail(err, JOULIE_E_RANGE, "now_ms", "the year is not within 0 to 9999");
}

/* ---- the log ---- */

void jl_host_log(const struct joulie_host *host, enum joulie_log_level level, const char *component,
                 const char *format, ...)
{
    struct joulie_error line = JOULIE_INIT(struct joulie_error);
    va_list arguments;
    if (host->log == NULL)
        return;
    va_start(arguments, format);
    (void)jl_fail_list(&line, JOULIE_OK, "", format, arguments);
    va_end(arguments);
    host->log(host->log_user, level, component, line.message);
}

/* ---- options ---- */

static int fail_option(struct joulie_error *err, const char *where, const char *message)
{
    return jl_fail(err, JOULIE_E_RANGE, where, "%s", message);
}

static int take_times(struct joulie_host *host, const struct joulie_host_options *options,
                      struct joulie_error *err)
{
    const struct {
        uint64_t bit;
        int64_t ms;
        const char *where;
        int64_t *out;
    } times[] = {
        { JOULIE_HOST_HAS_SPEC_READ_TIMEOUT, options->spec_read_timeout_ms, "SPEC_READ_TIMEOUT",
          &host->config.spec_read_timeout_ms },
        { JOULIE_HOST_HAS_STALENESS, options->staleness_ms, "TWIN_STALENESS_THRESHOLD",
          &host->config.freshness.staleness_ms },
        { JOULIE_HOST_HAS_MAX_AGE, options->max_age_ms, "TWIN_MAX_AGE",
          &host->config.freshness.max_age_ms },
        { JOULIE_HOST_HAS_COOLDOWN, options->dvfs_cooldown_ms, "DVFS_COOLDOWN",
          &host->dvfs.cooldown_ms },
    };

    for (size_t i = 0; i < JL_COUNT(times); i++) {
        if ((options->has & times[i].bit) == 0)
            continue;
        if (times[i].ms < 0)
            return fail_option(err, times[i].where, "a time is not negative");
        *times[i].out = times[i].ms;
    }
    return 0;
}

static int take_dvfs(struct joulie_host *host, const struct joulie_host_options *options,
                     struct joulie_error *err)
{
    struct jl_dvfs_params *dvfs = &host->dvfs;
    if (options->has & JOULIE_HOST_HAS_EMA_ALPHA)
        dvfs->alpha = options->dvfs_ema_alpha;
    if (options->has & JOULIE_HOST_HAS_HIGH_MARGIN)
        dvfs->high_margin_w = options->dvfs_high_margin_w;
    if (options->has & JOULIE_HOST_HAS_LOW_MARGIN)
        dvfs->low_margin_w = options->dvfs_low_margin_w;
    if (options->has & JOULIE_HOST_HAS_STEP)
        dvfs->step_pct = options->dvfs_step_pct;
    if (options->has & JOULIE_HOST_HAS_TRIP_COUNT) {
        if (options->dvfs_trip_count < 1 || options->dvfs_trip_count > INT32_MAX)
            return fail_option(err, "DVFS_TRIP_COUNT", "1 or more was expected");
        dvfs->trip_count = (uint32_t)options->dvfs_trip_count;
    }
    if (options->has & JOULIE_HOST_HAS_MIN_FREQ) {
        if (options->dvfs_min_freq_khz < 0)
            return fail_option(err, "DVFS_MIN_FREQ_KHZ", "a frequency is not negative");
        dvfs->floor_khz = (uint64_t)options->dvfs_min_freq_khz;
    }
    const char *fault = jl_dvfs_params_fault(dvfs);
    if (fault != NULL)
        return fail_option(err, fault, "outside the range that the controller works in");
    host->is_legacy = jl_same(options->dvfs_controller, "legacy");
    if (options->dvfs_controller != NULL && !host->is_legacy &&
        !jl_same(options->dvfs_controller, "proportional"))
        return jl_fail(err, JOULIE_E_ENUM, "DVFS_CONTROLLER",
                       "proportional or legacy was expected");
    return 0;
}

static int take_texts(struct joulie_host *host, const struct joulie_host_options *options,
                      struct joulie_error *err)
{
    int rc = jl_check_text(options->owner, "owner", err);
    if (rc < 0)
        return rc;
    const char *owner = options->owner != NULL ? options->owner : "api";
    if (!jl_same(owner, "api") && (!jl_starts_with(owner, "local:") || strlen(owner) > 64))
        return jl_fail(err, JOULIE_E_ENUM, "owner", "api or local:NAME was expected");
    host->owner = jl_arena_string(&host->texts, owner);
    host->state_dir = jl_arena_string(&host->texts, options->state_dir);
    if (host->owner == NULL || (options->state_dir != NULL && host->state_dir == NULL))
        return jl_fail_memory(err);
    return 0;
}

static int take_options(struct joulie_host *host, const struct joulie_host_options *options,
                        struct joulie_error *err)
{
    jl_node_defaults(&host->config);
    jl_dvfs_params_default(&host->dvfs);
    host->config.mode = options->enforces != 0 ? JL_NODE_ENFORCE : JL_NODE_OBSERVE;
    host->ramps = options->ramps != 0;
    host->may_enable = options->may_enable != 0;
    host->gives_back_maximum = options->gives_back_maximum != 0;
    host->has_backed_twin = options->has_backed_twin != 0;
    host->is_one_shot = options->is_one_shot != 0;
    host->log = options->log;
    host->log_user = options->log_user;
    if (options->has & JOULIE_HOST_HAS_FLOOR) {
        if (!(options->floor_pct >= 0 && options->floor_pct <= 100))
            return fail_option(err, "CAP_FLOOR_PCT", "0 to 100 was expected");
        host->config.floor_pct = options->floor_pct;
    }
    int rc = take_times(host, options, err);
    if (rc == 0)
        rc = take_dvfs(host, options, err);
    return rc == 0 ? take_texts(host, options, err) : rc;
}

/* ---- opening ---- */

static int open_root(struct joulie_host *host, bool is_live, struct jl_os os, const char *path,
                     struct joulie_error *err)
{
    if (is_live)
        return jl_root_open(jl_os_linux(&host->counts), path, &host->root, err);
    const int fd = os.open(os.user, AT_FDCWD, path, JL_OS_FOLDER_FD);
    host->root = (struct jl_root){ .os = os, .fd = fd };
    return fd >= 0 ? 0 : jl_fail(err, JOULIE_E_IO, path, "cannot be opened");
}

/* Options before anything is opened, so that a mistake in them costs no system call. */
static int set_up(struct joulie_host *host, bool is_live, struct jl_os os,
                  const struct joulie_host_options *theirs, struct joulie_error *err)
{
    struct joulie_host_options ours = { .struct_size = sizeof ours };
    if (theirs != NULL && (JL_SIZED_READ(&ours, theirs) < 0 || (ours.has & ~OPTIONS_BITS) != 0))
        return jl_fail_abi(err, "");
    int rc = take_options(host, &ours, err);
    if (rc == 0 && (ours.has & JOULIE_HOST_HAS_KEEPER) != 0)
        rc = joulie_host_set_keeper(host, ours.keeper_fd, err);
    if (rc == 0)
        rc = open_root(host, is_live, os, ours.root != NULL ? ours.root : "/", err);
    if (rc < 0)
        return rc;
    rc = jl_host_scan(&host->root, &host->facts_memory, &host->facts);
    if (rc == 0)
        rc = jl_host_bind(host);
    if (rc == 0)
        return 0;
    return rc == JOULIE_E_NOMEM ? jl_fail_memory(err)
                                : jl_fail(err, rc, "", "no machine has as much of /sys as this");
}

/* The descriptors are -1 before anything can fail: joulie_host_free() closes what there is. */
static int open_host(bool is_live, struct jl_os os, const struct joulie_host_options *options,
                     struct joulie_host **out, struct joulie_error *err)
{
    struct joulie_host *host = jl_calloc(1, sizeof *host);
    if (host == NULL)
        return jl_fail_memory(err);
    host->root.fd = host->state_fd = host->fd_load = host->fd_etc = -1;
    host->load_pct = -1;
    const int rc = set_up(host, is_live, os, options, err);
    if (rc < 0)
        joulie_host_free(host);
    else
        *out = host;
    return rc;
}

int joulie_host_open(const struct joulie_host_options *options, struct joulie_host **out,
                     struct joulie_error *err)
{
    return open_host(true, (struct jl_os){ 0 }, options, out, err);
}

int jl_host_open_over(struct jl_os os, const struct joulie_host_options *options,
                      struct joulie_host **out, struct joulie_error *err)
{
    return open_host(false, os, options, out, err);
}

void joulie_host_free(struct joulie_host *host)
{
    if (host == NULL)
        return;
    jl_host_drop(host);
    jl_journal_close(host->journal);
    if (host->client != NULL)
        jl_client_clear(host->client);
    jl_free(host->client);
    jl_fd_close(&host->root.os, &host->state_fd);
    jl_fd_close(&host->root.os, &host->fd_load);
    jl_fd_close(&host->root.os, &host->fd_etc);
    jl_root_close(&host->root);
    jl_arena_clear(&host->texts);
    jl_arena_clear(&host->facts_memory);
    jl_arena_clear(&host->twin_memory);
    jl_arena_clear(&host->old_twin_memory);
    jl_arena_clear(&host->tick_memory);
    jl_free(host->made);
    jl_free(host);
}

/* ---- the state folder ---- */

int jl_host_open_state(struct joulie_host *host, bool is_writer)
{
    return is_writer ? jl_journal_make_folder(&host->root, host->state_dir)
                     : jl_journal_open_folder(&host->root, host->state_dir);
}

const char *jl_host_state_name(const struct joulie_host *host)
{
    return host->state_dir != NULL ? host->state_dir : JL_STATE_FOLDER;
}

int joulie_host_get_counts(struct joulie_host *host, struct joulie_host_counts *out,
                           struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    const struct joulie_host_counts ours = {
        .calls = host->counts.calls,
        .writes = host->counts.writes,
        .syncs = host->counts.syncs,
        .restores = host->restores,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}
