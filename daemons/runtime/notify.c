/* SPDX-License-Identifier: Apache-2.0 */

/* The datagrams of a service that its manager waits for; daemon.c calls it. */

#include "runtime/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "runtime/file.h"

#define NEWS_MS 1000 /* how often the status is looked at */
#define US_PER_MS 1000

/* ---- the environment ---- */

static int take_name(struct jd_notify *notify, const char *name, struct joulie_error *err)
{
    const size_t len = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || len < 2 || len >= sizeof notify->name)
        return jl_fail(err, JOULIE_E_PARSE, "NOTIFY_SOCKET", "\"%.120s\" is no socket", name);
    memcpy(notify->name, name, len + 1);
    return 0;
}

static int64_t number_of(const char *name)
{
    const char *text = getenv(name);
    int64_t number = 0;
    return text && jl_parse_i64(text, strlen(text), &number) == 0 && number > 0 ? number : 0;
}

/* Of this process: one that started us by fork and exec may have kept its own. */
static int64_t read_watchdog_ms(void)
{
    const bool is_ours = !getenv("WATCHDOG_PID") || number_of("WATCHDOG_PID") == getpid();
    const int64_t us = number_of("WATCHDOG_USEC");
    return is_ours && us > 0 ? us / US_PER_MS + (us < US_PER_MS) : 0;
}

static int open_socket(struct jd_notify *notify, struct joulie_error *err)
{
    const char *name = getenv("NOTIFY_SOCKET");
    if (!name || name[0] == '\0')
        return 0;
    const int rc = take_name(notify, name, err);
    if (rc < 0)
        return rc;
    notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (notify->fd < 0)
        return jd_fail_system("NOTIFY_SOCKET", err);
    notify->watchdog_ms = read_watchdog_ms();
    notify->is_asked = true;
    return 0;
}

int jd_notify_open(struct jd_notify *notify, struct joulie_error *err)
{
    const int rc = open_socket(notify, err);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    return rc;
}

/* ---- words ---- */

static bool say(const struct jd_notify *notify, const char *text)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const size_t name_len = strlen(notify->name);
    const socklen_t address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + name_len);
    const size_t len = strlen(text);
    ssize_t put = -1;
    memcpy(address.sun_path, notify->name, name_len);
    if (notify->name[0] == '@')
        address.sun_path[0] = '\0';
    do
        put = sendto(notify->fd, text, len, MSG_NOSIGNAL, (struct sockaddr *)&address, address_len);
    while (put < 0 && errno == EINTR);
    return put == (ssize_t)len;
}

void jd_notify_ready(struct jd_notify *notify, const char *status)
{
    char line[JD_NOTIFY_STATUS_BYTES];
    char text[JD_NOTIFY_STATUS_BYTES + 32];
    snprintf(line, sizeof line, "%s", status);
    if (!notify->is_asked || (notify->is_ready && strcmp(notify->status, line) == 0))
        return;
    snprintf(text, sizeof text, "%sSTATUS=%s", notify->is_ready ? "" : "READY=1\n", line);
    if (!say(notify, text))
        return;
    notify->is_ready = true;
    memcpy(notify->status, line, sizeof line);
}

void jd_notify_alive(struct jd_notify *notify)
{
    if (notify->is_asked && notify->watchdog_ms > 0)
        (void)say(notify, "WATCHDOG=1");
}

void jd_notify_stopping(struct jd_notify *notify)
{
    if (notify->is_asked)
        (void)say(notify, "STOPPING=1\nSTATUS=ending");
}

int64_t jd_notify_period_ms(const struct jd_notify *notify)
{
    const int64_t half_ms = notify->watchdog_ms / 2;
    if (!notify->is_asked)
        return 0;
    return notify->watchdog_ms == 0 || half_ms > NEWS_MS ? NEWS_MS : half_ms > 0 ? half_ms : 1;
}

void jd_notify_close(struct jd_notify *notify)
{
    if (notify->is_asked)
        close(notify->fd);
    *notify = (struct jd_notify){ 0 };
}
