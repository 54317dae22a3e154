// TLS in front of a plain server on loopback: the x402 client speaks to a ledger over HTTPS only.
import fs from "node:fs";
import net from "node:net";
import tls from "node:tls";

// `to` is the plain server's port. Gives the port of the TLS one, which ends with this process.
export async function front({ to, key, certificate }) {
  const files = { key: fs.readFileSync(key), cert: fs.readFileSync(certificate) };
  const server = tls.createServer(files, (outer) => {
    const inner = net.connect(to, "127.0.0.1");
    for (const [one, other] of [[outer, inner], [inner, outer]]) {
      one.pipe(other);
      one.on("error", () => other.destroy());
    }
  });
  server.unref();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return server.address().port;
}

// The status that an address answers, for the tests of this file.
export async function status({ url }) {
  const answer = await fetch(url);
  await answer.text();
  return answer.status;
}
