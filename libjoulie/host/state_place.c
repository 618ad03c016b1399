/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A journal that is lost while the machine goes on makes the next agent take a cap for what it
 * found (docs/rules/enforcement.md#state-folder). What a machine keeps in memory only goes with it,
 * and its firmware resets the limits; what a container keeps so goes earlier. Called by
 * joulie-capd, and by daemons/runtime for the programs that write themselves.
 */

#include "host/state_place.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "host/root.h"

#define SELF "/proc/self"
#define MACHINE "/proc/1/root"
#define MACHINE_PIDS "pid:[4026531836]" /* PROC_PID_INIT_INO of the kernel */
#define EMPTY_DIR "/kubernetes.io~empty-dir/"
#define MOUNTS_BYTES ((size_t)1 << 20)
#define LINK_BYTES 4096

/* ---- the rule ---- */

static const struct {
    const char *file_system;
    const char *as;
} vanishing[] = {
    { "tmpfs", "a tmpfs" },
    { "ramfs", "a ramfs" },
    { "overlay", "the container's own overlay" },
};

/* A container's own file systems are mounted as a whole; of one of the machine it is given a
 * folder, but for one that the kubelet makes for the pod. */
const char *jl_vanishes_as(const struct jl_state_place *place)
{
    if (place->file_system == NULL ||
        (!place->is_in_own_namespace && !place->is_other_for_the_machine))
        return NULL;
    if (jl_contains(place->mounted, EMPTY_DIR))
        return "an emptyDir";
    for (size_t i = 0; i < JL_COUNT(vanishing) && jl_same(place->mounted, "/"); i++) {
        if (jl_same(place->file_system, vanishing[i].file_system))
            return vanishing[i].as;
    }
    return NULL;
}

/* ---- what is known ---- */

static char *word_of(struct jl_arena *memory, struct jl_text line)
{
    const struct jl_text word = jl_text_cut(&line, ' ');
    return jl_arena_copy(memory, word.ptr, word.len);
}

/* The number of the mount, from "mnt_id:\t31" of fdinfo; empty = unknown. */
static struct jl_text mount_of(struct jl_text rest)
{
    while (rest.len > 0) {
        struct jl_text line = jl_text_cut(&rest, '\n');
        if (jl_text_is(jl_text_cut(&line, ':'), "mnt_id"))
            return jl_text_trim(line);
    }
    return (struct jl_text){ 0 };
}

/* A line is "ID PARENT DEVICE FOLDER MOUNT-POINT OPTIONS [TAG]… - KIND SOURCE OPTIONS". */
static int read_mount(struct jl_arena *memory, struct jl_text rest, struct jl_text id,
                      struct jl_state_place *out)
{
    while (rest.len > 0) {
        struct jl_text line = jl_text_cut(&rest, '\n');
        if (id.len == 0 || jl_compare_text(jl_text_cut(&line, ' '), id) != 0)
            continue;
        (void)jl_text_cut(&line, ' ');
        (void)jl_text_cut(&line, ' ');
        out->mounted = word_of(memory, line);
        while (line.len > 0 && !jl_text_is(jl_text_cut(&line, ' '), "-"))
            ;
        out->file_system = word_of(memory, line);
        return out->mounted != NULL && out->file_system != NULL ? 0 : JOULIE_E_NOMEM;
    }
    return 0;
}

/* False where nobody can say: a program without rights on process 1 runs on the machine itself. */
static bool is_other_for_the_machine(const struct jl_os *os, int fd, const char *path)
{
    struct jl_os_file own;
    struct jl_os_file other;
    char there[sizeof MACHINE + LINK_BYTES] = MACHINE;
    int machine_fd = jl_os_open_folder(MACHINE);
    if (machine_fd < 0)
        return false;
    jl_fd_close(os, &machine_fd);
    memcpy(there + sizeof MACHINE - 1, path, strlen(path) + 1);
    int other_fd = jl_os_open_folder(there);
    if (other_fd < 0)
        return other_fd == -ENOENT;
    const bool is_same = os->fstat(os->user, fd, &own) == 0 &&
                         os->fstat(os->user, other_fd, &other) == 0 && own.device == other.device &&
                         own.inode == other.inode;
    jl_fd_close(os, &other_fd);
    return !is_same;
}

static int look_at(const struct jl_root *self, int fd, struct jl_arena *memory,
                   struct jl_state_place *out)
{
    char number[JL_DOUBLE_TEXT];
    char link[LINK_BYTES];
    struct jl_text facts = { 0 };
    struct jl_text mounts = { 0 };
    int sys_errno = 0;
    number[jl_format_u64((uint64_t)fd, number)] = '\0';
    const char *info = JL_JOIN(memory, "fdinfo/", number);
    const char *name = JL_JOIN(memory, "fd/", number);
    if (info == NULL || name == NULL)
        return JOULIE_E_NOMEM;
    int rc = jl_root_text(self, info, LINK_BYTES, memory, &facts, &sys_errno);
    if (rc == 0)
        rc = jl_root_text(self, "mountinfo", MOUNTS_BYTES, memory, &mounts, &sys_errno);
    if (rc == 0)
        rc = read_mount(memory, mounts, mount_of(facts), out);
    if (rc < 0)
        return rc == JOULIE_E_NOMEM ? rc : 0;
    if (jl_os_read_link(self->fd, "ns/pid", link, sizeof link) > 0)
        out->is_in_own_namespace = !jl_same(link, MACHINE_PIDS);
    if (jl_os_read_link(self->fd, name, link, sizeof link) > 0)
        out->is_other_for_the_machine = is_other_for_the_machine(&self->os, fd, link);
    return 0;
}

int jl_check_state_place(int fd, const char *name, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    struct jl_root self = { jl_os_linux(NULL), jl_os_open_folder(SELF) };
    struct jl_state_place place = { 0 };
    if (self.fd < 0)
        return 0;
    const int rc = look_at(&self, fd, &memory, &place);
    jl_root_close(&self);
    const char *as = rc == 0 ? jl_vanishes_as(&place) : NULL;
    if (rc < 0)
        return jl_fail_memory(err);
    return as == NULL ? 0
                      : jl_fail(err, JOULIE_E_CONFLICT, "",
                                "%.200s is on %s and goes with this container: what the limits "
                                "were before a cap would be lost. Mount a folder of the machine "
                                "there, or say --state-dir-may-vanish",
                                name, as);
}
