"""A study file for every study: small, next to its inputs, in a folder of tests/cli."""

#: A comparison of one run.
ONE_RUN = (
    "workloads: [{synthetic: azure2020, seed: 1, scale: 0.002}]\n"
    "host: {vcpus: 10400, memory_mb: 2250}\nheadroom_percent: 0\nvm: COS\nspot: sDPD\n"
    "evictor: FIFO\nsaf: false\notn: 1\n"
)

#: A VM and a spot, and the study of one run of them.
REQUESTS = """\
instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s
i0,t,vm,6,2,0,0,864000
i1,t,spot,2,4,0,0,864000
"""
FIRST_FIT = """\
workloads: r.csv
host: {vcpus: 10, memory_mb: 10}
hosts: 3
vm: UTIL
spot: FirstFit
evictor: FIFO
saf: false
otn: 1
"""

SMALL_STUDIES = {
    "compare": "compare/sweep.yaml", "degradation": "degradation/sweep.yaml",
    "economy": "economy/study.yaml", "levels": "levels/study.yaml", "sla": "sla/study.yaml",
    "broker": "broker/broker.yaml", "deadline": "broker/deadline.yaml",
    "classes": "classes/classes.yaml", "life": "life/study.yaml",
    "schedulers": "schedulers/study.yaml", "notice": "notice/study.yaml",
    "signals": "signals/signals.yaml",
}  # fmt: skip
