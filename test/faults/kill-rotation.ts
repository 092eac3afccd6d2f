// `pnpm faults kill-rotation [--rounds 20] [--postgres]`: kills the built server, and the command beside it, at random
// moments of a rotation of secret.key, repeatedly on the same data. After each kill a session, an API token and an
// agent work, and the audit log is intact.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort, startPostgres } from '../../packages/core/test/postgres.ts';
import { createClient, signIn } from '../../packages/sdk/src/index.ts';
import { QUARTERDECKD, startServer } from './server/world.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, postgres: { type: 'boolean', default: false } },
});
const ROUNDS = Number(options.rounds);
const KILL_WITHIN_MS = 600;
/** Time in which all credentials, which are used every second, must move to the new key. */
const MOVED_MAX_MS = 60_000;
/** Time for which a command may ask to try it again: another server has yet to load the new key. */
const COMPLETE_MAX_MS = 60_000;
const TRY_AGAIN = 75;
/** Exit code of a rotation while the key before is still accepted: it is complete. */
const ALREADY = 2;
/** Commands of a rotation, and the exit codes of a complete one. */
const COMMANDS = [
  { words: ['key', 'rotate'], codes: [0, ALREADY] },
  { words: ['key', 'drop-old', '--force'], codes: [0] },
] as const;

const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-rotation-'));
const postgres = options.postgres ? await startPostgres() : undefined;
const place = { dataDir, databaseUrl: await postgres?.createDatabase() };
const port = String(await freePort());
const password = randomUUID();
const start = () =>
  startServer(place, {
    QUARTERDECK_PORT: port,
    QUARTERDECK_LOG_LEVEL: 'error',
    QUARTERDECK_ADMIN_PASSWORD: password,
  });

/** Starts a command beside the server. */
const run = (words: readonly string[]) =>
  spawn(QUARTERDECKD, words, {
    env: {
      ...process.env,
      QUARTERDECK_DATA_DIR: dataDir,
      QUARTERDECK_DATABASE_URL: place.databaseUrl ?? '',
      QUARTERDECK_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Runs a command to its end. */
async function outcomeOf(words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = run(words);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Completes a command that was interrupted. */
async function complete({ words, codes }: (typeof COMMANDS)[number]): Promise<void> {
  const giveUpMs = performance.now() + COMPLETE_MAX_MS;
  for (;;) {
    const { code, output } = await outcomeOf(words);
    if (codes.some((one) => one === code)) return;
    if (code !== TRY_AGAIN || performance.now() > giveUpMs) {
      throw new Error(`${words.join(' ')} ended with ${code}: ${output}`);
    }
    await delay(1_000);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Uses the credentials until all of them are under the new key. */
async function untilMoved(use: () => Promise<void>): Promise<void> {
  const giveUpMs = performance.now() + MOVED_MAX_MS;
  for (;;) {
    await use();
    const { output } = await outcomeOf(['key', 'status']);
    if (output.includes('nothing is under another key')) return;
    if (performance.now() > giveUpMs) throw new Error(`not all credentials have moved:\n${output}`);
    await delay(1_000);
  }
}

try {
  let server = await start();
  const { url } = server;
  const { client: admin } = await signIn({ url, username: 'admin', password });
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
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const command of COMMANDS) {
      const running = run(command.words);
      await delay(randomInt(KILL_WITHIN_MS));
      if (running.exitCode === null) interrupted += 1;
      await Promise.all([kill(running), kill(server.child)]);
      server = await start();
      await check();
      await complete(command);
      await untilMoved(check);
    }
  }
  await server.end('SIGTERM');
  console.log(
    `${2 * ROUNDS} kills, ${interrupted} within a command; ${ROUNDS} rotations: session, API token and agent work, ` +
      'the audit log is intact',
  );
} finally {
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
