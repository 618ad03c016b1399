/* SPDX-License-Identifier: Apache-2.0 */

/* A host that joulie-capd writes for: its connection, beats, and leaving (joulie/host.h). What goes
 * over it is in client.c. */

#include "base/error.h"
#include "base/memory.h"
#include "enforce/host.h"

int jl_host_keep_by(struct joulie_host *host, jl_exchange_fn *exchange, void *user,
                    struct joulie_error *err)
{
    if (host->journal != NULL)
        return jl_fail(err, JOULIE_E_CONFLICT, "keeper", "this host writes itself");
    if (host->client == NULL)
        host->client = jl_calloc(1, sizeof *host->client);
    if (host->client == NULL)
        return jl_fail_memory(err);
    jl_client_connect(host->client, exchange, user);
    host->is_claimed = false;
    return 0;
}

int joulie_host_set_keeper(struct joulie_host *host, int32_t keeper_fd, struct joulie_error *err)
{
    return jl_host_keep_by(host, keeper_fd >= 0 ? jl_exchange_by_socket : NULL,
                           (void *)(intptr_t)keeper_fd, err);
}

int jl_host_check_keeper(struct joulie_host *host, struct joulie_error *err)
{
    if (host->client == NULL || !host->client->is_lost)
        return 0;
    host->is_claimed = false;
    return jl_error_return(&host->client->fault, host->client->fault.code, err);
}

int joulie_host_beat(struct joulie_host *host, struct joulie_error *err)
{
    const int rc = jl_host_check_keeper(host, err);
    if (rc < 0 || host->client == NULL || !host->is_claimed)
        return rc;
    (void)jl_client_beat(host->client, NULL);
    return jl_host_check_keeper(host, err);
}

int joulie_host_leave(struct joulie_host *host, struct joulie_error *err)
{
    if (host->client == NULL)
        return 0;
    if (!host->is_claimed)
        return jl_fail(err, JOULIE_E_CONFLICT, "", "only the writer of a machine leaves it");
    const int rc = jl_client_leave(host->client, err);
    (void)jl_host_check_keeper(host, NULL);
    return rc;
}
