# SPDX-License-Identifier: Apache-2.0
"""What a type checker has to refuse: each line with # wrong is an error, no other is."""

import joulie

joulie.predict(cpu_sockets="two")  # wrong
joulie.predict(cpu_socket=2)  # wrong
joulie.predict(cpu_sockets=2, rules=joulie.Cooling.DLC)  # wrong
joulie.Cluster().sample("n1", "now")  # wrong
joulie.place_nodes(now_ms=0)  # wrong
joulie.place_nodes(work=joulie.Work(cpu_cores=8), now_ms=0, headroom=1.0)  # wrong
joulie.Work(cores=8)  # wrong
joulie.predict(cpu_sockets=2).power_headroom  # wrong
joulie.predict(cpu_sockets=2).power_headroom_score + 1  # wrong
joulie.Object.new("NodeTwin").set("spec.profile", ["eco"])  # wrong
joulie.abi.TwinInput().cpu_sockets.upper()  # wrong
joulie.Autoscaler(model="current")  # wrong
joulie.Autoscaler(find_zone=lambda name: 5)  # wrong
joulie.Autoscaler().put_sample("w-0", "now", tflops=5)  # wrong
joulie.Autoscaler().put_samples(workers=["w-0"], at_ms=0, vram=1.0)  # wrong
joulie.Autoscaler().step(0, limits=20)  # wrong
joulie.Autoscaler().step(0).limit_tflops + 1  # wrong
joulie.simulate_autoscale("step", card=1)  # wrong
joulie.predict(cpu_sockets=2, measured_node_power_w=None)
