// `pnpm bench:token-use`: what counting the uses of API tokens costs a request, beside the same check without, and what
// writing them costs. The goal is 2 % of the cheapest request at most (decision 091).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCredentials } from './api.ts';
import { built } from './built.ts';
import { medianOf, run } from './load.ts';
import { startServer } from './processes.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');
const { contract } = await built('packages/core/dist/index.js');
const { authorizeFor } = await built('packages/express/dist/parts.js');
const { secretKeyOf } = await built('apps/server/dist/auth/secrets.js');
const { createSessionIdle } = await built('apps/server/dist/auth/session-idle.js');
const { createIdentify } = await built('apps/server/dist/http/identify.js');
const { createTokenUses } = await built('apps/server/dist/features/api-token/token-uses.js');

const CHECKS = 100_000;
const ROUNDS = 9;
const SECONDS = 3;
/** Tokens that are used within one minute, each with this many names. */
const TOKENS = 10_000;
const NAMES = 3;

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const nothing = () => undefined;

const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-bench-'));
const server = await startServer(dataDir);
const made = await makeCredentials(server);
const load = { server, path: '/admin-api/api_token/self', headers: { 'api-token': made.apiToken } };
const runs = [];
for (let round = 0; round < 3; round += 1) runs.push(await run(load, SECONDS));
const requestUs = medianOf(runs).cpuUs;
await server.stop();

const db = await openDatabase({ kind: 'sqlite', dataDir });
try {
  const key = secretKeyOf(Buffer.from(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(), 'hex'));
  const uses = createTokenUses(db, Date.now);

  /** Creates the check of a request; returns microseconds of one. */
  const checker = (needed: (id: number, name: string) => void) => {
    const credentials = { used: nothing, needed, lastNoted: () => 0, reused: nothing, moved: nothing };
    const deps = { db, key, now: Date.now, sessionIdle: createSessionIdle(0), credentials, onClone: nothing };
    const { identify } = createIdentify({ ...deps, verifySignIn: async () => false });
    return async () => {
      const startedAt = performance.now();
      for (let i = 0; i < CHECKS; i += 1) {
        const actor = await identify({ 'api-token': made.apiToken }, '127.0.0.1', '');
        authorizeFor(contract.errlog.list, actor);
      }
      return ((performance.now() - startedAt) * 1_000) / CHECKS;
    };
  };
  const [counting, without] = [checker(uses.note), checker(nothing)];
  const extra: number[] = [];
  const base: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [one, other] = [await counting(), await without()];
    if (round > 0) extra.push(one - other);
    if (round > 0) base.push(other);
  }
  const us = median(extra);
  console.log(`check of a request without counting  ${median(base).toFixed(2)} us`);
  console.log(`  more with counting                 ${us.toFixed(2)} us`);
  console.log(`processor time of a request          ${requestUs.toFixed(0)} us`);
  console.log(`  share of counting                  ${((100 * us) / requestUs).toFixed(2)} % (goal: 2 %)`);

  const add = statement(
    `INSERT INTO api_token (user_id, name, token_hash, token_tail, created_ms, modified_ms)
     SELECT 1, '', randomblob(32), '', 0, 0 FROM json_each(?)`,
  );
  const list = JSON.stringify(Array.from({ length: TOKENS }));
  await db.write((tx: typeof db.read) => tx.sql.run(add, list));
  const names = ['errlog:read', 'GET /admin-api/log_server/errlog', 'GET /admin-api/user/me'].slice(0, NAMES);
  const writes: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let id = 1; id <= TOKENS; id += 1) for (const name of names) uses.note(id, name);
    const startedAt = performance.now();
    await uses.flush('all');
    writes.push(performance.now() - startedAt);
  }
  const ms = median(writes);
  console.log(`writing ${TOKENS} tokens once a minute    ${ms.toFixed(0)} ms, ${(ms / 600).toFixed(2)} % of the time`);
} finally {
  await db.close();
  rmSync(dataDir, { recursive: true, force: true });
}
