/* SPDX-License-Identifier: Apache-2.0 */

/* What is read of a machine in each interval, beside its controls: energy, load, thermal
 * throttling, the kill switch. */

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "enforce/host.h"

#define US_PER_S 1e6
#define STEPS_PER_W 10 /* of published watts */
#define STUCK_US INT64_C(10000000)
#define LOAD_BYTES 256 /* the first line of proc/stat */

/* ---- energy ---- */

/* Watts and joules for others: at most once in each second, whole joules. */
static void publish(struct jl_meter *meter, int64_t now_us)
{
    const int64_t gone_us = now_us - meter->published_us;
    if (!meter->has_published || gone_us < 0) {
        meter->has_published = true;
    } else if (now_us / (int64_t)US_PER_S == meter->published_us / (int64_t)US_PER_S ||
               gone_us < (int64_t)US_PER_S / 2) {
        return;
    } else {
        const double watts = (double)(meter->sum_uj - meter->published_uj) / (double)gone_us;
        meter->has_published_w = true;
        meter->published_w = jl_round_half_away(watts * STEPS_PER_W) / STEPS_PER_W;
    }
    meter->published_us = now_us;
    meter->published_uj = meter->sum_uj;
    meter->published_j = jl_energy_published_j(meter->sum_uj);
}

static void forget_reading(struct joulie_host *host, struct jl_meter *meter)
{
    jl_fd_close(&host->root.os, &meter->fd);
    meter->is_lost = true;
    meter->has_last = false;
    host->needs_scan = true;
}

static void no_watts(struct jl_meter *meter)
{
    meter->has_watts = false;
    meter->has_published_w = false;
    meter->has_published = false; /* the next watts are of the time from the next reading on */
}

/* Watts of one interval. A drop, a gap, a sleep or a counter that stands still gives none: 0 W
 * would be the best reason to raise a cap. */
static void take_reading(struct jl_meter *meter, uint64_t now_uj,
                         const struct joulie_host_time *time)
{
    const int64_t slept_us = time->boottime_us - time->monotonic_us;
    const struct jl_energy_step step = {
        .has_last = meter->has_last,
        .last_uj = meter->last_uj,
        .now_uj = now_uj,
        .range_uj = meter->range_uj,
        .seconds = (double)(time->monotonic_us - meter->last_us) / US_PER_S,
        .tdp_w = meter->tdp_w,
        .max_w = meter->tdp_w,
        .sleep_s = meter->has_last ? (double)(slept_us - meter->slept_us) / US_PER_S : 0,
    };
    const struct jl_energy_delta delta = jl_energy_delta(&step);
    meter->has_last = true;
    meter->last_uj = now_uj;
    meter->last_us = time->monotonic_us;
    meter->slept_us = slept_us;
    meter->resets += delta.drop == JL_ENERGY_RESET;
    /* nothing that is on draws nothing: a delta of 0 is that of a counter that nobody feeds */
    if (delta.drop != JL_ENERGY_KEPT || delta.delta_uj == 0) {
        no_watts(meter);
        return;
    }
    meter->has_watts = true;
    meter->watts = delta.watts;
    meter->sum_uj += delta.delta_uj;
    meter->moved_us = time->monotonic_us;
    meter->is_stuck = false;
}

/* Some virtual machines show zones whose counter never moves. */
static void log_stuck(struct joulie_host *host, struct jl_meter *meter, int64_t now_us)
{
    if (meter->moved_us == 0)
        meter->moved_us = now_us;
    if (meter->is_stuck || now_us - meter->moved_us < STUCK_US)
        return;
    meter->is_stuck = true;
    jl_host_log(host, JOULIE_LOG_LEVEL_WARN, "host",
                "%s: stuck: its energy does not change; not counted", meter->name);
}

/* Only root may open a counter, and a keeper is. */
static int open_meter(struct joulie_host *host, const struct jl_meter *meter)
{
    int fd = -1;
    if (host->client != NULL && jl_client_is_there(host->client)) {
        if (jl_client_energy(host->client, meter->name, &fd, NULL) == 0)
            return fd;
        jl_fd_close(&host->root.os, &fd);
    }
    return meter->path != NULL ? jl_root_file(&host->root, meter->path, JL_OS_READ)
                               : -ENOENT; /* memory ran out when it was found */
}

/* A counter that cannot be read keeps its sum; one that is gone is looked for in a new scan. */
static void read_meter(struct joulie_host *host, struct jl_meter *meter,
                       const struct joulie_host_time *time)
{
    if (meter->fd < 0)
        meter->fd = open_meter(host, meter);
    const struct jl_fact now = jl_fd_number(&host->root.os, meter->fd);
    if (now.code != 0) {
        const bool is_gone =
            now.code == JOULIE_E_UNSUPPORTED || now.sys_errno == ENODEV || now.sys_errno == ENOENT;
        no_watts(meter);
        if (is_gone)
            forget_reading(host, meter);
        return;
    }
    meter->is_lost = false;
    take_reading(meter, now.value, time);
    log_stuck(host, meter, time->monotonic_us);
    publish(meter, time->monotonic_us);
}

/* The power of a package is that of all its dies, or unknown. */
static void add_up(struct joulie_host *host)
{
    for (size_t p = 0; p < host->package_count; p++) {
        host->packages[p].has_watts = true;
        host->packages[p].watts = 0;
        size_t zones = 0;
        for (size_t i = 0; i < host->meter_count; i++) {
            const struct jl_meter *meter = &host->meters[i];
            if (meter->kind != JOULIE_HOST_ZONE_KIND_PACKAGE || meter->package != p)
                continue;
            host->packages[p].has_watts &= meter->has_watts;
            host->packages[p].watts += meter->watts;
            zones++;
        }
        host->packages[p].has_watts &= zones > 0;
    }
}

void jl_host_read_meters(struct joulie_host *host, const struct joulie_host_time *time)
{
    for (size_t i = 0; i < host->meter_count; i++)
        read_meter(host, &host->meters[i], time);
    add_up(host);
}

/* ---- load ---- */

/* user nice system idle iowait irq softirq steal of the line "cpu". */
static bool parse_load(const char *text, size_t len, uint64_t *busy, uint64_t *total)
{
    struct jl_text line = { text, len };
    line.len = jl_text_find(line, '\n');
    if (line.len < 4 || memcmp(line.ptr, "cpu ", 4) != 0)
        return false;
    uint64_t values[8] = { 0 };
    size_t count = 0;
    for (size_t at = 4; at < line.len && count < JL_COUNT(values);) {
        while (at < line.len && line.ptr[at] == ' ')
            at++;
        const size_t start = at;
        while (at < line.len && line.ptr[at] != ' ')
            at++;
        if (at > start && jl_parse_u64(line.ptr + start, at - start, &values[count++]) < 0)
            return false;
    }
    if (count < 4)
        return false;
    *busy = values[0] + values[1] + values[2] + values[5] + values[6] + values[7];
    *total = *busy + values[3] + values[4];
    return true;
}

void jl_host_read_load(struct joulie_host *host)
{
    char text[LOAD_BYTES];
    uint64_t busy = 0, total = 0;
    host->load_pct = -1;
    if (host->fd_load < 0)
        host->fd_load = jl_root_file(&host->root, "proc/stat", JL_OS_READ);
    const int64_t len = host->fd_load >= 0 ? host->root.os.pread(host->root.os.user, host->fd_load,
                                                                 text, sizeof text, 0)
                                           : -1;
    if (len <= 0 || !parse_load(text, (size_t)len, &busy, &total)) {
        host->has_load = false;
        return;
    }
    if (host->has_load && total > host->load_total && busy >= host->load_busy)
        host->load_pct =
            100.0 * (double)(busy - host->load_busy) / (double)(total - host->load_total);
    host->has_load = true;
    host->load_busy = busy;
    host->load_total = total;
}

/* ---- thermal throttling ---- */

/* The kernel counts thermal throttling of a package; an increase since the interval before means
 * that heat, not a limit, holds the power down. */
void jl_host_read_throttle(struct joulie_host *host)
{
    for (size_t p = 0; p < host->package_count; p++) {
        struct jl_package *package = &host->packages[p];
        package->is_hot = false;
        if (package->throttle_path == NULL)
            continue;
        if (package->fd_throttle < 0)
            package->fd_throttle = jl_root_file(&host->root, package->throttle_path, JL_OS_READ);
        if (package->fd_throttle == -ENOENT) { /* this kernel does not count it */
            jl_free(package->throttle_path);
            package->throttle_path = NULL;
            package->fd_throttle = -1;
            continue;
        }
        if (package->fd_throttle < 0)
            continue;
        const struct jl_fact count = jl_fd_number(&host->root.os, package->fd_throttle);
        package->is_hot =
            count.code == 0 && package->has_throttled && count.value > package->throttled;
        package->has_throttled = count.code == 0;
        package->throttled = count.value;
    }
}

/* ---- the kill switch ---- */

/* Whatever stands there means it: a link, a folder, an unreadable file. */
bool jl_host_stat_disable(struct joulie_host *host)
{
    const struct jl_os *os = &host->root.os;
    struct jl_os_file file;
    if (host->fd_etc < 0)
        host->fd_etc = jl_root_folder(&host->root, "etc");
    if (host->fd_etc < 0 || os->stat(os->user, host->fd_etc, "joulie", &file) < 0)
        return false;
    const int folder = jl_root_folder(&host->root, JL_DISABLE_FOLDER);
    if (folder < 0)
        return true;
    const int rc = os->stat(os->user, folder, JL_DISABLE_NAME, &file);
    os->close(os->user, folder);
    return rc != -ENOENT;
}

int joulie_host_set_disabled(struct joulie_host *host, int32_t is_disabled,
                             struct joulie_error *err)
{
    const struct jl_os *os = &host->root.os;
    int folder = is_disabled ? jl_root_make_folder(&host->root, JL_DISABLE_FOLDER)
                             : jl_root_folder(&host->root, JL_DISABLE_FOLDER);
    int rc = folder;
    if (folder >= 0 && is_disabled) {
        int fd = os->open(os->user, folder, JL_DISABLE_NAME, JL_OS_WRITE | JL_OS_CREATE);
        rc = fd >= 0 ? os->sync(os->user, folder) : fd;
        jl_fd_close(os, &fd);
    } else if (folder >= 0) {
        rc = os->unlink(os->user, folder, JL_DISABLE_NAME);
    }
    jl_fd_close(os, &folder);
    const bool is_so = rc >= 0 || (!is_disabled && rc == -ENOENT);
    return is_so ? 0 : jl_root_fail(err, JL_DISABLE_PATH, "", -rc);
}

/* ---- joulie_host_zone_at() ---- */

int joulie_host_zone_at(struct joulie_host *host, size_t index, struct joulie_host_zone *out,
                        struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (index >= host->meter_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there is no such zone");
    const struct jl_meter *meter = &host->meters[index];
    struct joulie_host_zone ours = {
        .name = meter->name,
        .energy_j = meter->published_j,
        .power_w = meter->published_w,
        .resets = meter->resets,
        .kind = meter->kind,
    };
    if (meter->has_last)
        ours.has |= JOULIE_HOST_ZONE_HAS_ENERGY;
    if (meter->has_published_w)
        ours.has |= JOULIE_HOST_ZONE_HAS_POWER;
    const struct jl_control *control =
        meter->control != JL_NOWHERE ? &host->controls[meter->control] : NULL;
    if (control != NULL && control->file.now.code == 0) {
        ours.has |= JOULIE_HOST_ZONE_HAS_LIMIT;
        ours.limit_w = (double)control->file.now.value / 1e6;
    }
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}
