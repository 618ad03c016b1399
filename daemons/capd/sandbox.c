/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* syscall, renameat */

/* Gives up what is not needed once everything is open: all capabilities (files of root with mode
 * 0644 need none), the way to new ones, and every system call that is not listed here. */

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "capd/capd.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the list of system calls is not known for this processor"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REFUSED SECCOMP_RET_ALLOW /* what watches memory makes calls of its own */
#else
#define REFUSED SECCOMP_RET_KILL_PROCESS
#endif

#define CAPABILITIES_MAX 64
#define FILES_MAX 1200 /* each item of a packet has a number and a switch */
#define FILE_BYTES_MAX (UINT64_C(128) << 20)

/* Nothing here makes a socket, starts a program, or opens what is not below a kept folder. */
static const uint32_t allowed[] = {
    SYS_read,       SYS_write,      SYS_close,         SYS_pread64,
    SYS_pwrite64,   SYS_fstat,      SYS_newfstatat,    SYS_ftruncate,
    SYS_fsync,      SYS_renameat,   SYS_unlinkat,      SYS_flock, /* files */
    SYS_accept4,    SYS_getsockopt, SYS_recvfrom,      SYS_sendmsg,
    SYS_ppoll, /* the client */
#ifdef SYS_poll
    SYS_poll,
#endif
    SYS_brk,        SYS_munmap,     SYS_mremap,        SYS_getrandom, /* memory */
    SYS_getpid,     SYS_geteuid,    SYS_clock_gettime, SYS_restart_syscall,
    SYS_exit_group,
};

static void put(struct sock_fprog *program, uint16_t code, uint32_t number, uint8_t yes, uint8_t no)
{
    program->filter[program->len++] =
        (struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = number };
}

#define LOAD (BPF_LD | BPF_W | BPF_ABS)
#define IS (BPF_JMP | BPF_JEQ | BPF_K)
#define HAS (BPF_JMP | BPF_JSET | BPF_K)
#define ANSWER (BPF_RET | BPF_K)
#define ARGUMENT(n) (uint32_t)(offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t))

/* A call whose argument (its lower half, where flags are) must have a bit, or must not. */
static void put_call(struct sock_fprog *program, uint32_t call, uint32_t argument, uint32_t bit,
                     bool must_have)
{
    put(program, IS, call, 0, 4);
    put(program, LOAD, ARGUMENT(argument), 0, 0);
    put(program, HAS, bit, must_have ? 0 : 1, must_have ? 1 : 0);
    put(program, ANSWER, SECCOMP_RET_ALLOW, 0, 0);
    put(program, ANSWER, REFUSED, 0, 0);
}

static bool filter_calls(void)
{
    struct sock_filter steps[2 * JL_COUNT(allowed) + 16];
    struct sock_fprog program = { .filter = steps };
    put(&program, LOAD, offsetof(struct seccomp_data, arch), 0, 0);
    put(&program, IS, ARCHITECTURE, 1, 0);
    put(&program, ANSWER, REFUSED, 0, 0);
    put(&program, LOAD, offsetof(struct seccomp_data, nr), 0, 0);
    for (size_t i = 0; i < JL_COUNT(allowed); i++) {
        put(&program, IS, allowed[i], 0, 1);
        put(&program, ANSWER, SECCOMP_RET_ALLOW, 0, 0);
    }
    put_call(&program, SYS_openat, 2, O_NOFOLLOW, true);
    put_call(&program, SYS_mmap, 2, PROT_EXEC, false);
    put(&program, ANSWER, REFUSED, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/* Who is not root has none to drop from the bounding set, and may not. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    const struct __user_cap_data_struct none[2] = { { 0 } };
    for (int i = 0; i < CAPABILITIES_MAX; i++)
        (void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); /* none before Linux 4.3 */
    return syscall(SYS_capset, &head, none) == 0;
}

static bool limit(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now) != 0)
        return false;
    now.rlim_max = now.rlim_max < most ? now.rlim_max : most;
    now.rlim_cur = now.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &now) == 0;
}

bool jd_capd_enter_sandbox(void)
{
    return limit(RLIMIT_NOFILE, FILES_MAX) && limit(RLIMIT_FSIZE, FILE_BYTES_MAX) &&
           limit(RLIMIT_CORE, 0) && drop_capabilities() &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_calls();
}
