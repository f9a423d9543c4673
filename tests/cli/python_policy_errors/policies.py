"""Policies that break their contract, each in one way."""

import cospot


class Raises(cospot.Weigher):
    def weigh_host(self, host, request):
        return 1 / host.num_spots


class RaisesTwoLines(cospot.Filter):
    def filter_all(self, hosts, candidates, request):
        raise ValueError("first line\nsecond line")


class TooShort(cospot.Weigher):
    def weigh_all(self, hosts, candidates, request):
        return [1.0]


class Matrix(cospot.Weigher):
    def weigh_all(self, hosts, candidates, request):
        return [[1.0, 2.0]] * len(candidates)


class NotANumber(cospot.Weigher):
    def weigh_host(self, host, request):
        return float("nan")


class Infinite(cospot.Weigher):
    def weigh_all(self, hosts, candidates, request):
        return [float("inf")] * len(candidates)


class Texts(cospot.Weigher):
    def weigh_all(self, hosts, candidates, request):
        return ["high"] * len(candidates)


class Nothing(cospot.Weigher):
    def weigh_host(self, host, request):
        return None


class NoSuchTier(cospot.Weigher):
    def weigh_host(self, host, request):
        return 0

    def tier(self):
        return "top"


class EvictsTooLittle(cospot.Evictor):
    def make_plan(self, spots, shortfall, now_us):
        return [], 0


class EvictsOneTwice(cospot.Evictor):
    def make_plan(self, spots, shortfall, now_us):
        return [0, 0], 1


class EvictsNobody(cospot.Evictor):
    def make_plan(self, spots, shortfall, now_us):
        return [len(spots)], 1


class ChargesNothing(cospot.Evictor):
    def make_plan(self, spots, shortfall, now_us):
        return range(len(spots)), 0

    def victims_have_positive_cost(self):
        return True


class Halves(cospot.Evictor):
    def make_plan(self, spots, shortfall, now_us):
        return [0.5], 1


class NoPolicy:
    pass


class Unfinished(cospot.Weigher):
    pass


class NeedsDepth(cospot.Weigher):
    def __init__(self, depth, *, slope=1):
        if depth < 0:
            raise cospot.ConfigError(f"depth is {depth}, expected at least 0")
        if depth > 9:
            raise OverflowError("too deep")

    def weigh_host(self, host, request):
        return 0


a_function = len
