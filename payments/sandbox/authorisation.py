"""Soroban authorisations: what an address signed, until when, and that it is used once.

Source: the host's rules for address credentials, legacy (`ADDRESS`) and bound to the address (`ADDRESS_V2`, CAP-71).
"""

from __future__ import annotations

import secrets
from hashlib import sha256

from stellar_sdk import Address, StrKey, scval, xdr

from payments.sandbox import entries
from payments.sandbox.errors import CODE, HostError, auth_error
from payments.sandbox.network import MAX_ENTRY_TTL, Network
from payments.sandbox.presence import present
from payments.sandbox.signatures import MEDIUM, is_signed, threshold, weight_of
from payments.sandbox.state import State

_TYPE = xdr.SorobanCredentialsType
MOST_SIGNATURES = 20


def payload(
    network_id: bytes, credentials: xdr.SorobanCredentials, invocation: xdr.SorobanAuthorizedInvocation
) -> bytes:
    """The 32 bytes that address credentials sign: SHA-256 of the preimage of their kind."""
    signed = present(address_credentials(credentials))
    if credentials.type is _TYPE.SOROBAN_CREDENTIALS_ADDRESS:
        preimage = xdr.HashIDPreimage(
            xdr.EnvelopeType.ENVELOPE_TYPE_SOROBAN_AUTHORIZATION,
            soroban_authorization=xdr.HashIDPreimageSorobanAuthorization(
                xdr.Hash(network_id), signed.nonce, signed.signature_expiration_ledger, invocation
            ),
        )
    else:
        preimage = xdr.HashIDPreimage(
            xdr.EnvelopeType.ENVELOPE_TYPE_SOROBAN_AUTHORIZATION_WITH_ADDRESS,
            soroban_authorization_with_address=xdr.HashIDPreimageSorobanAuthorizationWithAddress(
                xdr.Hash(network_id), signed.nonce, signed.signature_expiration_ledger, signed.address, invocation
            ),
        )
    return sha256(preimage.to_xdr_bytes()).digest()


def address_credentials(credentials: xdr.SorobanCredentials) -> xdr.SorobanAddressCredentials | None:
    """The address part of the two kinds that are checked here; None for all others."""
    if credentials.type is _TYPE.SOROBAN_CREDENTIALS_ADDRESS:
        return credentials.address
    return credentials.address_v2 if credentials.type is _TYPE.SOROBAN_CREDENTIALS_ADDRESS_V2 else None


class Enforced:
    """Every `require_auth` must find an entry of the operation that covers exactly this call, and that is good."""

    def __init__(self, network: Network, source: str, given: list[xdr.SorobanAuthorizationEntry]) -> None:
        self.network = network
        self.source = source
        self.unused = list(given)

    def require(self, state: State, address: str, call: xdr.InvokeContractArgs) -> None:
        for entry in self.unused:
            if self._address(entry) == address and _covers(entry.root_invocation, call):
                self._check(state, entry)
                self.unused.remove(entry)
                return
        raise auth_error(CODE.SCEC_INVALID_ACTION, f"Unauthorized function call for address {address}")

    def _address(self, entry: xdr.SorobanAuthorizationEntry) -> str | None:
        if entry.credentials.type is _TYPE.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT:
            return self.source
        signed = address_credentials(entry.credentials)
        return None if signed is None else Address.from_xdr_sc_address(signed.address).address

    def _check(self, state: State, entry: xdr.SorobanAuthorizationEntry) -> None:
        signed = address_credentials(entry.credentials)
        if signed is None:
            return
        address = Address.from_xdr_sc_address(signed.address).address
        expiration = signed.signature_expiration_ledger.uint32
        consume_nonce(state, self.network, address, signed.nonce.int64, expiration)
        if not StrKey.is_valid_ed25519_public_key(address):
            raise auth_error(CODE.SCEC_INVALID_ACTION, f"{address} is no account, and no contract here can authorise")
        message = payload(self.network.id, entry.credentials, entry.root_invocation)
        check_account_signatures(state, address, message, signed.signature)


class Recorded:
    """`require_auth` always agrees and writes down what has to be signed, with a fresh nonce."""

    def __init__(self, network: Network, source: str, *, bound_to_address: bool) -> None:
        self.network = network
        self.source = source
        self.bound_to_address = bound_to_address
        self.asked: list[xdr.SorobanAuthorizationEntry] = []

    def require(self, state: State, address: str, call: xdr.InvokeContractArgs) -> None:
        function = xdr.SorobanAuthorizedFunction(
            xdr.SorobanAuthorizedFunctionType.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CONTRACT_FN, contract_fn=call
        )
        credentials = self._credentials(state, address)
        self.asked.append(xdr.SorobanAuthorizationEntry(credentials, xdr.SorobanAuthorizedInvocation(function, [])))

    def _credentials(self, state: State, address: str) -> xdr.SorobanCredentials:
        if address == self.source:
            return xdr.SorobanCredentials(_TYPE.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT)
        nonce = secrets.randbits(64) - 2**63
        if StrKey.is_valid_ed25519_public_key(address):
            state.get(entries.account_key(address))  # Its signers will be read, so it is part of the footprint.
        consume_nonce(state, self.network, address, nonce, state.ledger)
        part = xdr.SorobanAddressCredentials(
            Address(address).to_xdr_sc_address(), xdr.Int64(nonce), xdr.Uint32(0), scval.to_void()
        )
        if self.bound_to_address:
            return xdr.SorobanCredentials(_TYPE.SOROBAN_CREDENTIALS_ADDRESS_V2, address_v2=part)
        return xdr.SorobanCredentials(_TYPE.SOROBAN_CREDENTIALS_ADDRESS, address=part)


Authorisations = Enforced | Recorded


def consume_nonce(state: State, network: Network, address: str, nonce: int, expiration: int) -> None:
    """Write the temporary entry that keeps an authorisation from a second use, for as long as it could be used."""
    if expiration < state.ledger:
        raise auth_error(CODE.SCEC_INVALID_INPUT, f"signature has expired: {expiration} is before {state.ledger}")
    if expiration > state.ledger + MAX_ENTRY_TTL - 1:
        raise auth_error(CODE.SCEC_INVALID_INPUT, f"signature expiration is too late: {expiration}")
    key = entries.nonce_key(address, nonce)
    if state.get(key) is not None:
        raise auth_error(CODE.SCEC_EXISTING_VALUE, f"nonce already exists for address {address}")
    data = entries.new_contract_data(
        address, entries.nonce_val(nonce), scval.to_void(), xdr.ContractDataDurability.TEMPORARY
    )
    state.put(key, data, live_until=max(expiration, state.ledger + network.minimum_temporary_ttl - 1))


def check_account_signatures(state: State, address: str, message: bytes, signature: xdr.SCVal) -> None:
    """The built-in account contract: a vector of {public_key, signature} by ascending key, to the medium threshold."""
    account = state.account(entries.account_key(address))
    if account is None:
        raise HostError(xdr.SCErrorType.SCE_STORAGE, CODE.SCEC_MISSING_VALUE, f"account {address} is missing")
    total, last = 0, b""
    for public_key, signed in _pairs(signature):
        if public_key <= last:
            raise auth_error(CODE.SCEC_INVALID_ACTION, "public keys are not ordered or not unique")
        if not is_signed(public_key, message, signed):
            raise HostError(xdr.SCErrorType.SCE_CRYPTO, CODE.SCEC_INVALID_INPUT, "failed ED25519 verification")
        weight = weight_of(account, public_key)
        if not weight:
            raise auth_error(CODE.SCEC_INVALID_ACTION, "signature does not belong to the account")
        total, last = total + weight, public_key
    if total < threshold(account, MEDIUM):
        raise auth_error(CODE.SCEC_INVALID_ACTION, "signature weight is lower than the threshold")


def _pairs(signature: xdr.SCVal) -> list[tuple[bytes, bytes]]:
    try:
        items = scval.from_vec(signature)
        found = [_pair(item) for item in items]
    except (ValueError, AssertionError, KeyError, TypeError):
        found = []
    if not 1 <= len(found) <= MOST_SIGNATURES:
        raise auth_error(CODE.SCEC_INVALID_ACTION, "the signature is not a vector of 1 to 20 account signatures")
    return found


def _pair(item: xdr.SCVal) -> tuple[bytes, bytes]:
    fields = {scval.from_symbol(key): scval.from_bytes(value) for key, value in scval.from_map(item).items()}
    public_key, signed = fields.pop("public_key"), fields.pop("signature")
    if fields or (len(public_key), len(signed)) != (32, 64):
        raise ValueError("no account signature")
    return public_key, signed


def _covers(root: xdr.SorobanAuthorizedInvocation, call: xdr.InvokeContractArgs) -> bool:
    function = root.function.contract_fn
    return function is not None and function.to_xdr_bytes() == call.to_xdr_bytes()
