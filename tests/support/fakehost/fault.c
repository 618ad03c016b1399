/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of what fails. */

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "parts.h"

#define WORDS_MAX 5

static const char *const op_words[FK_OP_COUNT] = {
    [FK_OP_OPEN] = "open",         [FK_OP_READ] = "read",         [FK_OP_WRITE] = "write",
    [FK_OP_STAT] = "stat",         [FK_OP_LIST] = "list",         [FK_OP_SYNC] = "sync",
    [FK_OP_TRUNCATE] = "truncate", [FK_OP_RENAME] = "rename",     [FK_OP_UNLINK] = "unlink",
    [FK_OP_MKDIR] = "mkdir",       [FK_OP_LOCK] = "lock",         [FK_OP_IGNORE] = "ignore",
    [FK_OP_SHORT] = "short",       [FK_OP_READONLY] = "readonly", [FK_OP_ROUND] = "round",
    [FK_OP_DRIFT] = "drift",
};

static const struct {
    const char *word;
    int error;
} errors[] = {
    { "EINVAL", EINVAL },   { "EACCES", EACCES },
    { "EPERM", EPERM },     { "EIO", EIO },
    { "ENODATA", ENODATA }, { "EROFS", EROFS },
    { "ENODEV", ENODEV },   { "ENOENT", ENOENT },
    { "ENOSYS", ENOSYS },   { "ENOSPC", ENOSPC },
    { "EBUSY", EBUSY },     { "EAGAIN", EAGAIN },
    { "EINTR", EINTR },     { "EWOULDBLOCK", EWOULDBLOCK },
    { "EMFILE", EMFILE },   { "EDQUOT", EDQUOT },
};

struct line {
    char *copy; /* owns the words */
    char *words[WORDS_MAX];
    size_t count;
};

static void split(const char *text, struct line *out)
{
    *out = (struct line){ .copy = fk_copy(text, strlen(text)) };
    char *at = out->copy;
    while (out->count < WORDS_MAX) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            break;
        out->words[out->count++] = at;
        at += strcspn(at, " \t\r\n");
        if (*at)
            *at++ = '\0';
    }
}

static int refuse(struct fk *fk, const char *line, const char *why)
{
    snprintf(fk->message, sizeof fk->message, "fault \"%.150s\": %s", line, why);
    return -EINVAL;
}

static bool number(const char *word, uint64_t *out)
{
    return word && jl_parse_u64(word, strlen(word), out) == 0;
}

static int error_of(const char *word)
{
    for (size_t i = 0; word && i < JL_COUNT(errors); i++) {
        if (strcmp(errors[i].word, word) == 0)
            return errors[i].error;
    }
    return 0;
}

static int add_rule(struct fk *fk, const char *text, enum fk_op op, const struct line *line)
{
    struct fk_rule rule = { .op = op, .left = UINT64_MAX };
    size_t used = 2;
    if (line->count < 2)
        return refuse(fk, text, "a pattern of paths is missing");
    if (op < FK_OP_ERRNO_COUNT) {
        rule.error = error_of(line->count > 2 ? line->words[2] : NULL);
        if (!rule.error)
            return refuse(fk, text, "the name of an error is missing or unknown");
        used = 3;
    }
    if (op == FK_OP_SHORT || op == FK_OP_ROUND || op == FK_OP_DRIFT) {
        if (!number(line->words[2], &rule.value) || (op == FK_OP_ROUND && rule.value == 0))
            return refuse(fk, text, "a number is missing after the pattern");
        used = 3;
    }
    if (line->count > used && !number(line->words[used], &rule.left))
        return refuse(fk, text, "the count is no number");
    if (op == FK_OP_DRIFT && line->count != 4)
        return refuse(fk, text, "the number of reads is missing");
    if (line->count > used + 1)
        return refuse(fk, text, "there is more than a rule has");
    rule.pattern = fk_copy(line->words[1], strlen(line->words[1]));
    fk->rules = fk_grow(fk->rules, &fk->rule_capacity, fk->rule_count + 1, sizeof *fk->rules);
    fk->rules[fk->rule_count++] = rule;
    return 0;
}

static int set_space(struct fk *fk, const char *text, const struct line *line)
{
    if (line->count == 2 && strcmp(line->words[1], "all") == 0) {
        fk->space_left = UINT64_MAX;
        return 0;
    }
    if (line->count == 2 && number(line->words[1], &fk->space_left))
        return 0;
    return refuse(fk, text, "space BYTES or space all");
}

static int move_zone(struct fk *fk, const char *text, const struct line *line)
{
    int rc = -EINVAL;
    if (strcmp(line->words[0], "vanish") == 0 && line->count == 2)
        rc = fk_zone_vanish(fk, line->words[1]);
    else if (line->count == 3)
        rc = fk_zone_return(fk, line->words[1], line->words[2], false);
    else if (line->count == 4 && strcmp(line->words[3], "enabled") == 0)
        rc = fk_zone_return(fk, line->words[1], line->words[2], true);
    else
        return refuse(fk, text, "vanish ZONE or return ZONE NAME [enabled]");
    if (rc == -EEXIST)
        return refuse(fk, text, "the name is taken");
    return rc == 0 ? 0 : refuse(fk, text, "no such zone is there, or gone");
}

static int obey(struct fk *fk, const char *text, const struct line *line)
{
    if (line->count == 0)
        return refuse(fk, text, "it is empty");
    const char *word = line->words[0];
    if (strcmp(word, "clear") == 0 && line->count == 1) {
        fk_rules_clear(fk);
        return 0;
    }
    if (strcmp(word, "space") == 0)
        return set_space(fk, text, line);
    if (strcmp(word, "vanish") == 0 || strcmp(word, "return") == 0)
        return move_zone(fk, text, line);
    for (enum fk_op op = 0; op < FK_OP_COUNT; op++) {
        if (strcmp(word, op_words[op]) == 0)
            return add_rule(fk, text, op, line);
    }
    return refuse(fk, text, "nobody knows its first word");
}

int fk_fault(struct fk *fk, const char *line)
{
    struct line words;
    split(line, &words);
    const int rc = obey(fk, line, &words);
    free(words.copy);
    return rc;
}

const char *fk_message(const struct fk *fk)
{
    return fk->message;
}

void fk_rules_clear(struct fk *fk)
{
    for (size_t i = 0; i < fk->rule_count; i++)
        free(fk->rules[i].pattern);
    fk->rule_count = 0;
    fk->space_left = UINT64_MAX;
}

static void put_number(struct jl_buffer *out, uint64_t value)
{
    char text[JL_DOUBLE_TEXT];
    jl_put_char(out, ' ');
    jl_put(out, text, jl_format_u64(value, text));
}

static void put_rule(const struct fk_rule *rule, struct jl_buffer *out)
{
    jl_put_string(out, op_words[rule->op]);
    jl_put_char(out, ' ');
    jl_put_string(out, rule->pattern);
    for (size_t i = 0; rule->error && i < JL_COUNT(errors); i++) {
        if (errors[i].error != rule->error)
            continue;
        jl_put_char(out, ' ');
        jl_put_string(out, errors[i].word);
        break;
    }
    if (rule->op == FK_OP_SHORT || rule->op == FK_OP_ROUND || rule->op == FK_OP_DRIFT)
        put_number(out, rule->value);
    if (rule->left != UINT64_MAX)
        put_number(out, rule->left);
    jl_put_char(out, '\n');
}

void fk_rules_put(const struct fk *fk, struct jl_buffer *out)
{
    for (size_t i = 0; i < fk->rule_count; i++)
        put_rule(&fk->rules[i], out);
    if (fk->space_left != UINT64_MAX) {
        jl_put_string(out, "space");
        put_number(out, fk->space_left);
        jl_put_char(out, '\n');
    }
}

static bool fits(const struct fk_rule *rule, enum fk_op op, const char *path)
{
    return rule->op == op && rule->left > 0 && fnmatch(rule->pattern, path, 0) == 0;
}

struct fk_rule *fk_rule_use(struct fk *fk, enum fk_op op, const char *path)
{
    for (size_t i = 0; i < fk->rule_count; i++) {
        struct fk_rule *rule = &fk->rules[i];
        if (!fits(rule, op, path))
            continue;
        if (rule->left != UINT64_MAX)
            rule->left--;
        return rule;
    }
    return NULL;
}

int fk_rule_error(struct fk *fk, enum fk_op op, const char *path)
{
    const struct fk_rule *rule = fk_rule_use(fk, op, path);
    return rule ? -rule->error : 0;
}

bool fk_rule_readonly(struct fk *fk, const char *path)
{
    return fk_rule_use(fk, FK_OP_READONLY, path) != NULL;
}

void fk_rule_read(struct fk *fk, struct fk_node *node, const char *path)
{
    for (size_t i = 0; i < fk->rule_count; i++) {
        struct fk_rule *rule = &fk->rules[i];
        char text[JL_DOUBLE_TEXT];
        if (!fits(rule, FK_OP_DRIFT, path) || --rule->left > 0)
            continue;
        const size_t len = jl_format_u64(rule->value, text);
        (void)fk_live_write(fk, node, text, len, FK_POWER_UNIT_UW);
        return;
    }
}
