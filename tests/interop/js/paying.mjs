// The paying side of the x402 packages: a payment built from a 402, and a fetch that pays by itself.
import { x402Client } from "@x402/core/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment } from "@x402/fetch";
import { createEd25519Signer } from "@x402/stellar";
import { ExactStellarScheme } from "@x402/stellar/exact/client";

// A client whose own limits are off: it knows no price of an asset on Stellar.
function client({ secret, rpc }) {
  const signer = createEd25519Signer(secret, "stellar:testnet");
  const scheme = new ExactStellarScheme(signer, { url: rpc });
  return new x402Client().register("stellar:*", scheme).setSpendControls(false);
}

export async function payload({ required, ...given }) {
  return client(given).createPaymentPayload(required);
}

// Pay for a URL. The last request's PAYMENT-SIGNATURE is told too, so that a test can send it again.
export async function fetched({ target, options, ...given }) {
  const seen = { requests: 0, signature: null };
  const watching = async (input, init) => {
    const request = new Request(input, init);
    seen.requests += 1;
    seen.signature = request.headers.get("PAYMENT-SIGNATURE") ?? seen.signature;
    return fetch(request);
  };
  const answer = await wrapFetchWithPayment(watching, client(given))(target, options);
  return { ...seen, status: answer.status, body: await answer.text(), ...told(answer) };
}

// One request with a PAYMENT-SIGNATURE, or without.
export async function sent({ target, signature }) {
  const answer = await fetch(target, { headers: signature ? { "PAYMENT-SIGNATURE": signature } : {} });
  return { status: answer.status, body: await answer.text(), ...told(answer) };
}

function told(answer) {
  const settled = answer.headers.get("PAYMENT-RESPONSE");
  return { headers: Object.fromEntries(answer.headers), settlement: settled ? decodePaymentResponseHeader(settled) : null };
}
