// Both generations of Stellar's SDK behind a few functions: 14 reads fields by calls (`entry.credentials()`), 17 by
// properties.
const packages = { 14: "@stellar/stellar-sdk", 17: "stellar-sdk-17" };

export const sdk = (version) => import(packages[version]);

export const read = (value, ...path) =>
  path.reduce((part, name) => (typeof part[name] === "function" ? part[name]() : part[name]), value);

export function base64(value) {
  if (typeof value.toXDR === "function") return value.toXDR("base64");
  return typeof value.toXdr("base64") === "string" ? value.toXdr("base64") : Buffer.from(value.toXdr()).toString("base64");
}

export const hex = (bytes) => Buffer.from(bytes).toString("hex");

export function keypair(s, seedByte) {
  return s.Keypair.fromRawEd25519Seed(Buffer.alloc(32, seedByte));
}

// The arguments of `contract.transfer(from, to, amount)`.
export function transfer(s, { asset, from, to, amount }) {
  return new s.xdr.InvokeContractArgs({
    contractAddress: new s.Address(asset).toScAddress(),
    functionName: "transfer",
    args: [new s.Address(from).toScVal(), new s.Address(to).toScVal(), s.nativeToScVal(BigInt(amount), { type: "i128" })],
  });
}

export function callOf(s, invocation, auth) {
  return s.Operation.invokeHostFunction({ func: s.xdr.HostFunction.hostFunctionTypeInvokeContract(invocation), auth });
}
