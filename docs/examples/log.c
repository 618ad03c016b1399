/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/log.h>: what the library reports while a cap comes and goes: log ROOT, a recorded host.
 */

#include <stdio.h>
#include <string.h>

#include <joulie/host.h>
#include <joulie/log.h>

static void on_line(void *user, enum joulie_log_level level, const char *component,
                    const char *message)
{
    static const char *const names[] = { "?", "debug", "info", "warn", "error" };
    fprintf((FILE *)user, "%s %s: %s\n", level <= JOULIE_LOG_LEVEL_ERROR ? names[level] : "?",
            component, message);
}

int main(int argc, char **argv)
{
    static const char twin[] =
        "{\"nodeName\": \"n1\", \"profile\": \"eco\", \"cpu\": {\"packagePowerCapWatts\": 120}}";
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    int rc;

    if (argc != 2)
        return 2;
    options.root = argv[1];
    options.enforces = 1;
    options.has_backed_twin = 1; /* this program stands behind the twin */
    options.log = on_line;
    options.log_user = stdout;
    time.now_ms = INT64_C(1773403200000);
    rc = joulie_host_open(&options, &host, &err);
    if (rc == JOULIE_OK)
        rc = joulie_host_claim(host, time.now_ms, &err);
    if (rc == JOULIE_OK)
        rc = joulie_host_put_twin(host, twin, strlen(twin), &err);
    if (rc == JOULIE_OK)
        rc = joulie_host_tick(host, &time, NULL, &err);
    if (rc == JOULIE_OK)
        rc = joulie_host_restore(host, time.now_ms, NULL, &err);
    if (rc != JOULIE_OK)
        fprintf(stderr, "%s\n", err.message);
    joulie_host_free(host);
    return rc == JOULIE_OK ? 0 : 1;
}
