"""What the policies above an agent allow together: each must allow, so limits are the smallest and lists the
intersection.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from payments.models import Agent, Policy
from payments.models.policies import ANY
from payments.models.scopes import above


@dataclass(frozen=True)
class AssetRule:
    """Per-call maximum, and the amount above which a person approves (None: never), in units."""

    per_call_maximum: int
    approve_above: int | None

    def and_also(self, other: AssetRule) -> AssetRule:
        approvals = [rule.approve_above for rule in (self, other) if rule.approve_above is not None]
        return AssetRule(min(self.per_call_maximum, other.per_call_maximum), min(approvals) if approvals else None)


@dataclass(frozen=True)
class Allowed:
    """A list of a policy: the names that are allowed, or all."""

    names: frozenset[str] = frozenset()
    everything: bool = False

    @classmethod
    def of(cls, names: Iterable[str]) -> Allowed:
        found = frozenset(names)
        return cls(everything=True) if ANY in found else cls(found)

    def and_also(self, other: Allowed) -> Allowed:
        if self.everything:
            return other
        return self if other.everything else Allowed(self.names & other.names)

    def allows(self, name: str) -> bool:
        return self.everything or name in self.names


@dataclass(frozen=True)
class EffectivePolicy:
    """What an agent may do. Without a policy in force anywhere above it, nothing."""

    networks: Allowed = Allowed()
    sellers: Allowed = Allowed()
    hosts: Allowed = Allowed()
    tools: Allowed = Allowed()
    assets: dict[int, AssetRule] = field(default_factory=dict)
    allow_unverified_domain: bool = False
    refuse_changed_pay_to: bool = True
    policy_versions: tuple[tuple[int, int], ...] = ()


def effective_policy(agent: Agent) -> EffectivePolicy:
    """The policies in force of the agent, its team and its organisation, intersected."""
    policies = Policy.objects.filter(above(agent), state=Policy.State.PUBLISHED).prefetch_related("assets")
    combined: EffectivePolicy | None = None
    for policy in policies.order_by("id"):
        single = _single(policy)
        combined = single if combined is None else _both(combined, single)
    return combined or EffectivePolicy()


def _single(policy: Policy) -> EffectivePolicy:
    return EffectivePolicy(
        networks=Allowed.of(policy.networks),
        sellers=Allowed.of(policy.sellers),
        hosts=Allowed.of(policy.hosts),
        tools=Allowed.of(policy.tools),
        assets={row.asset_id: AssetRule(row.per_call_maximum, row.approve_above) for row in policy.assets.all()},
        allow_unverified_domain=policy.allow_unverified_domain,
        refuse_changed_pay_to=policy.refuse_changed_pay_to,
        policy_versions=((policy.pk, policy.policy_version),),
    )


def _both(left: EffectivePolicy, right: EffectivePolicy) -> EffectivePolicy:
    shared = left.assets.keys() & right.assets.keys()
    return EffectivePolicy(
        networks=left.networks.and_also(right.networks),
        sellers=left.sellers.and_also(right.sellers),
        hosts=left.hosts.and_also(right.hosts),
        tools=left.tools.and_also(right.tools),
        assets={asset: left.assets[asset].and_also(right.assets[asset]) for asset in shared},
        allow_unverified_domain=left.allow_unverified_domain and right.allow_unverified_domain,
        refuse_changed_pay_to=left.refuse_changed_pay_to or right.refuse_changed_pay_to,
        policy_versions=left.policy_versions + right.policy_versions,
    )
