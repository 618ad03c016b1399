/* SPDX-License-Identifier: Apache-2.0 */

/* Any question of the library by its name, and what the questions are. */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli.h"
#include "tree.h"

static void print_question(const char *name, const char *summary)
{
    jd_print("%-24s %s\n", name, summary);
}

static void for_each_question(const char *json,
                              void (*report)(const char *name, const char *summary))
{
    JL_CLEANUP(jd_json_freep) struct json_object *list = jd_json_parse(json, strlen(json));
    for (size_t i = 0; i < jd_json_count(list); i++)
        report(jd_json_word(jd_item(list, i), "name"), jd_json_word(jd_item(list, i), "summary"));
}

static int list_questions(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (joulie_ask_list(&json, &err) != JOULIE_OK)
        return jd_put_error(call, &err);
    if (call->values.output)
        jd_put_answer(call, json);
    else
        for_each_question(json, print_question);
    return JD_EXIT_OK;
}

static void print_words(const char *title, struct json_object *words)
{
    jd_print("%s", title);
    for (size_t i = 0; i < jd_json_count(words); i++)
        jd_print("%s%s", i > 0 ? "|" : "", json_object_get_string(jd_item(words, i)));
}

static void print_bound(const char *sign, struct json_object *bound)
{
    if (bound)
        jd_print(" %s %s", sign, json_object_get_string(bound));
}

static void print_member(struct json_object *member)
{
    struct json_object *words = json_object_object_get(member, "enum");
    jd_print("  %-44s %s", jd_json_word(member, "path"), jd_json_word(member, "type"));
    if (json_object_get_boolean(json_object_object_get(member, "required")))
        jd_print(", required");
    if (words)
        print_words(", ", words);
    print_bound(">=", json_object_object_get(member, "minimum"));
    print_bound(">", json_object_object_get(member, "exclusiveMinimum"));
    print_bound("<=", json_object_object_get(member, "maximum"));
    if (jd_json_word(member, "description")[0])
        jd_print("  %s", jd_json_word(member, "description"));
    jd_print("\n");
}

static void print_members(const char *title, struct json_object *members)
{
    jd_print("\n%s\n", title);
    for (size_t i = 0; i < jd_json_count(members); i++)
        print_member(jd_item(members, i));
}

static void print_description(const char *json)
{
    JL_CLEANUP(jd_json_freep) struct json_object *root = jd_json_parse(json, strlen(json));
    jd_print("%s: %s\n", jd_json_word(root, "name"), jd_json_word(root, "summary"));
    print_words("rule sets: ", json_object_object_get(root, "models"));
    jd_print("\n");
    print_members("input", json_object_object_get(root, "input"));
    print_members("answer", json_object_object_get(root, "output"));
}

static int describe(struct jd_call *call, const char *question)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (joulie_ask_describe(question, &json, &err) != JOULIE_OK)
        return jd_put_error(call, &err);
    if (call->values.output)
        jd_put_answer(call, json);
    else
        print_description(json);
    return JD_EXIT_OK;
}

static int run(struct jd_call *call)
{
    const bool is_list = call->values.list;
    const char *described = call->values.describe;
    if ((is_list || described) && call->argument_count > 0)
        return jd_usage("--list and --describe take no further argument \"%s\"",
                        call->arguments[0]);
    if (is_list)
        return list_questions(call);
    if (described)
        return describe(call, described);
    if (call->argument_count == 0)
        return jd_usage("\"ask\" needs QUESTION; %s ask --list prints them", jd_program);
    return jd_run_question(call);
}

static void offer(size_t index)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (index == 0 && joulie_ask_list(&json, NULL) == JOULIE_OK)
        for_each_question(json, jd_offer);
}

static const struct jd_setting options[] = {
    JD_BOOLEAN_ROW("LIST", list, "print the questions, one on each line"),
    { .name = "DESCRIBE",
      JD_TEXT_AT(jd_values, describe),
      .value = "QUESTION",
      .is_argument = true,
      .doc = "print the members of a question's input and answer" },
    JD_MODEL_ROW(jd_model_words),
    JD_OFFERED_ROW("PHYSICS", physics, jd_physics_words, "SET",
                   "physics set of simulations: current (the default) or v0.1.1"),
    JD_SCORE_RANGE_ROW,
    JD_REQUIRE_FRESH_ROW,
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_ask = {
    .name = "ask",
    .arguments = "QUESTION [FILE]",
    .most = 2,
    .files = JD_FILES,
    .summary = "Any question of the library by its name",
    .text = "The options --model, --physics, --score-range and --lenient are also accepted in a "
            "document,\n"
            "as its member \"options\", which wins.",
    JD_ROWS(options),
    .run = run,
    .offer = offer,
};
