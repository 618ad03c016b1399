/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_NOFOLLOW */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capd/capd.h"
#include "support/test.h"

/* The sandbox of joulie-capd: what ends the process that tries it. */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REFUSED 0 /* the filter lets everything through there */
#else
#define REFUSED SIGSYS
#endif

enum { IS_NOT_SO = 1 };

/* The signal that ended a child which called it inside the sandbox; 0 = none, and it worked. */
static int end_of(bool (*call)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        if (!jd_capd_enter_sandbox())
            _exit(IS_NOT_SO);
        syscall(SYS_exit_group, call() ? 0 : IS_NOT_SO);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        return WTERMSIG(status);
    assert_int_equal(WEXITSTATUS(status), 0);
    return 0;
}

static bool open_below(void)
{
    const int fd = openat(AT_FDCWD, "/proc/self/status", O_RDONLY | O_NOFOLLOW);
    char byte;
    return fd >= 0 && read(fd, &byte, 1) == 1 && close(fd) == 0;
}

static bool open_through_links(void)
{
    return openat(AT_FDCWD, "/proc/self/status", O_RDONLY) >= 0;
}

static bool make_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0) >= 0;
}

static bool start_program(void)
{
    char *words[] = { (char[]){ "true" }, NULL };
    const pid_t child = fork();
    if (child == 0) {
        execv("/bin/true", words);
        _exit(0);
    }
    return waitpid(child, NULL, 0) == child;
}

static bool map_memory(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED;
}

static bool map_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED;
}

static bool change_mode(void)
{
    return chmod("/proc/self/nothing", 0) < 0;
}

static void what_it_needs_works(void **state)
{
    (void)state;
    assert_int_equal(end_of(open_below), 0);
    assert_int_equal(end_of(map_memory), 0);
}

static void what_it_does_not_need_ends_it(void **state)
{
    (void)state;
    assert_int_equal(end_of(open_through_links), REFUSED);
    assert_int_equal(end_of(make_socket), REFUSED);
    assert_int_equal(end_of(start_program), REFUSED);
    assert_int_equal(end_of(map_code), REFUSED);
    assert_int_equal(end_of(change_mode), REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_needs_works),
        cmocka_unit_test(what_it_does_not_need_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
