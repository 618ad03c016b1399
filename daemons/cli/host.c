/* SPDX-License-Identifier: Apache-2.0 */

/* The edges of the commands over joulie/host.h: which machine, which spec, what time it is. */

#include "host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <joulie/words.h>

#include "base/error.h"
#include "runtime/clock.h"
#include "runtime/file.h"
#include "runtime/keeper.h"
#include "runtime/live.h"

const char *jd_root(const struct jd_call *call)
{
    return call->values.root ? call->values.root : "/";
}

void jd_outlive_readers(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

bool jd_may_write(const struct jd_call *call)
{
    jd_outlive_readers();
    if (call->values.yes || !jd_is_live(jd_root(call)))
        return true;
    jd_usage("\"%s\" writes to this machine (%s): say --yes, or name another root with --root DIR",
             call->command->name, jd_root(call));
    return false;
}

bool jd_ramps(const struct jd_call *call)
{
    return jd_is_live(jd_root(call)) && !call->values.no_ramp;
}

static void say(void *user, enum joulie_log_level level, const char *component, const char *message)
{
    static const char *const words[] = {
        [JOULIE_LOG_LEVEL_DEBUG] = "debug",
        [JOULIE_LOG_LEVEL_INFO] = "info",
        [JOULIE_LOG_LEVEL_WARN] = "warning",
        [JOULIE_LOG_LEVEL_ERROR] = "error",
    };
    (void)user;
    const char *word = (size_t)level < JL_COUNT(words) ? words[level] : NULL;
    fprintf(stderr, "%s: %s: %s: %s\n", jd_program, word ? word : "info", component, message);
}

struct joulie_host_options jd_host_options(const struct jd_call *call)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    options.root = jd_root(call);
    options.state_dir = call->values.state_dir;
    options.has_backed_twin = 1;
    options.is_one_shot = 1;
    options.log = call->values.verbose ? say : NULL;
    return options;
}

int jd_on_host(struct jd_call *call, struct joulie_host_options options, jd_host_fn *use)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    const int status = joulie_host_open(&options, &host, &err) < 0 ? jd_put_error(call, &err)
                                                                   : use(call, host, &err);
    joulie_host_free(host);
    return status;
}

/* ---- writing, by way of joulie-capd ---- */

static struct {
    int fd;
    pid_t pid; /* 0 = it was not started here */
} keeper = { .fd = -1 };

/* Who reads a pipe to its end must not wait for joulie-capd, which may outlive this command: what
 * it says then goes to the system's log, if there is one. Below 0: it goes where ours does. */
static int open_log(void)
{
    static const struct sockaddr_un log = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };
    struct stat facts;
    if (fstat(STDERR_FILENO, &facts) != 0 || !S_ISFIFO(facts.st_mode))
        return -1;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&log, sizeof log) == 0)
        return fd;
    jd_closep(&fd);
    return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

static int start_keeper(const struct jd_call *call, struct joulie_error *err)
{
    JL_CLEANUP(jd_closep) const int log_fd = open_log();
    struct jd_keeper_start start = {
        .root = jd_root(call),
        .state_dir = call->values.state_dir,
        .ramps = jd_ramps(call),
        .log_fd = log_fd >= 0 ? &log_fd : NULL,
    };
    const int rc = jd_keeper_find(call->values.capd_program, start.program, err);
    return rc == 0 ? jd_keeper_start(&start, &keeper.pid, &keeper.fd, err) : rc;
}

int jd_find_keeper(const struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    const char *path = jd_keeper_socket(jd_root(call), call->values.state_dir);
    const int rc = path ? jd_keeper_connect(path, &keeper.fd, err) : start_keeper(call, err);
    return rc == 0 ? joulie_host_set_keeper(host, keeper.fd, err) : rc;
}

int jd_claim(const struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    struct joulie_error why = JOULIE_INIT(struct joulie_error);
    int rc = jd_find_keeper(call, host, &why);
    if (rc == 0)
        rc = jd_keeper_claim(host, &why);
    if (rc == JOULIE_E_CONFLICT)
        return jl_fail(err, rc, why.where, "%s; joulie cap release --all makes it give back",
                       why.message);
    return rc < 0 ? jl_error_return(&why, rc, err) : 0;
}

int jd_on_kept_host(struct jd_call *call, struct joulie_host_options options, jd_host_fn *use)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    options.enforces = 1;
    const int status = joulie_host_open(&options, &host, &err) < 0 ? jd_put_error(call, &err)
                                                                   : use(call, host, &err);
    if (keeper.fd >= 0)
        (void)joulie_host_leave(host, NULL); /* not claimed, or gone: there is nothing to leave */
    joulie_host_free(host);
    jd_closep(&keeper.fd);
    jd_keeper_wait(keeper.pid);
    return status;
}

int64_t jd_now_ms(void)
{
    return jd_clock_now().now_ms;
}

bool jd_pause_ms(int64_t pause_ms)
{
    const struct timespec pause = { .tv_sec = (time_t)(pause_ms / 1000),
                                    .tv_nsec = (long)(pause_ms % 1000) * 1000000 };
    return nanosleep(&pause, NULL) == 0;
}

int jd_fail_disabled(struct jd_call *call, struct joulie_error *err)
{
    jl_fail(err, JOULIE_E_CONFLICT, "etc/joulie/disable",
            "caps are switched off on this machine; joulie cap allow switches them on");
    return jd_put_error(call, err);
}

int jd_take_spec(const struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    const char *file = call->values.spec;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    int rc = jd_read_object(file, &text, err);
    if (rc == 0) {
        jl_put_string(&text, ""); /* an empty file is a text too */
        rc = jl_buffer_code(&text) ? jl_fail_memory(err)
                                   : joulie_host_put_twin(host, text.data, text.len, err);
        if (rc < 0)
            rc = jd_place_in_file(jl_same(file, "-") ? "standard input" : file, rc, err);
    }
    return rc;
}

/* The answer has a message of each package, which is of no use where none was found. */
static bool has_failed(enum joulie_control_result result, const char *part, const char *message)
{
    if (result != JOULIE_CONTROL_BLOCKED && result != JOULIE_CONTROL_ERROR)
        return false;
    fprintf(stderr, "%s: %s: %s: %s\n", jd_program, part,
            joulie_word(JOULIE_VOCABULARY_CONTROL_RESULT, (int)result), message);
    return true;
}

int jd_judge_caps(struct joulie_host *host)
{
    struct joulie_node_summary summary = JOULIE_INIT(struct joulie_node_summary);
    if (joulie_host_get_summary(host, &summary, NULL) < 0)
        return JD_EXIT_BAD;
    const bool cpu_failed = has_failed(summary.cpu_result, "cpu", summary.cpu_message);
    const bool gpu_failed = has_failed(summary.gpu_result, "gpu", summary.gpu_message);
    return cpu_failed || gpu_failed ? JD_EXIT_BAD : JD_EXIT_OK;
}
