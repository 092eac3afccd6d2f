// Measures the credential check: requests with an API token and with a session, among a thousand of them and among a
// million.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCredentials } from './api.ts';
import { built } from './built.ts';
import { type Load, runPaired } from './load.ts';
import { newFolder, type Program, startServer } from './processes.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');
const { secretKeyOf } = await built('apps/server/dist/auth/secrets.js');
const { createSessionIdle } = await built('apps/server/dist/auth/session-idle.js');
const { createIdentify } = await built('apps/server/dist/http/identify.js');

const FEW = 1_000;
const MANY = 1_000_000;
const BATCH = 20_000;
const CHECKS = 100_000;
const ROUNDS = 3;
const SECONDS = 3;

const TOKEN = statement(
  `INSERT INTO api_token (user_id, name, token_hash, token_tail, expire_ms, created_ms, modified_ms)
   VALUES (1, '', ?, '', 0, 0, 0)`,
);
const SESSION = statement(
  `INSERT INTO session (user_id, token_hash, remember, address, client, created_ms, expire_ms)
   VALUES (1, ?, 0, '', '', 0, ?)`,
);

/** Adds tokens and sessions with unknown secrets. */
async function fill(dataDir: string, count: number): Promise<void> {
  const db = await openDatabase({ kind: 'sqlite', dataDir });
  const future = Date.now() + 86_400_000;
  for (let done = 0; done < count; done += BATCH) {
    await db.write(async (tx: typeof db.read) => {
      for (let i = 0; i < Math.min(BATCH, count - done); i += 1) {
        await tx.sql.run(TOKEN, randomBytes(32));
        await tx.sql.run(SESSION, randomBytes(32), future);
      }
    });
  }
  await db.close();
}

/** Microseconds of one check: form of the secret, hash, look-up. */
async function checkCost(dataDir: string, headers: Record<string, string>): Promise<number> {
  const db = await openDatabase({ kind: 'sqlite', dataDir });
  const key = secretKeyOf(Buffer.from(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(), 'hex'));
  const nothing = () => undefined;
  const credentials = { used: nothing, needed: nothing, lastNoted: () => 0, reused: nothing, moved: nothing };
  const sessionIdle = createSessionIdle(0);
  const verifySignIn = async () => false;
  const { identify } = createIdentify({
    ...{ db, key, now: Date.now, sessionIdle, credentials },
    verifySignIn,
    onClone: nothing,
  });
  const check = async (times: number) => {
    for (let i = 0; i < times; i += 1) await identify(headers, '127.0.0.1', '');
  };
  await check(CHECKS / 10);
  const startedAt = performance.now();
  await check(CHECKS);
  const cost = ((performance.now() - startedAt) * 1_000) / CHECKS;
  await db.close();
  return cost;
}

/** Creates a data folder with credentials, and starts a server on it. */
async function prepare(count: number) {
  const dataDir = newFolder();
  const first = await startServer(dataDir);
  const made = await makeCredentials(first);
  await first.stop();
  await fill(dataDir, count);
  return { dataDir, made };
}

const load = (server: Program, headers: Record<string, string>): Load => ({
  server,
  path: '/admin-api/user/me',
  headers,
});

/** Prints the ratio between many and few, and the cost of a check among many. */
export async function benchCredentials(): Promise<void> {
  console.log(`\n${MANY.toLocaleString('en')} API tokens and as many sessions, next to ${FEW.toLocaleString('en')}`);
  const few = await prepare(FEW);
  const many = await prepare(MANY);
  const kinds = [
    ['API token', 'api-token', 'apiToken'],
    ['session', 'edge-token', 'session'],
  ] as const;
  for (const [name, header, kind] of kinds) {
    const cost = await checkCost(many.dataDir, { [header]: many.made[kind] });
    console.log(`  ${name.padEnd(12)} one check ${cost.toFixed(1)} microseconds`);
  }
  const [fewServer, manyServer] = [await startServer(few.dataDir), await startServer(many.dataDir)];
  for (const [name, header, kind] of kinds) {
    const [among, alone] = await runPaired(
      load(manyServer, { [header]: many.made[kind] }),
      load(fewServer, { [header]: few.made[kind] }),
      ROUNDS,
      SECONDS,
    );
    const ratio = (alone.perSecond / among.perSecond).toFixed(2);
    console.log(`  ${name.padEnd(12)} ${Math.round(among.perSecond)}/s, ${ratio} x the time among few`);
  }
  await fewServer.stop();
  await manyServer.stop();
}
