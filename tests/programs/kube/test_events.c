/* SPDX-License-Identifier: Apache-2.0 */
/* Events about objects: what is posted, what is only counted, what is given up
 * (docs/rules/clients.md#events).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/events.h"
#include "kube/stage.h"
#include "runtime/clock.h"
#include "support/test.h"

#define MOST_SEEN 4096
#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

struct scene {
    struct stage *stage;
    struct jd_recorder *recorder;
    char *requests[MOST_SEEN];
    int number;
    int wanted;       /* requests */
    int code;         /* of what the server does not like, 0 = it likes all */
    int until;        /* up to which request it does not */
    const char *only; /* method that it does not like; NULL = all */
    const char *part; /* the run ends when a request has it; NULL = by their number */
    bool has_part;
    bool is_silent;
    struct jd_timer look;
};

static void handle(void *user, struct talk *talk, const char *request)
{
    struct scene *scene = user;
    const int number = scene->number++;
    assert_true(number < MOST_SEEN);
    scene->requests[number] = strdup(request);
    scene->has_part |= scene->part && strstr(request, scene->part);
    if (scene->is_silent)
        return;
    const bool is_meant = !scene->only || strncmp(request, scene->only, strlen(scene->only)) == 0;
    if (scene->code == 422 && strstr(request, "/namespaces/default/"))
        talk_reply(talk, "422 Unprocessable", "",
                   "{\"kind\":\"Status\",\"code\":422,\"reason\":\"Invalid\",\"message\":"
                   "\"involvedObject.namespace: does not match event.namespace\"}");
    else if (scene->code > 0 && scene->code != 422 && is_meant && number < scene->until)
        talk_status(talk, scene->code, "Played", "", NULL);
    else
        talk_reply(talk, "201 Created", "", "{}");
}

static void look(void *user)
{
    struct scene *scene = user;
    scene->stage->is_done = (scene->part ? scene->has_part : scene->number >= scene->wanted) &&
                            (scene->is_silent || jd_kube_waiting(scene->stage->kube) == 0);
    jd_timer_set(&scene->stage->loop, &scene->look, jd_clock_ms() + 1);
}

static struct scene *open_scene(void)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->stage = stage_open(0, 0, handle, scene);
    scene->stage->idle_ms = 600000;
    scene->look = (struct jd_timer){ .fire = look, .user = scene };
    jd_timer_set(&scene->stage->loop, &scene->look, 0);
    assert_int_equal(jd_recorder_open(scene->stage->kube, "joulie.io/operator",
                                      "joulie-operator-host", &scene->recorder, NULL),
                     0);
    return scene;
}

static void close_scene(struct scene *scene)
{
    jd_recorder_close(scene->recorder);
    stage_close(scene->stage);
    for (int i = 0; i < scene->number; i++)
        free(scene->requests[i]);
    free(scene);
}

static void run(struct scene *scene, int requests)
{
    scene->wanted = requests;
    stage_run(scene->stage);
    assert_int_equal(scene->number, requests);
}

static struct jd_event event_of(const char *name)
{
    return (struct jd_event){ .reason = "CapApplied",
                              .action = "ApplyCap",
                              .note = "cap is 280 W",
                              .kind = "NodeTwin",
                              .api_version = "joulie.io/v1alpha1",
                              .name = name,
                              .uid = "u1" };
}

static void put(struct scene *scene, const char *name)
{
    const struct jd_event event = event_of(name);
    jd_recorder_put(scene->recorder, &event, NOW_MS);
}

static bool has(const char *request, const char *part)
{
    return strstr(request, part) != NULL;
}

/* ---- what is sent ---- */

static void the_first_of_a_series_is_posted_whole(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    put(scene, "n1");
    run(scene, 1);
    const char *request = scene->requests[0];
    assert_true(has(request, "POST /apis/events.k8s.io/v1/namespaces/default/events"));
    assert_true(has(request, "\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\""));
    assert_true(has(request, "\"metadata\":{\"name\":\"n1.189c64d083"));
    assert_true(has(request, "\"namespace\":\"default\""));
    assert_true(has(request, "\"eventTime\":\"2026-03-13T12:00:00.000000Z\""));
    assert_true(has(request, "\"reportingController\":\"joulie.io/operator\""));
    assert_true(has(request, "\"reportingInstance\":\"joulie-operator-host\""));
    assert_true(has(request, "\"action\":\"ApplyCap\",\"reason\":\"CapApplied\""));
    assert_true(has(request, "\"type\":\"Normal\",\"note\":\"cap is 280 W\""));
    assert_true(has(request, "\"regarding\":{\"kind\":\"NodeTwin\",\"apiVersion\":"
                             "\"joulie.io/v1alpha1\",\"name\":\"n1\",\"uid\":\"u1\"}"));
    assert_false(has(request, "series"));
    assert_false(has(request, "deprecated"));
    close_scene(scene);
}

static void an_event_of_a_pod_goes_to_its_namespace(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    struct jd_event event = event_of("p");
    event.name_space = "team";
    event.is_warning = true;
    jd_recorder_put(scene->recorder, &event, NOW_MS);
    run(scene, 1);
    assert_true(has(scene->requests[0], "/namespaces/team/events"));
    assert_true(has(scene->requests[0], "\"type\":\"Warning\""));
    assert_int_equal(count_of(scene->requests[0], "\"namespace\":\"team\""), 2);
    close_scene(scene);
}

static void the_second_is_a_patch_and_more_are_only_counted(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    put(scene, "n1");
    run(scene, 1);
    put(scene, "n1");
    run(scene, 2);
    assert_true(has(scene->requests[1], "PATCH /apis/events.k8s.io/v1/namespaces/default/"
                                        "events/n1.189c64d083"));
    assert_true(has(scene->requests[1], "Content-Type: application/merge-patch+json"));
    assert_true(has(scene->requests[1], "{\"series\":{\"count\":2,\"lastObservedTime\":"
                                        "\"2026-03-13T12:00:00.000000Z\"}}"));
    for (int i = 0; i < 50; i++)
        put(scene, "n1");
    put(scene, "n2");
    run(scene, 3);
    assert_true(has(scene->requests[2], "POST"));
    close_scene(scene);
}

static void what_comes_while_the_first_is_on_its_way_is_reported_afterwards(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    for (int i = 0; i < 5; i++)
        put(scene, "n1");
    run(scene, 2);
    assert_true(has(scene->requests[0], "POST"));
    assert_true(has(scene->requests[1], "\"count\":5"));
    close_scene(scene);
}

static void events_that_differ_are_series_of_their_own(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    struct jd_event events[6];
    for (int i = 0; i < 6; i++)
        events[i] = event_of("n1");
    events[1].reason = "CapReleased";
    events[2].action = "Release";
    events[3].is_warning = true;
    events[4].uid = "u2";
    events[5].name = "n2";
    for (int i = 0; i < 6; i++)
        jd_recorder_put(scene->recorder, &events[i], NOW_MS);
    run(scene, 6);
    for (int i = 0; i < 6; i++) {
        char name[64];
        assert_true(has(scene->requests[i], "POST"));
        const char *at = strstr(scene->requests[i], "\"metadata\":{\"name\":\"");
        snprintf(name, sizeof name, "%.40s", at + 20);
        for (int k = 0; k < i; k++)
            assert_false(has(scene->requests[k], name)); /* names of one instant differ */
    }
    close_scene(scene);
}

static void names_that_cannot_start_a_name_get_another_one(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    char longest[254];
    memset(longest, 'a', 253);
    longest[253] = '\0';
    put(scene, "Upper_Case");
    put(scene, longest);
    run(scene, 2);
    for (int i = 0; i < 2; i++) {
        const char *name = strstr(scene->requests[i], "\"metadata\":{\"name\":\"") + 20;
        assert_int_equal(strcspn(name, "\""), 36);
        assert_int_equal(name[8], '-');
    }
    close_scene(scene);
}

static void a_long_note_is_cut(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    struct jd_event event = event_of("n1");
    char note[3001];
    for (int i = 0; i < 3000; i += 3)
        memcpy(note + i, "\xe2\x82\xac", 3); /* a euro sign */
    note[3000] = '\0';
    event.note = note;
    jd_recorder_put(scene->recorder, &event, NOW_MS);
    run(scene, 1);
    assert_int_equal(count_of(scene->requests[0], "\xe2\x82\xac"), 341); /* 1023 bytes */
    close_scene(scene);
}

/* ---- servers that do not like it ---- */

static void an_old_server_gets_them_in_kube_system(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    scene->code = 422;
    put(scene, "n1");
    run(scene, 2);
    assert_true(has(scene->requests[1], "/namespaces/kube-system/events"));
    assert_true(has(scene->requests[1], "\"namespace\":\"kube-system\""));
    put(scene, "n2");
    run(scene, 3);
    assert_true(has(scene->requests[2], "/namespaces/kube-system/events")); /* from here on */
    assert_int_equal(jd_recorder_dropped(scene->recorder), 0);
    close_scene(scene);
}

static void a_patch_of_an_event_that_is_gone_becomes_a_post(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    put(scene, "n1");
    run(scene, 1);
    scene->code = 404;
    scene->only = "PATCH";
    scene->until = 2;
    put(scene, "n1");
    run(scene, 3);
    assert_true(has(scene->requests[2], "POST"));
    assert_true(has(scene->requests[2], "\"series\":{\"count\":2"));
    close_scene(scene);
}

static void a_name_that_exists_is_replaced(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    scene->code = 409;
    scene->until = 1;
    put(scene, "n1");
    run(scene, 2);
    assert_string_not_equal(strstr(scene->requests[0], "\"name\""),
                            strstr(scene->requests[1], "\"name\""));
    assert_int_equal(scene->stage->waits, 0);
    close_scene(scene);
}

static void a_server_that_fails_is_tried_12_times(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    scene->code = 500;
    scene->until = MOST_SEEN;
    put(scene, "n1");
    run(scene, 12);
    assert_int_equal(scene->stage->waits, 11);
    assert_true(scene->stage->shortest_ms >= 10000);
    assert_true(scene->stage->longest_ms <= 12500);
    assert_int_equal(jd_recorder_dropped(scene->recorder), 1);
    put(scene, "n2"); /* the next one is tried as well */
    scene->until = 0;
    run(scene, 13);
    close_scene(scene);
}

static void one_that_fails_does_not_hold_the_others_up(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    scene->code = 503;
    scene->until = 1;
    put(scene, "bad");
    put(scene, "n1");
    put(scene, "n2");
    run(scene, 4);
    assert_int_equal(count_of(scene->requests[1], "\"name\":\"n1\""), 1);
    assert_int_equal(jd_recorder_dropped(scene->recorder), 0);
    close_scene(scene);
}

static void a_forbidden_event_is_dropped_and_reported_once(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    scene->code = 403;
    scene->until = MOST_SEEN;
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        put(scene, name);
    }
    run(scene, 5);
    assert_int_equal(jd_recorder_dropped(scene->recorder), 5);
    char *log = stage_log(scene->stage);
    assert_int_equal(count_of(log, "an event is not taken: 403"), 1);
    free(log);
    close_scene(scene);
}

/* ---- limits and time ---- */

static void the_line_has_an_end_and_the_newest_are_dropped(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    scene->is_silent = true;
    for (int i = 0; i < 1500; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        put(scene, name);
    }
    assert_int_equal(jd_recorder_dropped(scene->recorder), 500);
    put(scene, "n3"); /* of a series that is there */
    assert_int_equal(jd_recorder_dropped(scene->recorder), 500);
    run(scene, 1);
    close_scene(scene);
}

static void all_that_wait_go_out_in_the_end(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        put(scene, name);
    }
    run(scene, 300);
    assert_int_equal(jd_recorder_dropped(scene->recorder), 0);
    close_scene(scene);
}

static void a_series_that_is_over_reports_its_count_and_is_forgotten(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    for (int i = 0; i < 2; i++) {
        put(scene, "n1");
        run(scene, i + 1);
    }
    for (int i = 0; i < 7; i++)
        put(scene, "n1");
    scene->stage->minute_ms = 5;
    scene->stage->idle_ms = 1;
    jd_recorder_close(scene->recorder); /* the sweep was set for a minute */
    assert_int_equal(
        jd_recorder_open(scene->stage->kube, "joulie.io/operator", "h", &scene->recorder, NULL), 0);
    put(scene, "n1");
    put(scene, "n1");
    run(scene, 4);
    assert_true(has(scene->requests[3], "\"count\":2"));
    scene->stage->idle_ms = 600000;
    put(scene, "n1");
    put(scene, "n1");
    scene->stage->idle_ms = 1;
    scene->wanted = 5;
    stage_run(scene->stage);
    assert_true(has(scene->requests[4], "\"count\":")); /* the last word, or a new series */
    close_scene(scene);
}

static void a_series_that_goes_on_is_reported_again(void **state)
{
    (void)state;
    struct scene *scene = open_scene();
    jd_recorder_close(scene->recorder);
    scene->stage->minute_ms = 2;
    scene->stage->safety_ms = 10; /* half an hour */
    assert_int_equal(
        jd_recorder_open(scene->stage->kube, "joulie.io/operator", "h", &scene->recorder, NULL), 0);
    for (int i = 0; i < 3; i++)
        put(scene, "n1");
    scene->wanted = 2; /* or more: the half hours go on while this machine does something else */
    stage_run(scene->stage);
    put(scene, "n1");
    scene->part = "\"count\":4";
    stage_run(scene->stage);
    assert_true(has(scene->requests[scene->number - 1], "PATCH"));
    close_scene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_a_series_is_posted_whole),
        cmocka_unit_test(an_event_of_a_pod_goes_to_its_namespace),
        cmocka_unit_test(the_second_is_a_patch_and_more_are_only_counted),
        cmocka_unit_test(what_comes_while_the_first_is_on_its_way_is_reported_afterwards),
        cmocka_unit_test(events_that_differ_are_series_of_their_own),
        cmocka_unit_test(names_that_cannot_start_a_name_get_another_one),
        cmocka_unit_test(a_long_note_is_cut),
        cmocka_unit_test(an_old_server_gets_them_in_kube_system),
        cmocka_unit_test(a_patch_of_an_event_that_is_gone_becomes_a_post),
        cmocka_unit_test(a_name_that_exists_is_replaced),
        cmocka_unit_test(a_server_that_fails_is_tried_12_times),
        cmocka_unit_test(one_that_fails_does_not_hold_the_others_up),
        cmocka_unit_test(a_forbidden_event_is_dropped_and_reported_once),
        cmocka_unit_test(the_line_has_an_end_and_the_newest_are_dropped),
        cmocka_unit_test(all_that_wait_go_out_in_the_end),
        cmocka_unit_test(a_series_that_is_over_reports_its_count_and_is_forgotten),
        cmocka_unit_test(a_series_that_goes_on_is_reported_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
