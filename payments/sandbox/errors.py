"""How a contract call fails: the error value, its text, and the diagnostic events that explain it."""

from __future__ import annotations

from enum import IntEnum

from stellar_sdk import xdr

TYPE = xdr.SCErrorType
CODE = xdr.SCErrorCode


class AssetError(IntEnum):
    """Error numbers of the Stellar Asset Contract that this ledger gives."""

    OPERATION_NOT_SUPPORTED = 2
    ACCOUNT_MISSING = 6
    NEGATIVE_AMOUNT = 8
    BALANCE = 10
    BALANCE_DEAUTHORISED = 11
    OVERFLOW = 12
    TRUSTLINE_MISSING = 13


class HostError(Exception):
    """A call that trapped. `value` is the SCError; nothing that the call did is kept."""

    def __init__(self, kind: xdr.SCErrorType, code: xdr.SCErrorCode, message: str) -> None:
        super().__init__(message)
        self.value = xdr.SCError(kind, code=code)
        self.name = f"Error({_words(kind.name, 'SCE_')}, {_words(code.name, 'SCEC_')})"


class ContractFailed(HostError):
    """The contract itself refused, with one of its numbers."""

    def __init__(self, number: AssetError, message: str) -> None:
        super().__init__(TYPE.SCE_CONTEXT, CODE.SCEC_INVALID_INPUT, message)
        self.value = xdr.SCError(TYPE.SCE_CONTRACT, contract_code=xdr.Uint32(number))
        self.name = f"Error(Contract, #{number.value})"


def _words(name: str, prefix: str) -> str:
    return "".join(part.capitalize() for part in name.removeprefix(prefix).split("_"))


def auth_error(code: xdr.SCErrorCode, message: str) -> HostError:
    return HostError(TYPE.SCE_AUTH, code, message)


def storage_error(code: xdr.SCErrorCode, message: str) -> HostError:
    return HostError(TYPE.SCE_STORAGE, code, message)


def value_error(message: str) -> HostError:
    return HostError(TYPE.SCE_VALUE, CODE.SCEC_UNEXPECTED_TYPE, message)
