"""What copies of cospot-evictor on several machines share: tables of a database.

With [cospot_evictor] state_connection the stores of the service are here instead of in files of its
machine; docs/nova/several-machines.md says why one order is given once, whatever the clocks say and
whoever cannot reach whom.

=================  ================================================================================
schema             the tables and their versions
database           connections with a time limit, transactions, the database's clock
leases             locks with an end: who may work on a host, who looks after the reserves
orders             deletions that Nova was asked for: one row a spot
notices            notices given to spots
stalled            hosts that free nothing
promise_records    what spots were promised
opening            opens the database, or the files of the machine
stores             one of each, for the service
=================  ================================================================================

SQLAlchemy is imported only where the option is set.
"""
