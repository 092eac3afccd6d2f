// Breaks the built server or agent on purpose. Loaded before it (`--import`), to prove that a script detects the
// defect: BROKEN names one of `DEFECTS`. The files on the disk do not change.
import { registerHooks } from 'node:module';

/** File, its code, and what replaces it. */
type Change = readonly [file: string, found: string, instead: string];

const DB = '/packages/core/dist/db';
const HTTP = '/apps/server/dist/http';
const FIRST_USER = '/apps/server/dist/features/user/first-user.js';
const WRITE = 'const value = await runInScope(scope, () => work({ sql }));';

// No connection is closed to make room for others, or after a 408.
const OPEN_CONNECTIONS: readonly Change[] = [
  [`${HTTP}/connections.js`, '#evict(mayGo) {', '#evict(mayGo) { return undefined;'],
  [`${HTTP}/connections.js`, '#isFull(holder) {', '#isFull(holder) { return false;'],
  [`${HTTP}/connection-guard.js`, 'setTimeout(() => setImmediate(look),', 'setTimeout(() => {},'],
];

const DEFECTS: Readonly<Record<string, readonly Change[]>> = {
  // SQLite waits for the lock on the main thread.
  locked: [
    [`${DB}/sqlite/connection.js`, "connection.pragma('busy_timeout = 0')", "connection.pragma('busy_timeout = 2000')"],
  ],
  // Writes are answered before they are on the disk.
  unsynced: [[`${DB}/sqlite/write-queue.js`, 'this.#log.sync().then(', 'Promise.resolve().then(']],
  // A commit that fails is answered with success.
  full: [
    [`${DB}/sqlite/write-queue.js`, 'bulk && !this.#reserve.hasSpace', 'false'],
    [
      `${DB}/sqlite/serve-writes.js`,
      "this.#connection.exec('COMMIT');",
      "try { this.#connection.exec('COMMIT'); } catch { }",
    ],
    [
      `${DB}/sqlite/serve-writes.js`,
      WRITE,
      'let value; try { value = await runInScope(scope, () => work({ sql })); this.last = value; } catch { value = this.last; }',
    ],
  ],
  // No lock of the data folder.
  second: [[`${DB}/sqlite/process-lock.js`, 'BEGIN EXCLUSIVE', 'BEGIN']],
  // The process ends at the signal.
  stop: [['/apps/server/dist/compose/serve.js', 'server.stop().then(', 'process.exit(0); server.stop().then(']],
  // The last migration loses a line of each group.
  upgrade: [
    [
      `${DB}/migrations.js`,
      '.sort((a, b) => (a.name < b.name ? -1 : 1));',
      ".sort((a, b) => (a.name < b.name ? -1 : 1)).map((one, i, all) => i < all.length - 1 ? one : { ...one, sql: one.sql + '\\nUPDATE errlog SET count = count - 1 WHERE count > 1;\\n' });",
    ],
  ],
  // Statements wait for PostgreSQL without a limit.
  'postgres-hangs': [
    [
      `${DB}/postgresql/pool.js`,
      'const { connectMs, queryMs } = hosts.limits;',
      'const { connectMs } = hosts.limits; const queryMs = 60_000;',
    ],
  ],
  // Writes are acknowledged before they are on the disk.
  'postgres-crashes': [
    [`${DB}/postgresql/write.js`, "'BEGIN READ WRITE'", "'BEGIN READ WRITE; SET LOCAL synchronous_commit = off'"],
  ],
  // Some writes are acknowledged and rolled back.
  'several-servers': [
    [
      `${DB}/postgresql/write.js`,
      'scope.check();',
      "scope.check(); if (process.uptime() > 10 && Math.random() < 0.02) { scope.end(); await client.query('ROLLBACK'); return value; }",
    ],
  ],
  // Groups are announced half a second later.
  'event-times': [['/apps/server/dist/features/errlog/errlog.announcer.js', 'GATHER_MS = 10;', 'GATHER_MS = 500;']],
  // Each server believes that it has all tasks.
  'jobs-once': [['/packages/core/dist/db/sql/lease.js', 'async hold() {', 'async hold() { return true;']],
  // Credentials of open streams are checked every 15 s.
  'ended-credentials': [[`${HTTP}/stream-credentials.js`, 'CHECK_MS = 500;', 'CHECK_MS = 15_000;']],
  // Nothing is refused at the head of a request.
  overload: [
    [
      `${HTTP}/admission/lane.js`,
      'enter(sender, nowMs) {',
      'enter(sender, nowMs) { this.leave = () => {}; return true;',
    ],
  ],
  'half-sent': OPEN_CONNECTIONS,
  'slow-clients': OPEN_CONNECTIONS,
  // The positions of rules are not stored with their messages.
  night: [['/apps/server/dist/features/alert/store-outcomes.js', 'await moveRules(tx, outcomes);', '']],
  // The agent saves positions before their lines.
  positions: [
    [
      '/apps/agent/dist/ship/shipper.js',
      'await untilWritten(() => spool.put(',
      'await spool.save(follower.positions()); await pause(500); await untilWritten(() => spool.put(',
    ],
  ],
  // The agent repeats a batch under another key; a delay before an answer is recorded lets kills fall into it.
  keys: [
    ['/apps/agent/dist/api/server-api.js', "'idempotency-key': key,", "'idempotency-key': crypto.randomUUID(),"],
    [
      '/apps/agent/dist/ship/sender.js',
      'const lines = await spool.removeFirst();',
      'await new WakeSignal().wait(200, signal); const lines = await spool.removeFirst();',
    ],
  ],
  // For the agent, the copy of a truncated file is a new file.
  copies: [
    [
      '/apps/agent/dist/follow/file-identity.js',
      'if (await gate.withFile(other.path, (handle) => matchesCheckpoint(handle, file.checkpoint)))',
      'if (false)',
    ],
  ],
  // Writes are acknowledged before the standby has them.
  standby: [
    [`${DB}/postgresql/write.js`, "'BEGIN READ WRITE'", "'BEGIN READ WRITE; SET LOCAL synchronous_commit = local'"],
  ],
  // Sessions that a pooler shares are accepted.
  pgbouncer: [[`${DB}/postgresql/pool.js`, 'if (other !== process)', 'if (true)']],
  // Each server creates an administrator of its own.
  'first-starts': [
    [FIRST_USER, 'if (await hasUsers(db.read))', 'if (false)'],
    [FIRST_USER, 'if (await hasUsers(tx))', 'if (false)'],
    [
      FIRST_USER,
      'createUser(tx, { username: FIRST_USERNAME',
      'createUser(tx, { username: FIRST_USERNAME + process.pid',
    ],
  ],
  // An unknown username costs no hash.
  enumeration: [
    [
      '/apps/server/dist/auth/passwords.js',
      'const fits = await verify(',
      'const fits = storedHash !== undefined && await verify(',
    ],
  ],
  // Each attempt of a message has an id of its own.
  messages: [
    [
      '/apps/server/dist/features/webhook/sending.repo.js',
      'return message && { channel, message };',
      "return message && { channel, message: { ...message, messageId: 'msg_' + crypto.randomUUID() } };",
    ],
  ],
};

/** Returns the defects whose code is no longer in its file: a script that gets one would not be tested. */
export const staleDefects = (isIn: (file: string, code: string) => boolean): string[] =>
  Object.entries(DEFECTS).flatMap(([name, changes]) =>
    changes.every(([file, found]) => isIn(file, found)) ? [] : [name],
  );

/** Gives a defect to the programs that this process starts, and to their modules in this process. */
export function breakServer(name: string): void {
  if (DEFECTS[name] === undefined) throw new Error(`only these can be broken: ${Object.keys(DEFECTS).join(', ')}`);
  process.env['BROKEN'] = name;
  process.env['NODE_OPTIONS'] = `--import=${import.meta.url}`;
  console.log(`The program is broken on purpose (${name}): this must fail.`);
  install(name);
}

function install(name: string): void {
  const changes = DEFECTS[name] ?? [];
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const here = changes.filter(([file]) => url.endsWith(file));
      if (here.length === 0) return loaded;
      let source = String(loaded.source);
      for (const [file, found, instead] of here) {
        if (!source.includes(found)) throw new Error(`the code to break is not in ${file}; update broken-server.ts`);
        source = source.replace(found, () => instead);
      }
      return { ...loaded, source };
    },
  });
}

if (process.env['BROKEN'] !== undefined) install(process.env['BROKEN']);
