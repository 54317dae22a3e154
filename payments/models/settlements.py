"""What the facilitator settles: the payments it was given, the transactions it made of them, the accounts they leave
from.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from bazaar.models import Asset, Network, rules
from lensproject.core import triggers
from lensproject.core.amounts import MAX_UNITS, UnitsField
from lensproject.core.ids import public_id
from payments.models.agents import ApiKey


def settlement_id() -> str:
    return public_id("settlement")


class SourceAccount(models.Model):
    """An account of the facilitator that transactions leave from, one at a time: a channel account.

    Its key is a file under `var/keys`, named here and never held here. While `holder` is set, until `leased_until`,
    one settlement prepares a transaction with it; a transaction that is under way keeps it beyond that.
    """

    class State(models.TextChoices):
        ACTIVE = "active", "Active"
        LOW = "low", "Too little left for fees"
        PAUSED = "paused", "Paused"

    network = models.ForeignKey(Network, on_delete=models.PROTECT, related_name="source_accounts")
    address = models.CharField(max_length=56, validators=[rules.address])
    key_name = models.CharField("key", max_length=64, help_text="Name of the file under var/keys with its secret.")
    state = models.CharField(max_length=6, choices=State.choices, default=State.ACTIVE)
    holder = models.CharField(max_length=48, blank=True, default="")
    leased_until = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField("last used", null=True, blank=True)

    class Meta:
        ordering = ("network_id", "id")
        constraints = (
            models.UniqueConstraint(fields=("network", "address"), name="source_account_once"),
            models.CheckConstraint(condition=~Q(address=""), name="source_account_address_given"),
            models.CheckConstraint(
                condition=~Q(key_name="") & ~Q(key_name__contains="/") & ~Q(key_name__startswith="."),
                name="source_account_key_is_a_file_name",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("active", "low", "paused")), name="source_account_state_known"
            ),
            models.CheckConstraint(
                condition=Q(holder="", leased_until__isnull=True) | (~Q(holder="") & Q(leased_until__isnull=False)),
                name="source_account_lease_whole",
            ),
        )

    def __str__(self) -> str:
        return f"{self.address[:6]}…{self.address[-4:]} on {self.network.name}"


class FacilitatorSettlement(models.Model):
    """One signed payment that the facilitator was asked to settle: there is one row for (network, payer, nonce).

    `payload_hash` and `requirements_hash` say what exactly was asked, `resource_url` and `api_key` for what and by
    whom. `holder` works on it until `leased_until`; whoever finds that past goes on from the row.
    """

    class State(models.TextChoices):
        WORKING = "working", "Under way"
        SETTLED = "settled", "Settled"
        FAILED = "failed", "Failed, nothing moved"
        USED = "used", "Used by another transaction"

    public_id = models.CharField(max_length=48, unique=True, default=settlement_id, editable=False)
    network = models.ForeignKey(Network, on_delete=models.PROTECT, related_name="+")
    payer = models.CharField(max_length=56)
    nonce = models.BigIntegerField()
    pay_to = models.CharField("payTo", max_length=56)
    asset = models.ForeignKey(Asset, on_delete=models.PROTECT, related_name="+")
    units = UnitsField("amount (units)")
    expiration = models.PositiveBigIntegerField("last valid ledger")
    payload_hash = models.CharField(max_length=64)
    requirements_hash = models.CharField(max_length=64)
    resource_url = models.CharField("resource", max_length=2048, blank=True)
    api_key = models.ForeignKey(
        ApiKey, on_delete=models.PROTECT, null=True, blank=True, related_name="+", verbose_name="API key"
    )
    state = models.CharField(max_length=7, choices=State.choices, default=State.WORKING)
    holder = models.CharField(max_length=48, blank=True, default="")
    leased_until = models.DateTimeField(null=True, blank=True)
    transaction = models.CharField(max_length=64, blank=True, help_text="Hash of the transaction that settled it.")
    ledger = models.PositiveBigIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(fields=("network", "payer", "nonce"), name="settlement_nonce_once"),
            models.CheckConstraint(
                condition=Q(state__in=("working", "settled", "failed", "used")), name="settlement_state_known"
            ),
            models.CheckConstraint(condition=Q(units__gte=1, units__lte=MAX_UNITS), name="settlement_amount_positive"),
            models.CheckConstraint(
                condition=~Q(payer="") & ~Q(pay_to="") & ~Q(payer=F("pay_to")), name="settlement_payer_is_not_payee"
            ),
            models.CheckConstraint(
                condition=~Q(payload_hash="") & ~Q(requirements_hash=""), name="settlement_hashes_given"
            ),
            models.CheckConstraint(
                condition=Q(state="working", ended_at__isnull=True, leased_until__isnull=False)
                | (~Q(state="working") & Q(ended_at__isnull=False, leased_until__isnull=True, holder="")),
                name="settlement_worked_on_until_it_ended",
            ),
            models.CheckConstraint(
                condition=(Q(state="settled", ledger__isnull=False) & ~Q(transaction=""))
                | (~Q(state="settled") & Q(transaction="", ledger__isnull=True)),
                name="settlement_settled_by_a_transaction",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("working", "settled"), reason="")
                | (~Q(state__in=("working", "settled")) & ~Q(reason="")),
                name="settlement_failed_for_a_reason",
            ),
        )
        indexes = (
            # For the worker: what nobody goes on with. The other two: who made us pay fees for nothing.
            models.Index(fields=("leased_until",), name="settlement_left", condition=Q(state="working")),
            models.Index(fields=("payer", "id"), name="settlement_of_payer"),
            models.Index(fields=("pay_to", "id"), name="settlement_of_payee"),
        )

    def __str__(self) -> str:
        return self.public_id


class SettlementAttempt(models.Model):
    """One transaction that was made for a settlement, stored before it is sent for the first time.

    Fees are in stroops. `max_ledger` is exclusive: from that ledger on the transaction cannot be applied.
    `outer_hash` is set for a fee bump. The envelope is blanked when the attempt has ended.
    """

    class State(models.TextChoices):
        OPEN = "open", "Under way"
        SUCCESS = "success", "Applied"
        FAILED = "failed", "Applied and failed"
        REFUSED = "refused", "Refused by the node"
        IMPOSSIBLE = "impossible", "Out of time, never applied"

    settlement = models.ForeignKey(FacilitatorSettlement, on_delete=models.PROTECT, related_name="attempts")
    source_account = models.ForeignKey(SourceAccount, on_delete=models.PROTECT, related_name="attempts")
    sequence = models.BigIntegerField()
    envelope = models.TextField(blank=True)
    inner_hash = models.CharField("hash", max_length=64, db_index=True)
    outer_hash = models.CharField("hash of the fee bump", max_length=64, blank=True)
    made_at_ledger = models.PositiveBigIntegerField()
    max_ledger = models.PositiveBigIntegerField()
    fee_ceiling = UnitsField("fee, at most (stroops)")
    fee_charged = UnitsField("fee charged (stroops)", null=True, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    unanswered = models.BooleanField("a send had no answer", default=False)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=("settlement",), condition=Q(state="open"), name="settlement_attempt_one_open"
            ),
            models.UniqueConstraint(
                fields=("source_account",), condition=Q(state="open"), name="settlement_attempt_one_open_per_account"
            ),
            models.CheckConstraint(
                condition=Q(state__in=("open", "success", "failed", "refused", "impossible")),
                name="settlement_attempt_state_known",
            ),
            models.CheckConstraint(
                condition=(Q(state="open", ended_at__isnull=True) & ~Q(envelope=""))
                | (~Q(state="open") & Q(envelope="", ended_at__isnull=False)),
                name="settlement_attempt_kept_until_it_ended",
            ),
            # What a node refused may be sent again: within a second it is the same transaction.
            models.UniqueConstraint(
                fields=("inner_hash",), condition=~Q(state="refused"), name="settlement_attempt_hash_once"
            ),
            models.CheckConstraint(condition=~Q(inner_hash=""), name="settlement_attempt_hash_given"),
            models.CheckConstraint(
                condition=Q(fee_ceiling__gte=1, fee_ceiling__lte=MAX_UNITS),
                name="settlement_attempt_fee_ceiling_positive",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("success", "failed"), fee_charged__isnull=False, fee_charged__gte=0)
                | (~Q(state__in=("success", "failed")) & Q(fee_charged__isnull=True)),
                name="settlement_attempt_fee_charged_when_applied",
            ),
        )
        indexes = (models.Index(fields=("ended_at",), name="settlement_attempt_failed", condition=Q(state="failed")),)

    def __str__(self) -> str:
        return f"{self.inner_hash[:8]}… for {self.settlement_id}"

    @property
    def hash(self) -> str:
        """The hash that a node is asked for."""
        return self.outer_hash or self.inner_hash


triggers.immutable(
    "settlement_identity_fixed",
    "payments_facilitatorsettlement",
    ("public_id", "network_id", "payer", "nonce", "pay_to", "asset_id", "units", "expiration", "payload_hash"),
    message="a settlement is of one signed payment",
)
triggers.guard(
    "settlement_end_is_final",
    "payments_facilitatorsettlement",
    refuse_when='OLD."state" IN (\'settled\', \'used\') AND NEW."state" <> OLD."state"',
    message="what was settled stays settled",
    events=("UPDATE",),
)
triggers.immutable(
    "settlement_attempt_identity_fixed",
    "payments_settlementattempt",
    ("settlement_id", "source_account_id", "sequence", "inner_hash", "outer_hash", "max_ledger", "fee_ceiling"),
    message="an attempt is one transaction",
)
triggers.guard(
    "settlement_attempt_end_is_final",
    "payments_settlementattempt",
    refuse_when='OLD."state" <> \'open\' AND NEW."state" <> OLD."state"',
    message="a transaction has one outcome",
    events=("UPDATE",),
)
triggers.immutable(
    "source_account_identity_fixed",
    "payments_sourceaccount",
    ("network_id", "address", "key_name"),
    message="transactions name this account; make another row",
)
