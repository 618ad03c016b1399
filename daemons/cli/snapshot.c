/* SPDX-License-Identifier: Apache-2.0 */

/* joulie snapshot: records /sys and /proc of a machine as a tar file. */

#include <unistd.h>

#include "base/error.h"
#include "cli.h"
#include "host.h"
#include "runtime/file.h"
#include "tar.h"

static int take(void *user, const struct joulie_host_entry *entry)
{
    struct jl_buffer *tar = user;
    const int rc = jd_tar_put(tar, entry);
    return rc < 0 ? rc : jl_buffer_code(tar);
}

static int record(struct jd_call *call, struct jl_buffer *tar, struct joulie_error *err)
{
    const struct joulie_host_options host_options = jd_host_options(call);
    struct joulie_host *host = NULL;
    int rc = joulie_host_open(&host_options, &host, err);
    if (rc == 0)
        rc = joulie_host_snapshot(host, take, tar, err);
    joulie_host_free(host);
    jd_tar_end(tar);
    return jl_buffer_code(tar) ? jl_fail_memory(err) : rc;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer tar = { 0 };
    const char *file = call->values.file;
    if (!file)
        return jd_usage("\"snapshot\" needs -o FILE.tar");
    const bool is_standard = jl_same(file, "-");
    if (is_standard && isatty(STDOUT_FILENO))
        return jd_usage("an archive is not for a terminal: name a file with -o FILE.tar");
    int rc = record(call, &tar, &err);
    if (rc == 0 && is_standard)
        jd_put_text(call, tar.data, tar.len);
    else if (rc == 0)
        rc = jd_write_bytes(file, tar.data, tar.len, &err);
    jl_buffer_clear(&tar);
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

static const struct jd_setting options[] = {
    { .name = "OUTPUT",
      JD_TEXT_AT(jd_values, file),
      .letter = 'o',
      .value = "FILE",
      .doc = "the archive, a tar; - is standard output" },
    JD_ROOT_ROW,
    JD_VERBOSE_ROW,
};

const struct jd_command jd_command_snapshot = {
    .name = "snapshot",
    .summary = "Records the parts of /sys and /proc that describe a machine",
    .text = "Unpacked, the archive is a root for the other commands: joulie hardware --root DIR. "
            "Serial numbers, host\n"
            "names, addresses and UUIDs are not in it.",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
