/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/ask.h>: decisions over documents. A question and YAML or JSON in, a line of JSON out. */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

static void on_warning(void *user, const char *where, const char *message)
{
    (void)message;
    printf("%s: %s is skipped\n", (const char *)user, where);
}

int main(void)
{
    /* How many watts may each of two packages get, when 60 % of their maximum are asked for? */
    static const char text[] = "spec:\n"
                               "  nodeName: n1\n"
                               "  profile: eco\n"
                               "  cpu: {packagePowerCapPctOfMax: 60}\n"
                               "host:\n"
                               "  packages:\n"
                               "  - {maxW: 270}\n"
                               "  - {maxW: 225}\n"
                               "rack: r7\n"; /* no member of this question */
    static char name[] = "cap.resolve";
    struct joulie_ask_options options = JOULIE_INIT(struct joulie_ask_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;

    options.is_lenient = 1;
    options.on_warning = on_warning;
    options.user = name;
    if (joulie_ask(name, text, strlen(text), &options, &answer, &err) != JOULIE_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        return 1;
    }
    puts(answer);
    joulie_free(answer);
    return 0;
}
