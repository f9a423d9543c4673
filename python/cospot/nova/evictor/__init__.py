"""The service `cospot-evictor`: frees the room on hosts whose VMs and spots together need too much.

Nova claims a host for a VM as if there were no spots; this service then deletes as many spots of
that host as the VM needs. It believes nothing but placement and Nova: a plan from the scheduler
only says which spots to prefer (`plan_book`, `intake`), and every kill is checked again right
before it (`kill_checks`). docs/nova/evictor.md is its manual.
"""
