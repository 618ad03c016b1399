/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* setresuid, setgroups, syscall */

/* Another user, no capabilities, no new ones. */

#include "runtime/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/file.h"

/* 0 and *out NULL: nobody else. */
static int find_user(const char *user, bool is_live, const struct passwd **out,
                     struct joulie_error *err)
{
    *out = NULL;
    if (geteuid() != 0 || (!user && !is_live))
        return 0;
    const struct passwd *found = getpwnam(user ? user : JD_USER);
    if (!found && user)
        return jl_fail(err, JOULIE_E_ENUM, "RUN_AS", "there is no user %s", user);
    if (found && found->pw_uid != 0)
        *out = found;
    return 0;
}

/* The kernel knows which there are: the first that it does not is the end. */
static void empty_bounding_set(void)
{
    for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++)
        (void)prctl(PR_CAPBSET_DROP, number, 0, 0, 0); /* refused without CAP_SETPCAP: it stays */
}

static bool become(const struct passwd *user)
{
    return setgroups(0, NULL) == 0 && setresgid(user->pw_gid, user->pw_gid, user->pw_gid) == 0 &&
           setresuid(user->pw_uid, user->pw_uid, user->pw_uid) == 0;
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

int jd_drop_privileges(const char *user, bool is_live, const char **out_name,
                       struct joulie_error *err)
{
    const struct passwd *found = NULL;
    const int rc = find_user(user, is_live, &found, err);
    if (rc < 0)
        return rc;
    empty_bounding_set();
    if (found && !become(found))
        return jd_fail_system(found->pw_name, err);
    if (!empty_sets() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return jd_fail_system("capabilities", err);
    *out_name = found ? found->pw_name : NULL;
    return 0;
}
