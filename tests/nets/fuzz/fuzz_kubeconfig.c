/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */

/* Kubeconfigs: what is accepted names a server that can be asked, with headers of one line each;
 * what is refused says why. */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "kube/access.h"

#define NOW_MS INT64_C(1000)

static void check_access(struct jd_access *access)
{
    const char *problem = NULL;
    const char *server = jd_access_server(access);
    FUZZ_REQUIRE(strncmp(server, "http", 4) == 0 && server[strlen(server) - 1] != '/');
    FUZZ_REQUIRE(jd_access_namespace(access)[0] != '\0');
    FUZZ_REQUIRE((jd_access_tls(access) != NULL) == (strncmp(server, "https:", 6) == 0));
    const char *const *headers = jd_access_headers(access, NOW_MS, &problem);
    for (; headers && *headers; headers++)
        FUZZ_REQUIRE(!strpbrk(*headers, "\r\n") && strchr(*headers, ':'));
    (void)jd_access_refused(access, NOW_MS, NOW_MS + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    char *environment[] = { NULL };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_access *access = NULL;
    if (memmem(data, size, "/dev", 4) || memmem(data, size, "/proc", 5))
        return 0; /* files that it may name and that never end */
    const int fd = memfd_create("kubeconfig", MFD_CLOEXEC);
    FUZZ_REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct jd_access_options options = { .kubeconfig = path, .environment = environment };
    const int rc = jd_access_open(&options, &access, &err);
    close(fd);
    FUZZ_REQUIRE(rc == 0 || (rc == err.code && rc != JOULIE_E_INTERNAL && err.message[0]));
    if (rc == 0)
        check_access(access);
    jd_access_close(access);
    return 0;
}
