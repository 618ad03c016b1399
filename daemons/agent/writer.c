/* SPDX-License-Identifier: Apache-2.0 */

/* The connection to joulie-capd, beats, and another connection. host.c calls it. */

#include "agent/writer.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/clock.h"

#define HEARTBEAT_MS 3000
#define RENEW_MS 1000  /* one that lived longer is replaced at once */
#define VISIT_MS 60000 /* a zone that came back has another counter */

static void disconnect(struct jd_writer *writer)
{
    if (writer->watch.fd < 0)
        return;
    jd_loop_remove(writer->loop, &writer->watch);
    joulie_host_set_keeper(writer->host, -1, NULL);
    close(writer->watch.fd);
    writer->watch.fd = -1;
}

static bool is_gone(const struct jd_writer *writer)
{
    char byte;
    const ssize_t got = recv(writer->watch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static int find_keeper(struct jd_writer *writer, int *out_fd, struct joulie_error *err)
{
    if (writer->path)
        return jd_keeper_connect(writer->path, out_fd, err);
    return writer->starter.is_open ? jd_starter_start(&writer->starter, out_fd, err)
                                   : jd_keeper_start(&writer->start, &writer->pid, out_fd, err);
}

/* At the start who had the machine may have died this moment; later it is tried again anyway. */
static int claim(struct jd_writer *writer, struct joulie_error *err)
{
    return writer->has_claimed ? joulie_host_claim(writer->host, jd_clock_now().now_ms, err)
                               : jd_keeper_claim(writer->host, err);
}

static int connect_once(struct jd_writer *writer, struct joulie_error *err)
{
    int fd = -1;
    int rc = find_keeper(writer, &fd, err);
    if (rc < 0)
        return rc;
    writer->watch.fd = fd;
    writer->connected_ms = jd_clock_ms();
    rc = jd_loop_add(writer->loop, &writer->watch, err);
    if (rc < 0) {
        close(fd);
        writer->watch.fd = -1;
        return rc;
    }
    rc = joulie_host_set_keeper(writer->host, fd, err);
    if (rc == 0)
        rc = claim(writer, err);
    if (rc < 0)
        disconnect(writer);
    return rc;
}

/* Another agent may have the machine by now, or the one before is still giving back: it is tried
 * again, and said once. */
static void connect_again(struct jd_writer *writer)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (writer->watch.fd >= 0)
        return;
    const int rc = connect_once(writer, &err);
    if (rc < 0 && writer->starter.is_open && writer->starter.pid == 0)
        jd_loop_stop(writer->loop); /* who started this process can start another one */
    if (rc < 0 && !writer->is_logged)
        jd_log_error(writer->log, "capd", "nothing can be written", &err);
    else if (rc == 0)
        jd_log(writer->log, JOULIE_LOG_LEVEL_INFO, "capd", "it is there again");
    writer->is_logged = rc < 0;
}

static void on_ready(void *user)
{
    struct jd_writer *writer = user;
    if (!is_gone(writer))
        return;
    const bool is_old = jd_clock_ms() - writer->connected_ms >= RENEW_MS;
    jd_log(writer->log, JOULIE_LOG_LEVEL_WARN, "capd", "it is gone; another one is looked for");
    disconnect(writer);
    if (is_old)
        connect_again(writer);
}

void jd_writer_reap(struct jd_writer *writer)
{
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;) {
        if (pid == writer->pid)
            writer->pid = 0;
        if (pid == writer->starter.pid)
            writer->starter.pid = 0;
    }
}

void jd_writer_check(struct jd_writer *writer)
{
    if (!writer->has_claimed)
        return;
    if (writer->watch.fd >= 0)
        on_ready(writer);
    connect_again(writer);
}

static void beat(void *user)
{
    struct jd_writer *writer = user;
    if (writer->watch.fd >= 0 && writer->is_stepping(writer->user))
        (void)joulie_host_beat(writer->host, NULL); /* one that is lost is ready to be seen so */
    jd_timer_set(writer->loop, &writer->timer, jd_clock_ms() + HEARTBEAT_MS);
}

int jd_writer_claim(struct jd_writer *writer, struct joulie_error *err)
{
    writer->watch = (struct jd_watch){ .fd = -1, .ready = on_ready, .user = writer };
    writer->timer = (struct jd_timer){ .fire = beat, .user = writer };
    int rc = connect_once(writer, err);
    if (rc == 0)
        rc = jd_timer_set(writer->loop, &writer->timer, 0) < 0 ? jl_fail_memory(err) : 0;
    writer->has_claimed = rc == 0;
    return rc;
}

bool jd_writer_visit(struct jd_writer *writer, struct joulie_host *host)
{
    int fd = -1;
    const int64_t now_ms = jd_clock_ms();
    if (!writer->path || writer->has_claimed || now_ms < writer->visit_ms)
        return false;
    writer->visit_ms = now_ms + VISIT_MS;
    if (jd_keeper_connect(writer->path, &fd, NULL) < 0)
        return false;
    writer->watch.fd = fd;
    if (joulie_host_set_keeper(host, fd, NULL) == JOULIE_OK)
        return true;
    jd_writer_leave(writer, host);
    return false;
}

void jd_writer_leave(struct jd_writer *writer, struct joulie_host *host)
{
    joulie_host_set_keeper(host, -1, NULL);
    close(writer->watch.fd);
    writer->watch.fd = -1;
}

void jd_writer_close(struct jd_writer *writer, bool has_left)
{
    writer->has_claimed = false;
    if (!writer->loop)
        return;
    jd_timer_stop(writer->loop, &writer->timer);
    disconnect(writer);
    jd_starter_close(&writer->starter, !has_left);
    if (!has_left)
        jd_keeper_wait(writer->pid);
}
