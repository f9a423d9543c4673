"""The service `cospot-evictor`: evicts spots where VMs and spots together need too much.

Nova claims a host for a VM as if there were no spots; this service then evicts as many spots of
that host as the VM needs. It believes nothing but placement and Nova: a plan from the scheduler
only says which spots to prefer, and every spot is checked again right before its eviction.
docs/nova/evictor.md is its manual.

How a spot comes to be evicted, and which module says so::

    the scheduler's plan -> plans --.
                                    |-> reconcile: which host is next
    placement -> hosts: who is  ----'      |
                 overcommitted             v
                     |              host_reconcile: one iteration on one host, under its lock
                     |                observer       asks all that it depends on, at once
                     |                snapshot       what is there, what may be evicted
                     |                picks, victims which of it goes first, and together
                     |                causes         what must become free, and why
                     |                stalled_hosts  whether anything goes there at all
                     v                     |
              reserve_keeper               v
                reserves, notices -> executor: switches, limits, audit log; Nova
                                               freed_watch: wait until it is free

Where a line of code belongs; a module imports only from lines above its own, and from
`cospot.nova.state`, which has the errors, the records for people, the switches and all stores:

==============  ===================================================================================
at_once         several questions at once
model           values that placement and Nova answer with: `HostUsage`, `Server`
told_options    what may be configured of what it tells
options         what may be configured
cloud           the wire: all that placement and Nova are asked, all that Nova is told
deletions       for how long spots have been going
snapshot        one host and its spots; the rule of what may be evicted
observer        asks about one host, several questions at once; the check of a spot
victims         the choice among the spots of a host: those without a promise first
promise_keeper  knows who was promised a lifetime, and counts which promises are kept
context         `EvictorContext`: one of each of the above, shared by all parts below
hosts           all hosts: when each was last within its capacity, which are overcommitted now
causes          what made a host's excess, what must become free for it
plans           plans received, and the claims of their instances waited for
stalled_hosts   hosts that free nothing of what was ordered there
owner_news      tells owners in Nova why their spots go
freed_watch     waits until evicted spots hold nothing any more
executor        the one place that evicts
new_claims      claims of VMs that have just come, and those that come to nothing
picks           the choice of the next spots on a host, and of those ordered together
host_reconcile  the reconcile iteration: the next spot of one host, until its VMs have enough
reserves        a reserve: its hosts as the compiled rule sees them, and troubled spots
notices         notices given to spots and withdrawn
reserve_orders  evicts spots whose notice has run out, and follows them
reserve_keeper  keeps reserves free: notices first, evictions when they have run out
reconcile       the queue of hosts, and the loop over all of them
signal_keeper   signals for customers, from what Nova and the audit log say of spots
vendordata      what a spot is told of itself, by Nova's dynamic vendordata
signal_tls      the certificates of the port
signal_server   the port where that is asked
service         makes the parts, starts, reloads and stops them
command         the program: configuration, signals
==============  ===================================================================================

Who owns what: `service` owns the parts and their threads. A part owns its own state and takes the
context, never another service. Decisions about a host are made under that host's lock, those about
notices under the lock "notices". Settings are read from `context.settings`, a snapshot that is
replaced whole; nothing that decides reads oslo.config.
"""
