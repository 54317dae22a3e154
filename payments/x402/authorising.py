"""The payer's authorisation as XDR: the call that it is for, the entry, and the value of its signature.

Entries are of the legacy form: clients and facilitators in use cannot all read the newer one (reference: 4.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from stellar_sdk import Address, scval, xdr

from lensproject.core.stellar.answers import Simulation
from lensproject.core.stellar.faults import NodeGarbage
from lensproject.core.stellar.strkeys import raw_account
from payments.x402.envelope import read_envelope
from payments.x402.optional import given

_FUNCTION = xdr.SorobanAuthorizedFunctionType.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CONTRACT_FN


def call_of(asset: str, payer: str, pay_to: str, units: int) -> xdr.InvokeContractArgs:
    """`asset.transfer(payer, payTo, units)`."""
    args = [scval.to_address(payer), scval.to_address(pay_to), scval.to_int128(units)]
    return xdr.InvokeContractArgs(Address(asset).to_xdr_sc_address(), xdr.SCSymbol(b"transfer"), args)


def operation_of(call: xdr.InvokeContractArgs, authorisations: Sequence[xdr.SorobanAuthorizationEntry]) -> bytes:
    """The XDR of the operation that makes the call. Without authorisations a simulation records which are needed."""
    function = xdr.HostFunction(xdr.HostFunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT, invoke_contract=call)
    invoke = xdr.InvokeHostFunctionOp(function, list(authorisations))
    body = xdr.OperationBody(xdr.OperationType.INVOKE_HOST_FUNCTION, invoke_host_function_op=invoke)
    return xdr.Operation(None, body).to_xdr_bytes()


def unsigned_entry(
    payer: str, nonce: int, expiration: int, call: xdr.InvokeContractArgs
) -> xdr.SorobanAuthorizationEntry:
    """The payer's entry for this call and nothing below it, its signature void."""
    credentials = xdr.SorobanAddressCredentials(
        Address(payer).to_xdr_sc_address(), xdr.Int64(nonce), xdr.Uint32(expiration), scval.to_void()
    )
    return xdr.SorobanAuthorizationEntry(
        xdr.SorobanCredentials(xdr.SorobanCredentialsType.SOROBAN_CREDENTIALS_ADDRESS, address=credentials),
        xdr.SorobanAuthorizedInvocation(xdr.SorobanAuthorizedFunction(_FUNCTION, contract_fn=call), []),
    )


def recorded_authorisation(simulation: Simulation, payer: str, call: xdr.InvokeContractArgs) -> None:
    """Check that a recording simulation asks for the payer's authorisation of this call, and for nothing else.

    Raises NodeGarbage: a token whose transfer asks for more is none that this scheme can pay with.
    """
    if len(simulation.authorisations) != 1:
        raise NodeGarbage("the transfer does not ask for exactly one authorisation")
    try:
        entry = xdr.SorobanAuthorizationEntry.from_xdr(simulation.authorisations[0])
    except Exception:  # The SDK's reader raises errors of many kinds on bytes that are no XDR.
        raise NodeGarbage("simulateTransaction: the authorisation cannot be read") from None
    credentials = entry.credentials.address or entry.credentials.address_v2
    root = entry.root_invocation
    if credentials is None or credentials.address != Address(payer).to_xdr_sc_address():
        raise NodeGarbage("the transfer asks for the authorisation of somebody else than the payer")
    if root.sub_invocations or root.function.contract_fn != call:
        raise NodeGarbage("the transfer asks the payer to authorise more than itself")


def account_signature(payer: str, signature: bytes) -> xdr.SCVal:
    """The signature value of an account that signs with its own key alone."""
    if len(signature) != 64:
        raise ValueError("an ed25519 signature has 64 bytes")
    fields = {
        scval.to_symbol("public_key"): scval.to_bytes(raw_account(payer)),
        scval.to_symbol("signature"): scval.to_bytes(signature),
    }
    return scval.to_vec([scval.to_map(fields)])


def with_signature(transaction: str, payer: str, value: xdr.SCVal) -> bytes:
    """The operation (XDR) of a payment, with the value put in as the payer's signature.

    Raises Refused when it is no envelope, ValueError when the payer has no entry in it.
    """
    operation = read_envelope(transaction).operations[0]
    for entry in given(operation.body.invoke_host_function_op).auth:
        credentials = entry.credentials.address or entry.credentials.address_v2
        if credentials is not None and credentials.address == Address(payer).to_xdr_sc_address():
            credentials.signature = value
            return xdr.Operation(None, operation.body).to_xdr_bytes()
    raise ValueError("the payment has no authorisation of this payer")
