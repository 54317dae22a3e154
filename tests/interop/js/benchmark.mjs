// The TypeScript facilitator, timed. Its look-up of the pace of ledgers at a public Horizon can be left out.
import http from "node:http";

import { Horizon } from "@stellar/stellar-sdk";
import { getEstimatedLedgerCloseTimeSeconds } from "@x402/stellar";

import { scheme } from "./facilitating.mjs";

const asking = Horizon.Server.prototype.ledgers;
const unasked = { limit: () => unasked, order: () => unasked, call: async () => ({ records: [] }) };

function lookingUp(horizon) {
  Horizon.Server.prototype.ledgers = horizon ? asking : () => unasked;
}

export async function verifying({ payload, requirements, count, atOnce, horizon, expected, ...given }) {
  lookingUp(horizon);
  const facilitator = scheme(given);
  return timed(count, atOnce, async () => {
    const answer = await facilitator.verify(payload, requirements);
    const reason = answer.isValid ? "valid" : answer.invalidReason;
    if (reason !== expected) throw new Error(`${reason}, not ${expected}`);
  });
}

// The look-up by itself; on this machine it fails at once, which is the least that it can cost.
export async function lookup({ count }) {
  lookingUp(true);
  return timed(count, 1, () => getEstimatedLedgerCloseTimeSeconds("stellar:testnet"));
}

async function timed(count, atOnce, step) {
  const times = [];
  let left = count;
  const before = process.cpuUsage();
  const began = performance.now();
  const worker = async () => {
    while (left-- > 0) {
      const asked = performance.now();
      await step();
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const used = process.cpuUsage(before);
  return { seconds: (performance.now() - began) / 1000, cpu: (used.user + used.system) / 1e6, times, memory: process.memoryUsage().rss };
}

// The facilitator behind plain HTTP: POST /verify and /settle. Gives its port.
export async function serve({ horizon, ...given }) {
  lookingUp(horizon);
  const facilitator = scheme(given);
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const { paymentPayload, paymentRequirements } = JSON.parse(Buffer.concat(chunks).toString());
      const answer = await facilitator[request.url.slice(1)](paymentPayload, paymentRequirements);
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer));
    });
  });
  server.unref();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return server.address().port;
}
