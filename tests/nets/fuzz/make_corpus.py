#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seed corpora of the fuzz targets: make_corpus.py VECTOR_DIR OUT_DIR.

Most seeds are the vectors; those of the cluster are bytes from a generator with fixed seeds, as each byte is a choice.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import random
import struct
import sys

INVENTORIES = (
    "nodes:\n  - node_name_prefix: sim\n    replicas: 3\n    cpu: AMD EPYC 9654\n    cpu_sockets: 2\n"
    "    cpu_cores: 192\n    memory_gib: 1536\n    labels: {zone: a}\n",
    "nodes:\n  - {node_name: gpu-0, vendor: nvidia, product: NVIDIA H100, gpu_count: 8, gpu_max_cap_watts: 700}\n"
    "  - {node_name: gpu-1, vendor: amd, product: Instinct MI300X, gpu_count: 4}\n",
    '{"nodes": [{"node_name_prefix": "a", "replicas": 2}, {"node_name_prefix": "b", "replicas": 5}]}',
    "nodes: [{node_name: a, labels: {kubernetes.io/hostname: b, joulie.io/managed: 'false'}, memory_gib: 1048576}]",
)

LARGE_JOB = (
    '{"type": "job", "jobId": "%d", "submitTimeOffsetSec": 315576000, "podTemplate": {"requests": {"cpu": "9E",'
    ' "memory": "9223372036854775807", "nvidia.com/gpu": "9223372036854775807"}},'
    ' "work": {"cpuUnits": 1.7e308, "gpuUnits": 1.7e308}}\n'
)

# Files of fuzz_host.c in its order, 0xFE between them; the last piece is names of more zones.
XEON = (
    b"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel name\t: Intel(R) Xeon(R) Gold 6530\n"
    b"physical id\t: 0\ncore id\t\t: 0\nflags\t\t: fpu\n",
    b"MemTotal:  131072 kB\n",
    b"3a1c9b52-0a0e-4a2f-9d9e-5f2f6f0f1a2b\n",
    *(b"package-0\n", b"1\n", b"120000000000\n", b"262143328850\n", b"long_term\n", b"205000000\n", b"205000000\n"),
    *(b"short_term\n", b"246000000\n", b"dram\n", b"30000000000\n", b"package-1\n", b"long_term\n", b"205000000\n"),
    b"package-0\n",
    *(b"0 1\n", b"intel_pstate\n", b"3500000\n", b"800000\n", b"3500000\n", b"2100000\n"),
    *(b"0\n", b"0\n", b"0\n", b"1\n", b"1\n", b"0-1\n", b"Node 0 MemTotal:  131072 kB\n"),
    *(b"0x030200\n", b"0x10de\n", b"0x2330\n", b"-1\n", b"1234567\n"),
    b"intel-rapl:2\0intel-rapl:a\nb\0power\0",
)
# the kinds of fuzz_host.c, and an errno for what can be opened
NO_FILE = [b"\xfd" + bytes([kind]) + errno for kind in range(6) for errno in (b"", b"\x3c", b"\x0c")]


# Requests of fuzz_apiserver.c: method and target, Content-Type, Accept, body.
API = "/apis/joulie.io/v1alpha1/nodetwins"
PODS = "/api/v1/namespaces/default/pods"
TWIN = '{"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"nodeName":"n","profile":"eco"}}'
NODE = (
    '{"metadata":{"name":"n","finalizers":["a.b/c"]},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]},'
    '"status":{"addresses":[{"type":"Hostname","address":"n"}],"conditions":[{"type":"Ready","status":"True"}]}}'
)
POD = '{"metadata":{"generateName":"p-","name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}'
EVENT = (
    '{"metadata":{"name":"e"},"involvedObject":{"kind":"Node","name":"n"},"message":"m","reason":"R","count":2}'
)
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PATCH = "application/%s-patch+json"
REQUESTS = (
    (
        ("GET " + API + "?watch=1&allowWatchBookmarks=true&labelSelector=a%3Db", "", "", ""),
        ("POST " + API + "?fieldValidation=Strict", "application/json", "", TWIN),
        ("PATCH " + API + "/n/status", PATCH % "merge", "", '{"status":{"schedulableClass":"eco"}}'),
        ("PATCH " + API + "/n", PATCH % "json", "", '[{"op":"replace","path":"/metadata/labels/a","value":"c"}]'),
        ("DELETE " + API + "/n", "", "", '{"preconditions":{"resourceVersion":"110"},"dryRun":["All"]}'),
    ),
    (
        ("POST /api/v1/nodes", "application/json", "", NODE),
        ("PATCH /api/v1/nodes/n", PATCH % "strategic-merge", "", '{"spec":{"$setElementOrder/taints":[],"taints":null}}'),
        ("GET /api/v1/nodes?watch=1&sendInitialEvents=true&allowWatchBookmarks=1", "", PARTIAL, ""),
        ("DELETE /api/v1/nodes/n", "", "", ""),
        ("GET /api/v1/nodes?limit=1&resourceVersion=110&resourceVersionMatch=Exact", "", TABLE, ""),
    ),
    (
        ("GET " + PODS + "?watch=1&fieldSelector=spec.nodeName%3Dn", "", "", ""),
        ("POST " + PODS, "application/yaml", "", POD),
        ("POST " + PODS + "/p/binding", "", "", '{"target":{"name":"n"}}'),
        ("PUT " + PODS + "/p", "", "", POD),
        ("POST " + PODS + "/p/eviction", "", "", '{"deleteOptions":{}}'),
        ("DELETE /api/v1/namespaces/default", "", "", ""),
    ),
    (
        ("POST /api/v1/namespaces/default/events", "", "", EVENT),
        ("GET /apis/events.k8s.io/v1/events?limit=1", "", TABLE, ""),
        ("GET /api/v1/events?watch=1&resourceVersion=1", "", "", ""),
        ("POST /faults", "", "", '{"gone":0.5,"internal":0.1,"seed":3}'),
        ("DELETE /api/v1/namespaces/default/events", "", "", ""),
    ),
)


# Of fuzz_texts.c, by the number of the parser.
TEXTS = (
    ("0", "-0", "-1.5e-7", "18446744073709551615", "9223372036854775807", "1e400", "4.9e-324", "42\n", "01", "0x1"),
    ("a=b,x.y/z!=c", "a in (b,c),!d", "n>5,n<20", "spec.nodeName=a,status.phase!=Running", "metadata.name==a\\,b"),
    ("2026-03-13T12:00:00Z", "2026-03-13T12:00:00.000001+01:00", "1h30m", "250us", "5m0.5s", "15m"),
    ("node-0", "a.b/c", "AMD EPYC 9654 96-Core Processor", "NVIDIA H100 80GB HBM3", "joulie-agent-pool-3", "64"),
    ("http://{node}:8080/power?node={node}", "node-0.example"),
    (
        "12 (a b) (c)) S 1 1",
        "some avg10=0.12 avg60=1.00 avg300=0.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
        "usage_usec 12\nuser_usec 7\nsystem_usec 5\nnr_periods 0\n",
        "max 100000\n",
        "50000 100000\n",
    ),
    ("0b1c2d3e-0000-4000-8000-1a2b3c4d5e6f", "containerd://0123456789abcdef", "../x", "cri-o://a/b"),
    (
        '{"packagePowerWatts":120,"node":{"power":400},"ts":"2026-03-13T12:00:00Z"}',
        '{"cpu":{"packagePowerWatts":120,"utilization":0.5},"gpu":{"powerWattsPerGpu":200}}',
    ),
    ("performance", "true", "high", "12.5", "NaN"),
    (
        '{"needScaleUp":true,"needScaleDown":false,"reason":"r","recommendedResources":{"requests":{"tflops":"50",'
        '"vram":"2Gi"},"limits":{"tflops":"100","vram":"4Gi"}}}',
    ),
    ("0.2", " 20% ", "5.0", "$0.01", "1e3", "-1", "100.5%"),
)
VECTORS_WITH_TEXT = {  # question of the vectors -> parser
    "quantity": 0, "selector.match": 1, "duration": 2, "time": 2, "name": 3, "name.valid": 3, "telemetry.power": 7,
    "ratio": 10, "gpu.price": 10,
}
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: c, user: u, namespace: n}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:8001/", proxy-url: "http://p:1"}}]
users: [{name: u, user: {token: abc, as: x, as-groups: [g], as-user-extra: {k: [v]}}}]
"""
EXEC = """exec: {apiVersion: client.authentication.k8s.io/v1, command: ./p, args: [a], env: [{name: A, value: b}],
    interactiveMode: Never, provideClusterInfo: true, installHint: h}"""
SETTINGS = (
    "CONTROL_INTERVAL=2s\nNODE_COUNT = 3 # three\n\n# nothing\nCAP_PCT=60.5\n\0--base-share=0.25\0--is-on\0",
    "CONTROLLER=two\n\0--node-name\0n1\0--control-interval\x001h\0--is-on=no\0",
    "NODE_NAME=\"a b\"\n\0--help\0",
)
FAMILIES = 46  # of fuzz_rules.c

USAGE_TRACES = (
    "t,worker,tflops,vram,limit\n100,a,10,2Gi,20\n105,b,5,3Gi,\n107,b,7,1Gi,\r\n\n130,a,20,2Gi,20\n",
    "worker,t,vram,tflops,throttled\nw,2026-03-13T11:59:40Z,2Gi,19.2,1\nw,2026-03-13T12:00:00Z,2Gi,20,4\n",
    "t,worker,tflops,vram\n0,a,10,1\n600,a,20,1\n0,b,1e14,100T\n",
    "t,worker,tflops,vram,limit\n0,a,-10,1\n60,a,10,-1\n70,a,1,1,-1\n,b,,\n9000000,c,1e400,1Qi\n",
    '{"worker":"w","t":"2026-03-13T11:59:40Z","tflops":19.2,"vram":"2Gi"}\n\n'
    '{"worker":"w","t":1773403200.5,"tflops":20,"vram":"2Gi","tflopsLimit":20,"throttledCount":1}',
)


# Paths and values of fuzz_object.c; a value is also a patch.
PATHS = (
    ("spec.cpu.packagePowerCapPctOfMax", "60.5"),
    ("metadata.labels[\"joulie.io/a\"]", "text"),
    ("status.cpu.packages[0].index", '[{"op":"add","path":"/status","value":{"cpu":null}}]'),
    ("status.rescheduleRecommendations[1].workloadRef.name", '{"spec":{"profile":null,"new":[1.0]}}'),
)


def http_step(what: int, much: int, text: bytes = b"", who: int = 0) -> bytes:
    return bytes([what * 4 + who, much]) + text


# Steps of fuzz_http_server.c: 0 what follows, 3 the request of a number, 6 a part of it, 7 a flood, 8 a call goes on,
# 10 read, 11 close, 12 an end, 13 time goes on, 14 the next comes at once, 15 the server drains.
HTTP_STEPS = (
    b"".join(http_step(3, number) for number in range(20)) + http_step(10, 0),
    b"".join(http_step(3, number, who=number % 4) + http_step(14, 0) for number in range(20)),
    http_step(3, 1) + http_step(8, 0) + http_step(10, 0) + http_step(3, 8, who=1) + http_step(11, 0),
    http_step(3, 2) + http_step(8, 0) * 3 + http_step(8, 2) + http_step(12, 0) + http_step(13, 255),
    http_step(3, 3) + http_step(8, 1) * 8 + http_step(10, 0) + http_step(8, 3),
    http_step(6, 8) + http_step(13, 90) + http_step(13, 90) + http_step(3, 0),
    http_step(3, 9) + http_step(7, 1) + http_step(10, 0),
    http_step(0, 20, b"GET /e HTTP/1.1\r\nA: ") + http_step(7, 0) + http_step(7, 3, who=1),
    http_step(3, 12) + http_step(0, 60, b"POST /e HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    + http_step(7, 2) + http_step(10, 0),
    http_step(3, 1) + http_step(3, 2, who=1) + http_step(15, 255) + http_step(8, 2) + http_step(13, 200),
)


ZONES = pathlib.Path(__file__).resolve().parents[2] / "support" / "fixtures" / "zoneinfo"


def write(folder: pathlib.Path, text: str | bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def main() -> None:
    vectors, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for requests in REQUESTS:
        write(out / "apiserver", "\x1e".join("\n".join(request) for request in requests))
    lines = []
    for path in sorted(vectors.glob("*.json")):
        for case in json.loads(path.read_text())["cases"]:
            question, document = case["question"], case["in"]
            text = json.dumps(document, ensure_ascii=False)
            write(out / "ask", question + "\n" + text)
            write(out / "json", text)
            write(out / "yaml", text)
            for value in document.values() if question in VECTORS_WITH_TEXT else ():
                if isinstance(value, str):
                    write(out / "texts", bytes([VECTORS_WITH_TEXT[question]]) + value.encode(errors="surrogatepass"))
            if question == "threads.train.analyze" and "trace" in document:
                write(out / "capture", document["trace"])
            if question == "prometheus.value":
                body = document.get("body")
                write(out / "prometheus", body if isinstance(body, str) else json.dumps(body))
            if question in ("quantity", "duration", "time") and isinstance(document.get("text"), str):
                write(out / "quantity", document["text"])
            if question == "convert":
                for target in range(3):
                    write(out / "convert", bytes([target]) + text.encode())
            if question == "score":
                names = [node.get("name") for node in document["nodes"]]
                nodes = [{"metadata": {k: n.get(k) for k in ("name", "labels")}} for n in document["nodes"]]
                args = {"Pod": document["pod"], "Nodes": None, "NodeNames": [*names, "eco-1"]}
                write(out / "extender", json.dumps(args))
                args = {"Pod": document["pod"], "Nodes": {"items": nodes}, "NodeNames": None}
                write(out / "extender", json.dumps(args, ensure_ascii=False))
            if question == "validate":
                for path, value in PATHS:
                    write(out / "object", f"{path}\n{value}\n{text}")
            if question == "patch" and document.get("type") == "json":
                both = json.dumps(document["target"]) + "\n" + json.dumps(document["patch"])
                write(out / "json_patch", both)
            if question == "journal":
                journal = document.get("text") or case["out"].get("line", "")
                is_v1 = not (document.get("version") == 2 or journal.startswith("joulie-journal"))
                target = out / ("journal_v1" if is_v1 else "journal")
                write(target, journal)
                write(target, "".join(line[9:] for line in journal.splitlines(True)))
            if question == "watch.step" and "event" in document:
                event = document["event"]
                write(out / "watch", json.dumps(event) + "\n")
                write(out / "watch", "\n".join(json.dumps(part) for part in (event, event["object"])) + "\r\n\n")
            if question == "http.retry":
                write(out / "watch", json.dumps({"kind": "Status", **document}) + "\n")
            if question == "cron.active":
                write(out / "cron", document["start"] + "\n" + document["end"])
            if question == "trace.line" and isinstance(document.get("line"), str):
                write(out / "trace", document["line"])
                lines.append(document["line"])
    for text in ("a: 1\nb: [x, {c: 'd'}]\n---\n- &x 1\n- *x\n", "a: |\n  text\n  more\n? b\n: >-\n  folded\n"):
        write(out / "yaml", text)
    for start in range(0, len(lines), 4):
        named = (line.replace('"j"', f'"j{i}"') for i, line in enumerate(lines[start : start + 8]))
        write(out / "trace", "\n".join(named) + "\n")
    for text in (*INVENTORIES, LARGE_JOB % 1 + LARGE_JOB % 2):
        write(out / "trace", text)
    for action, key in (
        ("rapl.set_power_cap_watts", "capWatts"),
        ("dvfs.set_throttle_pct", "throttlePct"),
        ("gpu.set_power_cap_watts", "capWattsPerGpu"),
    ):
        for value in (-1, 0, 40, 1e300):
            write(out / "control", json.dumps({"node": "c", "action": action, key: value, "ts": "now"}))
    write(out / "host", b"\xfe".join(XEON))
    for index in range(len(XEON)):
        for kind in NO_FILE:
            write(out / "host", b"\xfe".join((*XEON[:index], kind, *XEON[index + 1 :])))
    for parser, texts in enumerate(TEXTS):
        for text in texts:
            write(out / "texts", bytes([parser]) + text.encode())
    for text in ("1.5", "NaN", "+Inf", "1e-7"):
        write(out / "prometheus", '{"status":"success","data":{"result":[{"value":[1,"%s"]}]}}' % text)
        write(out / "prometheus", text)
    for name in ("http://127.0.0.1:8001/", "https://[::1]:6443"):
        write(out / "kubeconfig", KUBECONFIG.replace("http://127.0.0.1:8001/", name))
    write(out / "kubeconfig", KUBECONFIG.replace("token: abc", EXEC))
    for text in ("/api/v1/pods?watch=1&labelSelector=a%3Db", "/a%2Fb//c/", "/?a=%zz&b", "http://h/x", "*"):
        write(out / "http_target", text)
    for steps in HTTP_STEPS:
        for limits in (3, 0x83, 0xC3):
            write(out / "http_server", bytes([limits]) + steps)
    for text in SETTINGS:
        write(out / "setting", text)
    for file in ZONES.glob("*/*"):
        write(out / "zone", file.read_bytes())
    for text in USAGE_TRACES:
        write(out / "usage_trace", text)
    key = b"rapl/package-0/long_term".ljust(64, b"\0")
    for kind, items in enumerate((b"api".ljust(72, b"\0"), b"", key + bytes(8), key, key, b"", b""), 1):
        head = struct.pack("=6I", 1, kind, 0, int(items != b""), 0, 0)
        write(out / "wire", head + items)
        write(out / "wire", head + bytes(264) + bytes(56 * int(kind == 3) + 32 * int(kind == 4)))
    # of fuzz_autoscale_state.c: what the others are, the model and the profile; the third are plays
    for first in range(12):
        write(out / "autoscale_state", bytes([first]) + b"\1" + bytes(60))
        write(out / "autoscale_state", bytes([first]) + b'{"version":1,"crc32":0,"data":"AQAA"}')
        for seed in range(4):
            write(out / "autoscale_state", bytes([first]) + random.Random(seed).randbytes(80 + 80 * seed))
    for family in range(FAMILIES):
        for seed in range(6):
            write(out / "rules", bytes([family]) + random.Random(seed).randbytes(50 + 50 * seed))
    for seed in range(64):
        write(out / "cluster", random.Random(seed).randbytes(40 + 6 * seed))
        write(out / "twin_columns", random.Random(seed).randbytes(8 * seed))


if __name__ == "__main__":
    main()
