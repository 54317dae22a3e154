// The facilitator class of the x402 packages, the reference that ours is compared with.
import { createEd25519Signer } from "@x402/stellar";
import { ExactStellarScheme } from "@x402/stellar/exact/facilitator";

export function scheme({ secret, rpc }) {
  return new ExactStellarScheme([createEd25519Signer(secret, "stellar:testnet")], { rpcConfig: { url: rpc } });
}

export async function verified({ payload, requirements, ...given }) {
  return scheme(given).verify(payload, requirements);
}

export async function settled({ payload, requirements, ...given }) {
  return scheme(given).settle(payload, requirements);
}
