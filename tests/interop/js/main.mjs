// One line in, one line out: ["golden", "authorisation", {...}] calls that function of golden.mjs.
import readline from "node:readline";

console.log = console.info = console.debug = console.error; // Standard output carries answers only.

const exact = (_, value) => (typeof value === "bigint" ? value.toString() : value);

for await (const line of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    const [script, name, given] = JSON.parse(line);
    const module = await import(`./${script}.mjs`);
    answer = { answer: (await module[name](given)) ?? null };
  } catch (error) {
    console.error(error);
    answer = { error: String(error?.message ?? error) };
  }
  process.stdout.write(JSON.stringify(answer, exact) + "\n");
}
process.exit(0);
