"""The state shared by copies of cospot-evictor on several machines: database tables.

With [cospot_evictor] state_connection the service stores its state here instead of in local files.
docs/nova/several-machines.md explains why an order is given only once, regardless of clocks and of
network partitions.

=================  ================================================================================
schema             the tables and their versions
database           connections with a time limit, transactions, the database's clock
leases             locks that expire: who may work on a host, who manages the reserves
orders             deletions requested from Nova: one row per spot
notices            notices given to spots
stalled            hosts on which evictions free nothing
promise_records    promises to spots
opening            opens the database, or the machine's files
stores             one store of each kind, for the service
=================  ================================================================================

SQLAlchemy is imported only where the option is set.
"""
