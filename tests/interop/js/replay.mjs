// A node that answers at once: each question is passed on once and its result kept, so that a benchmark measures who
// asks. `node replay.mjs URL` prints its port; the ledger behind it must stand still.
import http from "node:http";

const [target] = process.argv.slice(2);
const kept = new Map();

async function passedOn(method, params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await (await fetch(target, { method: "POST", body, headers: { "Content-Type": "application/json" } })).json();
  if (!answer.result) throw new Error(JSON.stringify(answer.error));
  return JSON.stringify(answer.result);
}

const server = http.createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    const question = method + JSON.stringify(params ?? null);
    if (!kept.has(question)) kept.set(question, passedOn(method, params));
    const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${await kept.get(question)}}`;
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
    response.end(body);
  });
});

server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
