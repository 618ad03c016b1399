/* SPDX-License-Identifier: Apache-2.0 */

/* What a machine is made of: its NodeHardware, and its /sys and /proc recorded as a tar file. */

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/time.h"
#include "cli.h"
#include "host.h"
#include "runtime/file.h"
#include "tar.h"

/* ---- hardware ---- */

/* --now, else what the clock says. */
static bool time_of(const struct jd_call *call, int64_t *out_ms)
{
    const char *text = call->values.now;
    *out_ms = jd_now_ms();
    if (text && jl_parse_time(text, strlen(text), out_ms) != 0) {
        jd_usage("--now is a time such as 2026-03-13T12:00:00Z, not \"%s\"", text);
        return false;
    }
    return true;
}

static int describe(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    char own_name[256] = "";
    const char *name = call->values.node_name;
    JL_CLEANUP(jl_freep) char *json = NULL;
    int64_t now_ms;
    if (!time_of(call, &now_ms))
        return JD_EXIT_USAGE;
    if (!name && gethostname(own_name, sizeof own_name - 1) == 0)
        name = own_name;
    if (joulie_host_hardware(host, name, now_ms, &json, err) < 0)
        return jd_put_error(call, err);
    jd_put_answer(call, json);
    return JD_EXIT_OK;
}

static int run_hardware(struct jd_call *call)
{
    return jd_on_host(call, jd_host_options(call), describe);
}

static const struct jd_setting hardware_rows[] = {
    JD_ROOT_ROW,
    JD_TEXT_ROW("NODE_NAME", node_name, "NAME", "spec.nodeName; this machine's name by default"),
    JD_TEXT_ROW("NOW", now, "TIME", "status.updatedAt, RFC 3339; the clock by default"),
    JD_VERBOSE_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_hardware = {
    .name = "hardware",
    .summary = "What a machine is made of, as a NodeHardware",
    .text = "Reads /sys and /proc below the root. What cannot be read is absent, and a warning in "
            "the answer says why.",
    JD_ROWS(hardware_rows),
    .run = run_hardware,
};

/* ---- snapshot ---- */

static int take(void *user, const struct joulie_host_entry *entry)
{
    struct jl_buffer *tar = user;
    const int rc = jd_tar_put(tar, entry);
    return rc < 0 ? rc : jl_buffer_code(tar);
}

static int record(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    const char *file = call->values.file;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer tar = { 0 };
    int rc = joulie_host_snapshot(host, take, &tar, err);
    jd_tar_end(&tar);
    if (jl_buffer_code(&tar))
        rc = jl_fail_memory(err);
    if (rc == 0 && jl_same(file, "-"))
        jd_put_text(call, tar.data, tar.len);
    else if (rc == 0)
        rc = jd_write_bytes(file, tar.data, tar.len, err);
    return rc < 0 ? jd_put_error(call, err) : JD_EXIT_OK;
}

static int run_snapshot(struct jd_call *call)
{
    const char *file = call->values.file;
    if (!file)
        return jd_usage("\"snapshot\" needs -o FILE.tar");
    if (jl_same(file, "-") && isatty(STDOUT_FILENO))
        return jd_usage("an archive is not for a terminal: name a file with -o FILE.tar");
    return jd_on_host(call, jd_host_options(call), record);
}

static const struct jd_setting snapshot_rows[] = {
    JD_OPTION_ROW("OUTPUT", 'o', JD_TEXT_AT(jd_values, file), "FILE",
                  "the archive, a tar; - is standard output"),
    JD_ROOT_ROW,
    JD_VERBOSE_ROW,
};

const struct jd_command jd_command_snapshot = {
    .name = "snapshot",
    .summary = "Records the parts of /sys and /proc that describe a machine",
    .text = "Unpacked, the archive is a root for the other commands: joulie hardware --root DIR. "
            "Serial numbers, host\n"
            "names, addresses and UUIDs are not in it.",
    JD_ROWS(snapshot_rows),
    .run = run_snapshot,
};
