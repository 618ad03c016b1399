/* SPDX-License-Identifier: Apache-2.0 */

/* Who counts as somebody else who writes a spec (docs/rules/programs.md#another-writer). */

#include "kubernetes/managers.h"
#include "support/test.h"

static void managers_are_ours_by_their_names(void **state)
{
    static const struct {
        const char *name;
        bool is_foreign;
    } rows[] = {
        { "joulie-operator", false },
        { "joulie-agent", false },
        { "before-first-apply", false },
        { "ancient-changes", false },
        { "kubectl", false },
        { "kubectl-edit", false },
        { "kubectl-client-side-apply", false },
        { "kube", true },
        { "my-kubectl", true },
        { "Kubectl", true },
        { "joulie-operator-2", true },
        { "joulie", true },
        { "argocd-controller", true },
        { "", true },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        if (jl_is_foreign_manager(jl_text(rows[i].name)) != rows[i].is_foreign)
            fail_msg("%s", rows[i].name);
    }
}

static void a_foreign_writer_owns_a_field_of_the_spec(void **state)
{
    static const struct {
        const char *name;
        bool is_subresource, owns_spec, may_adopt, is_foreign;
    } rows[] = {
        { "argocd", false, true, false, true },
        { "argocd", true, true, false, false },   /* it writes the status */
        { "argocd", false, false, false, false }, /* labels alone */
        { "argocd", false, true, true, false },
        { "kubectl", false, true, false, false },
        { "joulie-operator", false, true, false, false },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_manager manager = { jl_text(rows[i].name), rows[i].is_subresource,
                                            rows[i].owns_spec };
        if (jl_is_foreign_writer(&manager, rows[i].may_adopt) != rows[i].is_foreign)
            fail_msg("row %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(managers_are_ours_by_their_names),
        cmocka_unit_test(a_foreign_writer_owns_a_field_of_the_spec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
