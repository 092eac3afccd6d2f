// Breaks the built server on purpose. Loaded before it (`--import`), to prove that a script detects the defect: BROKEN
// names one of `DEFECTS`. The files on the disk do not change.
import { registerHooks } from 'node:module';

interface Change {
  readonly file: string;
  readonly found: string;
  readonly instead: string;
}

const DB = '/packages/core/dist/db';
const FIRST_USER = '/apps/server/dist/features/user/first-user.js';
const WRITE = 'const value = await runInScope(scope, () => work({ sql }));';

const DEFECTS: Readonly<Record<string, readonly Change[]>> = {
  // SQLite waits for the lock on the main thread.
  locked: [
    {
      file: `${DB}/sqlite/connection.js`,
      found: "connection.pragma('busy_timeout = 0')",
      instead: "connection.pragma('busy_timeout = 2000')",
    },
  ],
  // A commit that fails is answered with success.
  full: [
    { file: `${DB}/sqlite/write-queue.js`, found: 'bulk && !this.#reserve.hasSpace', instead: 'false' },
    {
      file: `${DB}/sqlite/serve-writes.js`,
      found: "this.#connection.exec('COMMIT');",
      instead: "try { this.#connection.exec('COMMIT'); } catch { }",
    },
    {
      file: `${DB}/sqlite/serve-writes.js`,
      found: WRITE,
      instead:
        'let value; try { value = await runInScope(scope, () => work({ sql })); this.last = value; } catch { value = this.last; }',
    },
  ],
  // No lock of the data folder.
  second: [{ file: `${DB}/sqlite/process-lock.js`, found: 'BEGIN EXCLUSIVE', instead: 'BEGIN' }],
  // The process ends at the signal.
  stop: [
    {
      file: '/apps/server/dist/serve.js',
      found: 'server.stop().then(',
      instead: 'process.exit(0); server.stop().then(',
    },
  ],
  // The last migration loses a line of each group.
  upgrade: [
    {
      file: `${DB}/migrations.js`,
      found: '.sort((a, b) => (a.name < b.name ? -1 : 1));',
      instead:
        ".sort((a, b) => (a.name < b.name ? -1 : 1)).map((one, i, all) => i < all.length - 1 ? one : { ...one, sql: one.sql + '\\nUPDATE errlog SET count = count - 1 WHERE count > 1;\\n' });",
    },
  ],
  // Statements wait for PostgreSQL without a limit.
  'postgres-hangs': [{ file: `${DB}/postgresql/pool.js`, found: 'answerMs = 4500', instead: 'answerMs = 60_000' }],
  // Writes are acknowledged before they are on the disk.
  'postgres-crashes': [
    {
      file: `${DB}/postgresql/write.js`,
      found: "'BEGIN READ WRITE'",
      instead: "'BEGIN READ WRITE; SET LOCAL synchronous_commit = off'",
    },
  ],
  // Writes are acknowledged before the standby has them.
  standby: [
    {
      file: `${DB}/postgresql/write.js`,
      found: "'BEGIN READ WRITE'",
      instead: "'BEGIN READ WRITE; SET LOCAL synchronous_commit = local'",
    },
  ],
  // Sessions that a pooler shares are accepted.
  pgbouncer: [{ file: `${DB}/postgresql/pool.js`, found: 'if (other !== process)', instead: 'if (true)' }],
  // Each server creates an administrator of its own.
  'first-starts': [
    { file: FIRST_USER, found: 'if (await hasUsers(db.read))', instead: 'if (false)' },
    { file: FIRST_USER, found: 'if (await hasUsers(tx))', instead: 'if (false)' },
    {
      file: FIRST_USER,
      found: '{ username: USERNAME, passwordHash',
      instead: '{ username: USERNAME + process.pid, passwordHash',
    },
  ],
  // An unknown username costs no hash.
  enumeration: [
    {
      file: '/apps/server/dist/auth/passwords.js',
      found: 'const fits = await verify(',
      instead: 'const fits = storedHash !== undefined && await verify(',
    },
  ],
  // Each attempt of a message has an id of its own.
  messages: [
    {
      file: '/apps/server/dist/features/webhook/sending.repo.js',
      found: 'return message && { channel, message };',
      instead: "return message && { channel, message: { ...message, messageId: 'msg_' + crypto.randomUUID() } };",
    },
  ],
};

/** Lets the servers that this process starts have a defect. */
export function breakServer(name: string): void {
  if (DEFECTS[name] === undefined) throw new Error(`only these can be broken: ${Object.keys(DEFECTS).join(', ')}`);
  process.env['BROKEN'] = name;
  process.env['NODE_OPTIONS'] = `--import=${import.meta.url}`;
  console.log(`The server is broken on purpose (${name}): this must fail.`);
}

const changes = DEFECTS[process.env['BROKEN'] ?? ''] ?? [];
if (changes.length > 0) {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const here = changes.filter(({ file }) => url.endsWith(file));
      if (here.length === 0) return loaded;
      let source = String(loaded.source);
      for (const { file, found, instead } of here) {
        if (!source.includes(found)) throw new Error(`the code to break is not in ${file}; update broken-server.ts`);
        source = source.replace(found, () => instead);
      }
      return { ...loaded, source };
    },
  });
}
