// The methods of a node, each through Stellar's own SDK, which parses every field that it knows.
import { base64, callOf, read, sdk, transfer } from "./sdks.mjs";

async function connected({ version, url }) {
  const s = await sdk(version);
  return { s, server: new s.rpc.Server(url) };
}

// A method without parameters whose answer is plain JSON.
export async function plain({ method, ...given }) {
  const { server } = await connected(given);
  return server[method]();
}

export async function latest(given) {
  const { s, server } = await connected(given);
  const answer = await server.getLatestLedger();
  const header = answer.headerXdr;
  const parsed = typeof header === "string" ? s.xdr.LedgerHeader.fromXDR(header, "base64") : header;
  return { id: answer.id, sequence: answer.sequence, inHeader: read(parsed, "ledgerSeq"), protocol: read(parsed, "ledgerVersion") };
}

export async function ledgers({ start, limit, cursor, ...given }) {
  const { server } = await connected(given);
  const answer = await server.getLedgers(cursor ? { pagination: { cursor, limit } } : { startLedger: start, pagination: { limit } });
  const told = answer.ledgers.map((ledger) => ({
    sequence: ledger.sequence,
    inHeader: read(ledger.headerXdr, "header", "ledgerSeq"),
    hash: ledger.hash === hashOf(ledger.headerXdr),
    metadata: base64(ledger.metadataXdr).length > 100,
  }));
  return { ledgers: told, cursor: answer.cursor, oldest: answer.oldestLedger };
}

// 17 has a class for a hash, whose XDR is the hash itself.
function hashOf(header) {
  const hash = read(header, "hash");
  return Buffer.isBuffer(hash) ? hash.toString("hex") : Buffer.from(hash.toXdr()).toString("hex");
}

// The account and its trustline, by getLedgerEntries.
export async function holdings({ address, code, issuer, ...given }) {
  const { s, server } = await connected(given);
  const account = await server.getAccount(address);
  const entry = await server.getAccountEntry(address);
  const line = await server.getTrustline(address, new s.Asset(code, issuer));
  return {
    sequence: account.sequenceNumber(),
    native: String(read(entry, "balance")),
    asset: String(read(line, "balance")),
    limit: String(read(line, "limit")),
  };
}

// The instance of a contract, an entry with a life of its own.
export async function instance({ contract, ...given }) {
  const { s, server } = await connected(given);
  const found = await server.getContractData(contract, s.xdr.ScVal.scvLedgerKeyContractInstance(), s.rpc.Durability.Persistent);
  return { modified: found.lastModifiedLedgerSeq, until: found.liveUntilLedgerSeq };
}

function built(s, source, operation, passphrase) {
  return new s.TransactionBuilder(source, { fee: "100", networkPassphrase: passphrase }).addOperation(operation).setTimeout(60).build();
}

// A transfer looked at: recorded, signed by the payer's key, then enforced. `signer` may be another key.
export async function simulated({ secret, signer, to, asset, amount, passphrase, ...given }) {
  const { s, server } = await connected(given);
  const payer = s.Keypair.fromSecret(secret).publicKey();
  const invocation = transfer(s, { asset, from: payer, to, amount });
  const nobody = () => new s.Account("GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF", "0");
  const recorded = await server.simulateTransaction(built(s, nobody(), callOf(s, invocation, []), passphrase));
  if (recorded.error) return { recorded: told(s, recorded) };
  const key = s.Keypair.fromSecret(signer ?? secret);
  const digestOf = (preimage) => s.hash(Buffer.from(base64(preimage), "base64"));
  const sign = async (preimage) => ({ signature: key.sign(digestOf(preimage)), publicKey: key.publicKey() });
  const entry = await s.authorizeEntry(recorded.result.auth[0], sign, recorded.latestLedger + 20, passphrase);
  const enforced = await server.simulateTransaction(built(s, nobody(), callOf(s, invocation, [entry]), passphrase));
  return { recorded: told(s, recorded), enforced: told(s, enforced) };
}

function told(s, simulation) {
  const events = (simulation.events ?? []).map((event) => read(event, "event"));
  if (simulation.error) return { error: simulation.error, events: events.length, ledger: simulation.latestLedger };
  return {
    ledger: simulation.latestLedger,
    fee: Number(simulation.minResourceFee),
    authorisations: simulation.result.auth.map((entry) => entryKind(read(entry, "credentials"))),
    returned: s.scValToNative(simulation.result.retval) ?? null,
    changes: simulation.stateChanges?.length ?? 0,
    transfers: events.map((event) => transferOf(s, event)).filter(Boolean),
    resources: base64(simulation.transactionData.build()).length > 100,
  };
}

const entryKind = (credentials) => credentials.type ?? read(credentials, "switch").name;

// The transfer that an event tells of.
function transferOf(s, event) {
  const body = read(event, "body");
  const v0 = typeof body.v0 === "function" ? body.v0() : body.v0;
  return readTransfer(s, read(v0, "topics"), read(v0, "data"));
}

function readTransfer(s, topics, data) {
  const [name, from, to, asset] = topics.map((topic) => s.scValToNative(topic));
  return name === "transfer" ? { from, to, asset, amount: String(s.scValToNative(data)) } : null;
}

// A transfer by the account itself: prepared, signed, sent and waited for. `sequence` overrides the right one.
export async function sent({ secret, to, asset, amount, passphrase, sequence, twice, ...given }) {
  const { s, server } = await connected(given);
  const key = s.Keypair.fromSecret(secret);
  const source = sequence ? new s.Account(key.publicKey(), sequence) : await server.getAccount(key.publicKey());
  const invocation = transfer(s, { asset, from: key.publicKey(), to, amount });
  const transaction = await server.prepareTransaction(built(s, source, callOf(s, invocation, []), passphrase));
  transaction.sign(key);
  const answer = await server.sendTransaction(transaction);
  if (answer.status !== "PENDING") {
    return { status: answer.status, result: answer.errorResult ? resultName(answer.errorResult) : null, hash: answer.hash };
  }
  const again = twice ? (await server.sendTransaction(transaction)).status : null;
  const found = await server.pollTransaction(answer.hash, { attempts: 100, sleepStrategy: () => 100 });
  return { status: answer.status, again, hash: answer.hash, own: Buffer.from(transaction.hash()).toString("hex"), ...final(s, found) };
}

const resultName = (result) => {
  const inner = read(result, "result");
  return inner.type ?? read(inner, "switch").name;
};

function final(s, found) {
  return {
    outcome: found.status,
    ledger: found.ledger,
    result: resultName(found.resultXdr),
    fee: Number(read(found.resultXdr, "feeCharged")),
    bid: Number(read(read(found.envelopeXdr, "v1"), "tx", "fee")),
    returned: found.returnValue ? (s.scValToNative(found.returnValue) ?? null) : "nothing",
    transfers: found.events.contractEventsXdr.flat().map((event) => transferOf(s, event)).filter(Boolean),
  };
}

export async function transaction({ hash, ...given }) {
  const { server } = await connected(given);
  const found = await server.getTransaction(hash);
  return { status: found.status, latest: found.latestLedger, oldest: found.oldestLedger };
}

export async function transactions({ start, limit, ...given }) {
  const { server } = await connected(given);
  const page = await server.getTransactions({ startLedger: start, pagination: { limit } });
  const told = page.transactions.map(({ txHash, status, ledger, resultXdr }) => ({ txHash, status, ledger, result: resultName(resultXdr) }));
  return { transactions: told, cursor: page.cursor };
}

// Transfers of a contract from an account, in the ledgers from `start` on.
export async function events({ contract, from, start, cursor, ...given }) {
  const { s, server } = await connected(given);
  const topics = [base64(s.nativeToScVal("transfer", { type: "symbol" })), base64(new s.Address(from).toScVal()), "*", "**"];
  const filters = [{ type: "contract", contractIds: [contract], topics: [topics] }];
  const page = await server.getEvents(cursor ? { filters, cursor } : { filters, startLedger: start });
  const told = page.events.map((event) => ({
    ledger: event.ledger,
    hash: event.txHash,
    contract: event.contractId.contractId(),
    ...readTransfer(s, event.topic, event.value),
  }));
  return { events: told, cursor: page.cursor, oldest: page.oldestLedger };
}
