/* SPDX-License-Identifier: Apache-2.0 */

/* Gives back what version 0.2 left (docs/rules/enforcement.md#version-1): the journal of this boot
 * as that version would have, those of other boots by their rule. A journal is removed when nothing
 * of it is left; until then it can be read again. */

#include <string.h>

#include "base/error.h"
#include "caps/journal_v1.h"
#include "enforce/journal_parts.h"
#include "rescue/rescue.h"

static bool is_of_this_boot(const struct jd_rescue *rescue, const char *name)
{
    const char *boot = name + strlen(JL_JOURNAL_PREFIX_V1);
    return jl_same(boot, rescue->boot_id != NULL ? rescue->boot_id : "unknown");
}

static int read_v1(struct jd_rescue *rescue, const struct jl_root *folder, const char *name,
                   struct jl_journal *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_os_file found;
    const int fd = jl_root_file(folder, name, JL_OS_READ);
    if (fd < 0)
        return jl_journal_fail(err, name, "cannot open", fd);
    int rc = jl_journal_get(rescue->journal, name, fd, &text, &found, err);
    folder->os.close(folder->os.user, fd);
    if (rc == 0)
        rc = jl_journal_v1_read(&rescue->memory, text.data != NULL ? text.data : "", text.len, out);
    return rc;
}

/* True when nothing of the journal is left. */
static bool give_back_one(struct jd_rescue *rescue, const struct jl_root *folder, const char *name,
                          int64_t now_ms, size_t *failed)
{
    static const struct jl_journal none;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_give_back how =
        jd_rescue_how(rescue, NULL); /* nothing is noted: it is removed */
    struct jl_journal journal = { 0 };
    bool is_settled = true;
    size_t here = 0;
    if (read_v1(rescue, folder, name, &journal, &err) < 0)
        here = 1;
    else if (is_of_this_boot(rescue, name))
        here = jl_give_back(&how, &journal, now_ms, &err);
    else
        here = jl_give_back_others(&how, &journal, &none, &is_settled);
    if (err.code < 0 && rescue->is_last)
        jd_root_complain(&err);
    *failed += here > 0 || is_settled ? here : 1;
    return here == 0 && is_settled;
}

size_t jd_rescue_from_v1(struct jd_rescue *rescue, int64_t now_ms)
{
    const struct jl_root folder = { rescue->root.os, rescue->state_fd };
    const struct jl_os *os = &folder.os;
    const char **names = NULL;
    size_t count = 0;
    size_t failed = 0;
    jl_arena_reset(&rescue->memory);
    if (jl_root_list(&folder, "", &rescue->memory, &names, &count) < 0)
        return SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const bool is_unfinished =
            jl_starts_with(names[i], JL_JOURNAL_PREFIX_V1) && !jl_journal_is_v1(names[i]);
        if (!jl_starts_with(names[i], JL_JOURNAL_PREFIX_V1))
            continue;
        if (!is_unfinished && !give_back_one(rescue, &folder, names[i], now_ms, &failed))
            continue;
        if (!rescue->options.is_dry && os->unlink(os->user, folder.fd, names[i]) < 0)
            failed++;
    }
    if (!rescue->options.is_dry && os->sync(os->user, folder.fd) < 0)
        failed++;
    return failed;
}
