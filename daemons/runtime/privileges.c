/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* setresuid, setgroups, syscall */

/* Another user, no capabilities, no new ones. */

#include "runtime/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "runtime/file.h"

#define NOBODY UINT32_MAX /* (uid_t)-1 means no change */

/* UID[:GID], all of the text; without a group that of the user, who must be known then. */
static bool read_numbers(const char *text, struct jd_user *out)
{
    uint64_t uid = 0;
    uint64_t gid = 0;
    const char *colon = strchr(text, ':');
    const size_t len = colon ? (size_t)(colon - text) : strlen(text);
    if (jl_parse_u64(text, len, &uid) < 0 || uid >= NOBODY)
        return false;
    const struct passwd *found = colon ? NULL : getpwuid((uid_t)uid);
    if (colon ? jl_parse_u64(colon + 1, strlen(colon + 1), &gid) < 0 || gid >= NOBODY : !found)
        return false;
    out->uid = (uid_t)uid;
    out->gid = colon ? (gid_t)gid : found->pw_gid;
    return true;
}

static bool read_user(const char *text, struct jd_user *out)
{
    const struct passwd *found = getpwnam(text);
    if (!found)
        return read_numbers(text, out);
    out->uid = found->pw_uid;
    out->gid = found->pw_gid;
    return true;
}

int jd_find_user(const char *user, bool is_live, struct jd_user *out, struct joulie_error *err)
{
    struct jd_user found = { 0 };
    const bool is_root = geteuid() == 0;
    *out = found;
    if (!user && !(is_root && is_live))
        return 0;
    if (!read_user(user ? user : JD_USER, &found))
        return user ? jl_fail(err, JOULIE_E_ENUM, "RUN_AS",
                              "there is no user %s; a number that is no user needs a group: "
                              "UID:GID",
                              user)
                    : 0;
    found.is_other = found.uid != geteuid();
    if (!found.is_other)
        return 0;
    if (!is_root)
        return jl_fail(err, JOULIE_E_IO, "RUN_AS", "only root can become %s", user);
    snprintf(found.name, sizeof found.name, "%s", user ? user : JD_USER);
    *out = found;
    return 0;
}

/* The kernel knows which there are: the first that it does not is the end. */
static void empty_bounding_set(void)
{
    for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++)
        (void)prctl(PR_CAPBSET_DROP, number, 0, 0, 0); /* refused without CAP_SETPCAP: it stays */
}

/* For good: whoever could come back would be root with a detour. */
static bool become(const struct jd_user *user)
{
    if (setgroups(0, NULL) != 0 || setresgid(user->gid, user->gid, user->gid) != 0 ||
        setresuid(user->uid, user->uid, user->uid) != 0)
        return false;
    errno = EPERM;
    return setresuid((uid_t)-1, 0, (uid_t)-1) != 0 &&
           (user->gid == 0 || setresgid((gid_t)-1, 0, (gid_t)-1) != 0);
}

/* A sandbox in which there is none to give up may refuse to let it be done. */
static bool empty_sets(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
    uint32_t left = 0;
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capget, &head, sets) != 0)
        return false;
    for (size_t i = 0; i < JL_COUNT(sets); i++) {
        left |= sets[i].effective | sets[i].permitted | sets[i].inheritable;
        sets[i] = (struct __user_cap_data_struct){ 0 };
    }
    return left == 0 || syscall(SYS_capset, &head, sets) == 0;
}

int jd_drop_privileges(const struct jd_user *user, struct joulie_error *err)
{
    empty_bounding_set();
    if (user->is_other && !become(user))
        return jl_fail(err, JOULIE_E_IO, "RUN_AS", "cannot become %s: %s", user->name,
                       strerror(errno));
    if (!empty_sets() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return jd_fail_system("capabilities", err);
    return 0;
}
