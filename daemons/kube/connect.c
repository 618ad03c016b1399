/* SPDX-License-Identifier: Apache-2.0 */

/* A daemon's connection to its API server: who it is there, and the client with its token bucket.
 * The drivers of the daemons call it. */

#include "kube/connect.h"

#include <unistd.h>

#include "runtime/machine_clock.h"

extern char **environ;

int jd_connect(struct jd_edges *edges, const struct jd_kube_values *values,
               struct jd_connection *out, struct joulie_error *err)
{
    const struct jd_access_options access = {
        .kubeconfig = values->kubeconfig,
        .context = values->context,
        .server = values->server,
        .token_file = values->token_file,
        .is_plain_allowed = values->is_plain_allowed,
        .environment = environ,
        .loop = &edges->loop,
        .is_patient = true,
    };
    int rc = jd_access_open(&access, &out->access, err);
    if (rc < 0)
        return rc;
    const struct jd_kube_options kube = {
        .access = out->access,
        .component = edges->daemon->name,
        .qps = values->qps,
        .burst = values->burst,
        .seed = (uint64_t)jd_clock_wall_ms() ^ (uint64_t)getpid(),
        .log = &edges->log,
        .metrics = edges->metrics,
    };
    rc = jd_kube_open(&edges->loop, edges->http, &kube, &out->kube, err);
    if (rc == 0)
        jd_log(&edges->log, JOULIE_LOG_LEVEL_INFO, "kube", "the API server is %s",
               jd_access_shown(out->access));
    return rc;
}

void jd_disconnect(struct jd_connection *connection)
{
    jd_kube_close(connection->kube);
    jd_access_close(connection->access);
    *connection = (struct jd_connection){ 0 };
}
