/* SPDX-License-Identifier: Apache-2.0 */

/* One attempt to give everything back, and what it says. The loop is the library's
 * (enforce/give_back.h); files are looked for anew at each attempt, because zones come back under
 * other numbers. */

#include "rescue/rescue.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* KEY VALUE RESULT, the key as the journal writes it. */
static void say(const struct jl_gift *gift, uint64_t value, const char *result)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    jl_journal_put_text(&line, gift->entry->key);
    jl_put_char(&line, ' ');
    jl_put_u64(&line, value);
    jl_put_char(&line, ' ');
    jl_put_string(&line, result);
    if (!line.is_failed)
        puts(line.data);
    fflush(stdout); /* what reads it may outlive this process only */
}

/* ---- what the loop comes back to ---- */

static struct jl_control_file *find(void *user, const char *key)
{
    struct jd_rescue *rescue = user;
    jl_control_file_close(&rescue->root, &rescue->file);
    jl_arena_reset(&rescue->control);
    if (jl_control_file_find(&rescue->root, key, &rescue->control, &rescue->file) < 0)
        return NULL;
    jl_control_file_read(&rescue->root, &rescue->file, !rescue->options.is_dry);
    return &rescue->file;
}

/* What has no owner any more is everybody's. */
static bool keeps(void *user, const struct jl_journal_entry *entry)
{
    const struct jd_rescue *rescue = user;
    const char *owner = rescue->options.is_from_v1 ? NULL : rescue->options.owner;
    return owner != NULL && entry->owner != NULL && !jl_same(entry->owner, owner);
}

static bool may_try(void *user, const struct jl_gift *gift)
{
    const struct jd_rescue *rescue = user;
    (void)gift;
    return !rescue->options.is_dry;
}

static void tell(void *user, const struct jl_gift *gift)
{
    const struct jd_rescue *rescue = user;
    const bool is_bounded = gift->value != gift->entry->value;
    if (gift->is_back && !gift->is_tried)
        say(gift, gift->entry->value, "unchanged");
    else if (gift->is_back)
        say(gift, gift->value, is_bounded ? "bounded" : "restored");
    else if (!rescue->is_last)
        return;
    else if (gift->file == NULL)
        say(gift, gift->entry->value, "absent");
    else if (gift->is_tried)
        say(gift, gift->value, jl_wrote_word(gift->wrote));
    else
        say(gift, gift->value, "open");
}

struct jl_give_back jd_rescue_how(struct jd_rescue *rescue, struct jl_journal_file *journal)
{
    return (struct jl_give_back){
        .root = &rescue->root,
        .journal = rescue->options.is_dry ? NULL : journal,
        .memory = &rescue->memory,
        .user = rescue,
        .find = find,
        .keeps = keeps,
        .may_try = may_try,
        .tell = tell,
    };
}

/* ---- an attempt ---- */

static size_t give_back_others(struct jd_rescue *rescue, const struct jl_give_back *how)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_journal *others = jl_journal_others(rescue->journal);
    bool is_settled = false;
    const size_t failed =
        jl_give_back_others(how, others, jl_journal_now(rescue->journal), &is_settled);
    if (is_settled && !rescue->options.is_dry &&
        jl_journal_put_others_away(rescue->journal, &err) < 0 && rescue->is_last)
        jd_root_complain(&err); /* they are looked at again next time, and need nothing */
    return failed;
}

/* What cannot be judged now, because its zone is away, is looked at again by the next one. */
int jd_rescue_prepare(struct jd_rescue *rescue)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_give_back how = jd_rescue_how(rescue, rescue->journal);
    rescue->is_last = true;
    const size_t failed = give_back_others(rescue, &how);
    if (jl_journal_make(rescue->journal, &err) == 0)
        return failed > 0 ? JD_ROOT_FAILED : 0;
    jd_root_complain(&err);
    return JD_ROOT_REFUSED;
}

size_t jd_rescue_attempt(struct jd_rescue *rescue, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_give_back how = jd_rescue_how(rescue, rescue->journal);
    jl_arena_reset(&rescue->memory);
    const size_t failed = give_back_others(rescue, &how) +
                          jl_give_back(&how, jl_journal_now(rescue->journal), now_ms, &err);
    if (err.code < 0 && rescue->is_last)
        jd_root_complain(&err);
    return failed;
}
