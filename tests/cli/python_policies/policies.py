"""The compiled policies UTIL, FIFO and SpotAvoiding, written again in Python."""

import cospot


class Util(cospot.Weigher):
    """Used vcpus of one host, spots ignored."""

    def weigh_host(self, host, request):
        return host.vcpus_total - host.vcpus_free_ignoring_spots


class UtilBatch(cospot.Weigher):
    """The same for all hosts at once, scaled, which changes no rank."""

    def __init__(self, scale=1):
        self.scale = scale

    def weigh_all(self, hosts, candidates, request):
        return self.scale * (hosts.vcpus_total - hosts.vcpus_free_ignoring_spots)[candidates]


class SpotAvoiding(cospot.Filter):
    """Hosts with room beside all their spots first."""

    def host_passes(self, host, request):
        return request.resources.fits_in(host.free)

    def mode(self):
        return "prefer"


class Fifo(cospot.Evictor):
    """The spots placed first go first."""

    def make_plan(self, spots, shortfall, now_us):
        missing = shortfall
        for position, spot in enumerate(spots):
            missing = missing - spot.resources
            if missing.fits_in(cospot.ResourceVector(0, 0)):
                return list(range(position + 1)), position + 1
        return None

    def victims_have_positive_cost(self):
        return True
