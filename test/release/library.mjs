// The library as a program outside of the repository uses it, on every runtime it supports. Prints what it found.
import process from 'node:process';
import { isApiError, paginate, signIn } from '@quarterdeck/sdk';

const { runtime, url, password } = JSON.parse(globalThis.Deno?.args[0] ?? process.argv[2]);
const { client } = await signIn({ url, username: 'admin', password });
await client.errlog.append({ body: [{ level: 'error', log: `lost its connection on ${runtime}`, service: runtime }] });
const found = [];
for await (const row of paginate(client.errlog.list)) found.push(row.log);
let code;
try {
  await client.user.get({ params: { id: 2_000_000 } });
} catch (error) {
  code = isApiError(error) ? error.code : String(error);
}
process.stdout.write(`${JSON.stringify({ found: found.some((log) => log.includes(`on ${runtime}`)), code })}\n`);
