// `pnpm faults kill-rotation [--rounds 20] [--postgres]`: kills the built server, and the command beside it, at random
// moments of a rotation of secret.key, repeatedly on the same data. After each kill a session, an API token and an
// agent work, and the audit log is intact.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../packages/sdk/src/index.ts';
import { asAdmin, newPlace, QUARTERDECKD, sameAddress, startCommand, startServer } from './built-server.ts';
import { readOptions } from './script.ts';

const { rounds, postgres } = readOptions('kill-rotation', { rounds: 20, postgres: false });
const KILL_WITHIN_MS = 600;
/** Time in which all credentials, which are used every second, must move to the new key. */
const MOVED_MAX_MS = 300_000;
/** Time for which a command may ask to try it again: another server has yet to load the new key. */
const COMPLETE_MAX_MS = 300_000;
const TRY_AGAIN = 75;
/** Exit code of a rotation while the key before is still accepted: it is complete. */
const ALREADY = 2;
/** Commands of a rotation, and the exit codes of a complete one. */
const COMMANDS = [
  { words: ['key', 'rotate'], codes: [0, ALREADY] },
  { words: ['key', 'drop-old', '--force'], codes: [0] },
] as const;

await using place = await newPlace(postgres);

/** Starts a command beside the server. */
const run = (words: readonly string[]) => startCommand(place, {}, [QUARTERDECKD, ...words]);

/** Completes a command that was interrupted. */
async function complete({ words, codes }: (typeof COMMANDS)[number]): Promise<void> {
  const giveUpMs = performance.now() + COMPLETE_MAX_MS;
  for (;;) {
    const { code, text } = await run(words).outcome;
    if (codes.some((one) => one === code)) return;
    if (code !== TRY_AGAIN || performance.now() > giveUpMs) {
      throw new Error(`${words.join(' ')} ended with ${code}: ${text}`);
    }
    await delay(1_000);
  }
}

/** Uses the credentials until all of them are under the new key. */
async function untilMoved(use: () => Promise<void>): Promise<void> {
  const giveUpMs = performance.now() + MOVED_MAX_MS;
  for (;;) {
    await use();
    const { text } = await run(['key', 'status']).outcome;
    if (text.includes('nothing is under another key')) return;
    if (performance.now() > giveUpMs) throw new Error(`not all credentials have moved:\n${text}`);
    await delay(1_000);
  }
}

let server = await startServer(place);
const { url } = server;
const { client: admin } = await asAdmin(server);
const { token } = await admin.apiToken.create({ body: { name: 'kept' } });
const { id, secret } = await admin.agent.register({ body: { node_id: 'kept', hostname: 'kept' } });
const program = createClient({ url, apiToken: token });
const agent = createClient({ url, apiToken: secret });
const check = async () => {
  await admin.user.me();
  await program.user.me();
  await agent.agent.heartbeat({ params: { id }, body: {} });
  const { intact, broken_at } = await admin.audit.verify();
  if (!intact) throw new Error(`the audit log is broken at ${broken_at}`);
};
let interrupted = 0;
for (let round = 0; round < rounds; round += 1) {
  for (const command of COMMANDS) {
    const running = run(command.words);
    await delay(randomInt(KILL_WITHIN_MS));
    // False where it has ended.
    if (running.child.kill('SIGKILL')) interrupted += 1;
    await Promise.all([running.outcome, server.end('SIGKILL')]);
    server = await startServer(place, sameAddress(server));
    await check();
    await complete(command);
    await untilMoved(check);
  }
}
await server.end('SIGTERM');
console.log(
  `${2 * rounds} kills, ${interrupted} within a command; ${rounds} rotations: session, API token and agent work, ` +
    'the audit log is intact',
);
