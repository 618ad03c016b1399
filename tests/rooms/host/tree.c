/* SPDX-License-Identifier: Apache-2.0 */

/* Machines as folders in a temporary directory, for tests of the scan. */

#define _GNU_SOURCE

#include "host/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PATH_BYTES 512

void tree_new(struct tree *tree)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    memset(tree, 0, sizeof *tree);
    const char *folder = getenv("TMPDIR");
    snprintf(tree->path, sizeof tree->path, "%.40s/host-XXXXXX", folder != NULL ? folder : "/tmp");
    assert_non_null(mkdtemp(tree->path));
    const struct jl_os os = jl_os_linux(&tree->counts);
    assert_int_equal(jl_root_open(os, tree->path, &tree->root, &err), 0);
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *walk)
{
    (void)found;
    (void)kind;
    (void)walk;
    return remove(path);
}

void tree_free(struct tree *tree)
{
    jl_root_close(&tree->root);
    jl_arena_clear(&tree->arena);
    assert_int_equal(nftw(tree->path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* The whole path, with the folders above it made. */
static void place(const struct tree *tree, const char *path, char out[PATH_BYTES])
{
    const size_t start = strlen(tree->path) + 1;
    assert_true(snprintf(out, PATH_BYTES, "%s/%s", tree->path, path) < PATH_BYTES);
    for (char *slash = strchr(out + start, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(out, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

void tree_put_bytes(struct tree *tree, const char *path, const void *bytes, size_t len)
{
    char whole[PATH_BYTES];
    place(tree, path, whole);
    const int fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    close(fd);
}

void tree_put(struct tree *tree, const char *path, const char *text)
{
    tree_put_bytes(tree, path, text, strlen(text));
}

void tree_putf(struct tree *tree, const char *text, const char *path, ...)
{
    char whole[PATH_BYTES];
    va_list arguments;
    va_start(arguments, path);
    vsnprintf(whole, sizeof whole, path, arguments);
    va_end(arguments);
    tree_put(tree, whole, text);
}

void tree_folder(struct tree *tree, const char *path)
{
    char whole[PATH_BYTES];
    place(tree, path, whole);
    assert_int_equal(mkdir(whole, 0755), 0);
}

void tree_link(struct tree *tree, const char *path, const char *target)
{
    char whole[PATH_BYTES];
    place(tree, path, whole);
    assert_int_equal(symlink(target, whole), 0);
}

void tree_fifo(struct tree *tree, const char *path)
{
    char whole[PATH_BYTES];
    place(tree, path, whole);
    assert_int_equal(mkfifo(whole, 0644), 0);
}

void tree_socket(struct tree *tree, const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char whole[PATH_BYTES];
    place(tree, path, whole);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && strlen(whole) < sizeof address.sun_path);
    strcpy(address.sun_path, whole);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

void tree_size(struct tree *tree, const char *path, uint64_t bytes)
{
    char whole[PATH_BYTES];
    place(tree, path, whole);
    const int fd = open(whole, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    close(fd);
}

void tree_mode(struct tree *tree, const char *path, unsigned mode)
{
    char whole[PATH_BYTES];
    place(tree, path, whole);
    assert_int_equal(chmod(whole, mode), 0);
}

void tree_remove(struct tree *tree, const char *path)
{
    char whole[PATH_BYTES];
    place(tree, path, whole);
    assert_int_equal(nftw(whole, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* ---- kernels that behave otherwise ---- */

static const char *refused_name;
static int refused_errno;

static int refuse(void *user, int dir_fd, const char *name, unsigned flags)
{
    if (strcmp(name, refused_name) == 0)
        return -refused_errno;
    return jl_os_linux(NULL).open(user, dir_fd, name, flags);
}

void tree_refuse(struct tree *tree, const char *name, int sys_errno)
{
    refused_name = name;
    refused_errno = sys_errno;
    tree->root.os.open = refuse;
}

static int64_t list_endlessly(void *user, int fd, char *names, size_t size)
{
    struct jl_os_file file;
    size_t used = 0;
    if (jl_os_linux(NULL).stat(user, fd, "endless", &file) < 0)
        return jl_os_linux(NULL).list(user, fd, names, size);
    while (used + sizeof "again" <= size) {
        memcpy(names + used, "again", sizeof "again");
        used += sizeof "again";
    }
    return (int64_t)used;
}

void tree_endless(struct tree *tree)
{
    tree->root.os.list = list_endlessly;
}

/* ---- machines ---- */

struct file {
    const char *name;
    const char *text;
};

static void put_files(struct tree *tree, const char *folder, const struct file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tree_putf(tree, files[i].text, "%s/%s", folder, files[i].name);
}

void tree_package(struct tree *tree, const char *folder, const char *name)
{
    static const struct file files[] = {
        { "enabled", "1\n" },
        { "energy_uj", "120000000000\n" },
        { "max_energy_range_uj", "262143328850\n" },
        { "constraint_0_name", "long_term\n" },
        { "constraint_0_power_limit_uw", "205000000\n" },
        { "constraint_0_time_window_us", "999424\n" },
        { "constraint_0_max_power_uw", "205000000\n" },
        { "constraint_1_name", "short_term\n" },
        { "constraint_1_power_limit_uw", "246000000\n" },
        { "constraint_1_time_window_us", "7808\n" },
        { "constraint_1_max_power_uw", "0\n" },
        { "uevent", "" },
        { "power/control", "auto\n" },
    };
    put_files(tree, folder, files, JL_COUNT(files));
    tree_putf(tree, name, "%s/name", folder);
}

void tree_meter(struct tree *tree, const char *folder, const char *name)
{
    static const struct file files[] = {
        { "enabled", "0\n" },
        { "energy_uj", "30000000000\n" },
        { "max_energy_range_uj", "65532610987\n" },
    };
    put_files(tree, folder, files, JL_COUNT(files));
    tree_putf(tree, name, "%s/name", folder);
}

void tree_policy(struct tree *tree, unsigned number, const char *driver)
{
    static const struct file files[] = {
        { "cpuinfo_min_freq", "800000\n" },        { "cpuinfo_max_freq", "3500000\n" },
        { "scaling_min_freq", "800000\n" },        { "scaling_max_freq", "3500000\n" },
        { "scaling_governor", "powersave\n" },     { "base_frequency", "2100000\n" },
        { "scaling_setspeed", "<unsupported>\n" },
    };
    char folder[128];
    char cpu[16];
    snprintf(folder, sizeof folder, CPU "/cpufreq/policy%u", number);
    snprintf(cpu, sizeof cpu, "%u\n", number);
    put_files(tree, folder, files, JL_COUNT(files));
    tree_putf(tree, driver, "%s/scaling_driver", folder);
    tree_putf(tree, cpu, "%s/affected_cpus", folder);
}

void tree_cpu(struct tree *tree, unsigned number, unsigned package, unsigned die, unsigned core)
{
    char text[16];
    snprintf(text, sizeof text, "%u\n", package);
    tree_putf(tree, text, CPU "/cpu%u/topology/physical_package_id", number);
    snprintf(text, sizeof text, "%u\n", die);
    tree_putf(tree, text, CPU "/cpu%u/topology/die_id", number);
    snprintf(text, sizeof text, "%u\n", core);
    tree_putf(tree, text, CPU "/cpu%u/topology/core_id", number);
}

void tree_intel_2s(struct tree *tree)
{
    tree_put(tree, ZONES "/enabled", "1\n");
    tree_package(tree, ZONES "/intel-rapl:0", "package-0\n");
    tree_package(tree, ZONES "/intel-rapl:1", "package-1\n");
    tree_meter(tree, ZONES "/intel-rapl:0/intel-rapl:0:0", "dram\n");
    tree_meter(tree, ZONES "/intel-rapl:1/intel-rapl:1:0", "dram\n");
    tree_link(tree, ZONES "/intel-rapl:1/subsystem", "../../../../../../class/powercap");
    for (unsigned i = 0; i < 4; i++) {
        tree_cpu(tree, i, i / 2, 0, i % 2);
        tree_policy(tree, i, "intel_pstate\n");
    }
    tree_put(tree, "proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
             "model name\t: Intel(R) Xeon(R) Gold 6530\nphysical id\t: 0\ncore id\t\t: 0\n"
             "flags\t\t: fpu msr\n\n"
             "processor\t: 1\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
             "model name\t: Intel(R) Xeon(R) Gold 6530\nphysical id\t: 1\ncore id\t\t: 0\n"
             "flags\t\t: fpu msr\n\n");
    tree_put(tree, "proc/meminfo", "MemTotal:       131072 kB\nMemFree:        1 kB\n");
    tree_put(tree, "proc/sys/kernel/random/boot_id", "3a1c9b52-0a0e-4a2f-9d9e-5f2f6f0f1a2b\n");
    tree_put(tree, "sys/devices/system/node/node0/cpulist", "0-3\n");
    tree_put(tree, "sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       131072 kB\n");
}

/* ---- looking ---- */

void tree_scan(struct tree *tree)
{
    assert_int_equal(jl_host_scan(&tree->root, &tree->arena, &tree->facts), 0);
}

const struct jl_zone *tree_zone(const struct tree *tree, const char *dir)
{
    for (size_t i = 0; i < tree->facts.zone_count; i++) {
        if (jl_same(tree->facts.zones[i].dir, dir))
            return &tree->facts.zones[i];
    }
    return NULL;
}

const char *tree_warning(const struct tree *tree, const char *where)
{
    for (size_t i = 0; i < tree->facts.warning_count; i++) {
        if (jl_same(tree->facts.warnings[i].where, where))
            return tree->facts.warnings[i].message;
    }
    return NULL;
}
