"""The state of the evictor: errors, records, switches, limits, locks and stores.

With [cospot_evictor] state_connection the service stores its state in tables of a database that
copies on several machines share, else in local files. docs/nova/configuration.md explains why an
order is given only once, regardless of clocks and of network partitions.

=================  ================================================================================
errors             errors from which the service recovers
records            for people: log, audit log, metrics
safeguards         switches, limits and locks that hold an eviction back
stores             plans in memory; stalled hosts and notices in local files
pending            deletions that Nova has not answered, in local files
schema             the tables and their versions
database           connections with a time limit, transactions, the database's clock
leases             locks that expire: who may work on a host, who manages the reserves
orders             deletions requested from Nova: one row per spot
notices            notices given to spots
stalled            hosts on which evictions free nothing
promise_records    promises to spots
opening            opens the database, or the machine's files
opened_stores      one store of each kind, for the service
=================  ================================================================================

SQLAlchemy is imported only where the option is set.
"""
