/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/joulie.h>, "Threads" and "What the process has to know". */

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <joulie/joulie.h>

#include "host/tree.h"
#include "threads/api_calls.h"

#define THREADS 4
#define ROUNDS 3

struct user {
    pthread_t thread;
    struct transcript transcript;
    const char *host_root;
};

static struct tree machine;
static struct user users[THREADS + 1]; /* the last one: the main thread, alone */

static void *use_again_and_again(void *argument)
{
    struct user *user = argument;
    for (int i = 0; i < ROUNDS; i++) {
        user->transcript.used = 0;
        api_calls_run(&user->transcript, user->host_root);
    }
    return NULL;
}

static int set_up(void **state)
{
    (void)state;
    tree_new(&machine);
    tree_intel_2s(&machine);
    memset(users, 0, sizeof users);
    for (size_t i = 0; i <= THREADS; i++)
        users[i].host_root = machine.path;
    use_again_and_again(&users[THREADS]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tree_free(&machine);
    return 0;
}

static void threads_with_handles_of_their_own_get_what_one_thread_alone_gets(void **state)
{
    const struct transcript *alone = &users[THREADS].transcript;
    (void)state;
    if (alone->is_wrong)
        fail_msg("%s", alone->text);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&users[i].thread, NULL, use_again_and_again, &users[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_false(users[i].transcript.is_wrong);
        assert_string_equal(users[i].transcript.text, alone->text);
    }
}

/* Both processes have what was put into a handle before the fork; neither sees later changes of the
 * other. */
static int works_on(struct joulie_object *object, double pct)
{
    static const char path[] = "spec.cpu.packagePowerCapPctOfMax";
    double found = 0;
    char *text = NULL;
    const int is_good = joulie_object_set_number(object, path, pct, NULL) == JOULIE_OK &&
                        joulie_object_get_number(object, path, &found, NULL) == 1 && found == pct &&
                        joulie_object_print(object, JOULIE_FORM_LINE, &text, NULL) == JOULIE_OK &&
                        strstr(text, "\"nodeName\":\"n\"");
    joulie_free(text);
    return is_good;
}

static void after_a_fork_each_process_goes_on_with_its_own_copy(void **state)
{
    static const char text[] = "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\","
                               "\"spec\":{\"nodeName\":\"n\",\"profile\":\"eco\"}}";
    struct joulie_object *object = NULL;
    int status = 0;
    (void)state;
    assert_int_equal(joulie_object_parse(text, strlen(text), NULL, 0, &object, NULL), JOULIE_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct transcript *transcript = &users[0].transcript;
        const int is_good = works_on(object, 40);
        joulie_object_free(object);
        transcript->used = 0;
        api_calls_run(transcript, machine.path);
        _exit(is_good && !transcript->is_wrong &&
                      strcmp(transcript->text, users[THREADS].transcript.text) == 0
                  ? 0
                  : 1);
    }
    const int is_good = works_on(object, 70);
    joulie_object_free(object);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(is_good);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_fork_each_process_goes_on_with_its_own_copy),
        cmocka_unit_test(threads_with_handles_of_their_own_get_what_one_thread_alone_gets),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
