// The golden vectors, made anew by each SDK: what is signed, the signature, and the envelope around it.
import { base64, callOf, hex, keypair, read, sdk, transfer } from "./sdks.mjs";

// `credentials` is "address" or "addressV2". Gives the hash that is signed, the signature, and the whole envelope.
export async function payment({ version, credentials, seed, to, asset, amount, nonce, expiration, passphrase, maxTime }) {
  const s = await sdk(version);
  const payer = keypair(s, seed);
  const invocation = transfer(s, { asset, from: payer.publicKey(), to, amount });
  const { entry, hash, signature } = await signed(s, { payer, invocation, credentials, nonce, expiration, passphrase });
  return { payer: payer.publicKey(), hash, signature, transaction: envelope(s, invocation, entry, passphrase, maxTime) };
}

async function signed(s, { payer, invocation, credentials, nonce, expiration, passphrase }) {
  const unsigned = new s.xdr.SorobanAuthorizationEntry({
    credentials: kindOf(s, credentials)(
      new s.xdr.SorobanAddressCredentials({
        address: new s.Address(payer.publicKey()).toScAddress(),
        nonce: s.xdr.Int64.fromString?.(nonce) ?? BigInt(nonce),
        signatureExpirationLedger: 0,
        signature: s.xdr.ScVal.scvVoid(),
      }),
    ),
    rootInvocation: new s.xdr.SorobanAuthorizedInvocation({
      function: s.xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(invocation),
      subInvocations: [],
    }),
  });
  const seen = {};
  const sign = async (preimage) => {
    const digest = s.hash(Buffer.from(base64(preimage), "base64"));
    seen.hash = hex(digest);
    seen.signature = hex(payer.sign(digest));
    return { signature: payer.sign(digest), publicKey: payer.publicKey() };
  };
  return { entry: await s.authorizeEntry(unsigned, sign, expiration, passphrase), ...seen };
}

function kindOf(s, credentials) {
  const name = { address: "sorobanCredentialsAddress", addressV2: "sorobanCredentialsAddressV2" }[credentials];
  if (!s.xdr.SorobanCredentials[name]) throw new Error(`this SDK knows no ${name}`);
  return (value) => s.xdr.SorobanCredentials[name](value);
}

function envelope(s, invocation, entry, passphrase, maxTime) {
  const nobody = new s.Account("GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF", "0");
  const data = new s.SorobanDataBuilder().setResources(1_000_000, 1000, 1000).setResourceFee(20_000).build();
  const transaction = new s.TransactionBuilder(nobody, { fee: "100", networkPassphrase: passphrase, sorobanData: data })
    .addOperation(callOf(s, invocation, [entry]))
    .setTimebounds(0, maxTime)
    .build();
  return base64(transaction.toEnvelope());
}

// Whether the signature in a payment's envelope is the payer's, found out by the SDK alone.
export async function verified({ version, transaction, passphrase }) {
  const s = await sdk(version);
  const operation = s.TransactionBuilder.fromXDR(transaction, passphrase).operations[0];
  const credentials = read(operation.auth[0], "credentials");
  const address = credentials.type === "sorobanCredentialsAddressV2" ? credentials.addressV2 : read(credentials, "address");
  const given = s.scValToNative(read(address, "signature"))[0];
  let right;
  const check = async (preimage) => {
    const digest = s.hash(Buffer.from(base64(preimage), "base64"));
    const key = s.Keypair.fromPublicKey(s.Address.fromScAddress(read(address, "address")).toString());
    right = key.verify(digest, Buffer.from(given.signature));
    return Buffer.from(given.signature);
  };
  // The SDK itself raises when it gets a signature back that does not match.
  await s.authorizeEntry(operation.auth[0], check, read(address, "signatureExpirationLedger"), passphrase).catch(() => {});
  return { right, publicKey: s.StrKey.encodeEd25519PublicKey(Buffer.from(given.public_key)) };
}
