# SPDX-License-Identifier: Apache-2.0
"""What a trace needs at least on machines of which there are only so many (docs/rules/experiments.md#prices), written
a second time."""

from __future__ import annotations

from dataclasses import dataclass, field

SLOTS = 144
ROUNDS = 80

Prices = list[list[list[float]]]  # of each family's GPUs and of its cores, by slot, W of all that it has


@dataclass
class Machines:
    """Of one kind."""

    count: float
    cores: float
    gpus: float
    on_w: float


@dataclass
class Way:
    """To run a job on machines of a kind."""

    kind: int
    energy_j: float
    hold_s: float


@dataclass
class Order:
    """A job that wants room."""

    submit_s: float
    wait_s: float
    gpus: float
    cores: float
    ways: list[Way] = field(default_factory=list)


class Market:
    def __init__(self, kinds: list[Machines], orders: list[Order], end_s: float) -> None:
        self.kinds, self.orders, self.length_s = kinds, orders, end_s / SLOTS
        self.ends = [self.length_s * i for i in range(SLOTS + 1)]

    def paid(self, prices: Prices) -> Prices:
        found = []
        for both in prices:
            sums = []
            for own in both:
                sums.append([0.0])
                for price in own:
                    sums[-1].append(sums[-1][-1] + price * self.length_s)
            found.append(sums)
        return found

    def at(self, paid: list[float], time_s: float) -> float:
        slot = min(int(time_s / self.length_s), SLOTS)
        if slot == SLOTS:
            return paid[-1]
        part = time_s / self.length_s - slot
        return paid[slot] * (1 - part) + paid[slot + 1] * part

    def shares(self, order: Order, kind: int) -> tuple[float, float]:
        own = self.kinds[kind]
        return (
            order.gpus / (own.count * own.gpus) if order.gpus else 0.0,
            order.cores / (own.count * own.cores),
        )

    def starts(self, order: Order, hold_s: float) -> list[float]:
        last_s = order.submit_s + order.wait_s
        first, second = (int(t / self.length_s) for t in (order.submit_s, order.submit_s + hold_s))
        many = int(order.wait_s / self.length_s) + 3
        edges = self.ends[first : first + many]
        edges += [end - hold_s for end in self.ends[second : second + many]]
        inside = {edge for edge in edges if order.submit_s < edge < last_s}
        return [order.submit_s, last_s, *sorted(inside)]

    def best(self, order: Order, paid: Prices) -> tuple[float, Way | None, float]:
        least: tuple[float, Way | None, float] = (0.0, None, 0.0)
        for way in order.ways:
            shares = self.shares(order, way.kind)
            for start_s in self.starts(order, way.hold_s):
                cost_j = way.energy_j
                for share, own in zip(shares, paid[way.kind]):
                    if share:
                        cost_j += share * (self.at(own, start_s + way.hold_s) - self.at(own, start_s))
                if least[1] is None or cost_j < least[0]:
                    least = (cost_j, way, start_s)
        return least

    def visit(self, prices: Prices) -> tuple[float, Prices]:
        """What these prices show to be needed, and what is bought above what is offered."""
        paid, sum_j = self.paid(prices), 0.0
        excess = [[[0.0] * SLOTS, [0.0] * SLOTS] for _ in self.kinds]
        for order in self.orders:
            cost_j, way, start_s = self.best(order, paid)
            if way is None:
                continue
            sum_j += cost_j
            shares, end_s = self.shares(order, way.kind), start_s + way.hold_s
            for slot in range(int(start_s / self.length_s), SLOTS):
                seconds = min(end_s, self.ends[slot + 1]) - max(start_s, self.ends[slot])
                if self.ends[slot] >= end_s:
                    break
                for goods in (0, 1):
                    excess[way.kind][goods][slot] += shares[goods] * max(seconds, 0)
        for kind, own in enumerate(self.kinds):
            for slot in range(SLOTS):
                earned_w = prices[kind][0][slot] + prices[kind][1][slot] - own.count * own.on_w
                if earned_w >= 0:
                    sum_j -= earned_w * self.length_s
                    for goods in (0, 1):
                        excess[kind][goods][slot] -= self.length_s
        return sum_j, excess

    def first(self) -> Prices:
        return [
            [[own.count * max(own.on_w, 0) if by == goods else 0.0] * SLOTS for goods in (0, 1)]
            for own in self.kinds
            for by in [0 if own.gpus else 1]
        ]

    def least_j(self) -> float:
        prices = self.first()
        own_j, excess = self.visit(prices)
        most_j, gain_j, in_vain = own_j, abs(own_j) / 100, 0
        cells = [(k, g, s) for k in range(len(self.kinds)) for g in (0, 1) for s in range(SLOTS)]
        for _ in range(ROUNDS):
            pulls = {
                (k, g, s): excess[k][g][s]
                for k, g, s in cells
                if abs(excess[k][g][s]) >= 1e-6 * self.length_s
                and (prices[k][g][s] > 0 or excess[k][g][s] > 0)
            }
            length = sum(pull * pull for pull in pulls.values())
            for (k, g, s), pull in pulls.items():
                step = (most_j + gain_j - own_j) / length if length else 0.0
                prices[k][g][s] = max(prices[k][g][s] + step * pull, 0.0)
            own_j, excess = self.visit(prices)
            in_vain = 0 if own_j > most_j else in_vain + 1
            if own_j > most_j + gain_j / 2:
                gain_j *= 2
            if in_vain == 4:
                gain_j, in_vain = gain_j / 2, 0
            most_j = max(most_j, own_j)
        return most_j
