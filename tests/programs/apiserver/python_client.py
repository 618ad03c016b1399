# SPDX-License-Identifier: Apache-2.0
"""Run by test_python_client.py inside an environment that has the package kubernetes."""

import sys

from kubernetes import client, config, watch

TWINS = ("joulie.io", "v1alpha1", "nodetwins")


def check(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def nodes():
    core = client.CoreV1Api()
    page = core.list_node(limit=2)
    names = [item.metadata.name for item in page.items]
    while page.metadata._continue:
        page = core.list_node(limit=2, _continue=page.metadata._continue)
        names += [item.metadata.name for item in page.items]
    check(names == [f"n{number}" for number in range(5)], names)
    core.patch_node("n1", {"metadata": {"labels": {"joulie.io/power-profile": "eco"}}})
    found = core.list_node(label_selector="joulie.io/power-profile=eco").items
    check([item.metadata.name for item in found] == ["n1"], found)
    check(found[0].status.conditions[0].type == "Ready", found[0].status)


def pods():
    core = client.CoreV1Api()
    body = client.V1Pod(
        metadata=client.V1ObjectMeta(name="p"),
        spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="i")]),
    )
    made = core.create_namespaced_pod("default", body)
    check(made.status.phase == "Pending", made.status)
    target = client.V1ObjectReference(kind="Node", name="n2")
    core.create_namespaced_pod_binding(
        "p",
        "default",
        client.V1Binding(metadata=client.V1ObjectMeta(name="p"), target=target),
        _preload_content=False,
    )
    found = core.list_pod_for_all_namespaces(field_selector="spec.nodeName=n2").items
    check([item.metadata.name for item in found] == ["p"], found)


def twins():
    custom = client.CustomObjectsApi()
    body = {
        "apiVersion": "joulie.io/v1alpha1",
        "kind": "NodeTwin",
        "metadata": {"name": "n1"},
        "spec": {"nodeName": "n1", "profile": "eco"},
    }
    made = custom.create_cluster_custom_object(*TWINS, body)
    try:
        custom.create_cluster_custom_object(*TWINS, body)
        check(False, "a second one is refused")
    except client.ApiException as problem:
        check(problem.status == 409, problem)
    version = made["metadata"]["resourceVersion"]
    custom.patch_cluster_custom_object(*TWINS, "n1", {"spec": {"profile": "performance"}})
    custom.patch_cluster_custom_object_status(
        *TWINS, "n1", {"status": {"schedulableClass": "performance"}}
    )
    custom.delete_cluster_custom_object(*TWINS, "n1")
    seen = []
    for event in watch.Watch().stream(
        custom.list_cluster_custom_object, *TWINS, resource_version=version, timeout_seconds=30
    ):
        seen.append(event["type"])
        if event["type"] == "DELETED":
            break
    check(seen == ["MODIFIED", "MODIFIED", "DELETED"], seen)
    follow_again()


def follow_again():
    """A version that is too old: 410, then a list, then a watch from there."""
    custom = client.CustomObjectsApi()
    listed = custom.list_cluster_custom_object
    try:
        for _ in watch.Watch().stream(listed, *TWINS, resource_version="1", timeout_seconds=30):
            check(False, "an event after a version that is too old")
        check(False, "the watch is refused")
    except client.ApiException as problem:
        check(problem.status == 410, problem)
    version = listed(*TWINS)["metadata"]["resourceVersion"]
    body = {"metadata": {"name": "n2"}, "spec": {"nodeName": "n2", "profile": "eco"}}
    body |= {"apiVersion": "joulie.io/v1alpha1", "kind": "NodeTwin"}
    custom.create_cluster_custom_object(*TWINS, body)
    for event in watch.Watch().stream(listed, *TWINS, resource_version=version, timeout_seconds=30):
        check((event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "n2"), event)
        break


def leases():
    api = client.CoordinationV1Api()
    body = client.V1Lease(
        metadata=client.V1ObjectMeta(name="joulie-operator"),
        spec=client.V1LeaseSpec(holder_identity="a", lease_duration_seconds=15),
    )
    lease = api.create_namespaced_lease("joulie-system", body)
    lease.spec.holder_identity = "b"
    again = api.replace_namespaced_lease("joulie-operator", "joulie-system", lease)
    check(again.spec.holder_identity == "b", again)


config.load_kube_config(sys.argv[1])
check(client.VersionApi().get_code().major == "1", "version")
nodes()
pods()
twins()
leases()
print("good")
