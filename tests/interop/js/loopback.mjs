// Loaded before everything else: no script of this folder leaves the machine. The x402 packages ask a public Horizon for
// the pace of ledgers and go on with 5 seconds when it does not answer; here it fails at once.
import dns from "node:dns";

const here = new Set(["localhost", "127.0.0.1", "::1"]);
const lookup = dns.lookup;

dns.lookup = (host, options, callback) => {
  const done = typeof options === "function" ? options : callback;
  if (here.has(host)) return lookup(host, options, callback);
  const refused = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND", hostname: host });
  process.nextTick(done, refused);
};
