"""The modules that `cospot-evictor` needs: its tests are skipped where one is missing."""

import keystoneauth1  # noqa: F401
import oslo_messaging  # noqa: F401
import prometheus_client  # noqa: F401
import tooz  # noqa: F401
