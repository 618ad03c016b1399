/* SPDX-License-Identifier: Apache-2.0 */

/* Which state folders go with a container (docs/rules/enforcement.md#state-folder). */

#include "base/text.h"
#include "host/state_place.h"
#include "support/test.h"

#define EMPTY_DIR "/var/lib/kubelet/pods/1/volumes/kubernetes.io~empty-dir/state"

static void what_a_container_keeps_for_itself_goes_with_it(void **state)
{
    static const struct {
        struct jl_state_place place;
        const char *as;
    } rows[] = {
        { { "tmpfs", "/", true, false }, "a tmpfs" },
        { { "ramfs", "/", true, false }, "a ramfs" },
        { { "overlay", "/", true, false }, "the container's own overlay" },
        { { "tmpfs", "/", false, true }, "a tmpfs" },
        { { "overlay", "/", false, true }, "the container's own overlay" },
        { { "ext4", EMPTY_DIR, true, false }, "an emptyDir" },
        { { "tmpfs", EMPTY_DIR, true, true }, "an emptyDir" },
        /* of the machine, which loses its limits with it */
        { { "tmpfs", "/", false, false }, NULL },
        { { "overlay", "/", false, false }, NULL },
        { { "ext4", EMPTY_DIR, false, false }, NULL },
        /* a folder of the machine that a container was given */
        { { "tmpfs", "/joulie", true, false }, NULL },
        { { "overlay", "/var/lib/joulie", true, false }, NULL },
        { { "ext4", "/", true, false }, NULL },
        { { "xfs", "/var/lib/joulie", true, true }, NULL },
        { { "nfs4", "/", true, true }, NULL },
        { { NULL, NULL, true, true }, NULL }, /* nothing is known */
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        if (!jl_same(jl_vanishes_as(&rows[i].place), rows[i].as))
            fail_msg("row %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_container_keeps_for_itself_goes_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
