// Kills (`kill -9`) the built server while it takes in lines, repeatedly on the same data:
// - no acknowledged line is lost;
// - a batch without an answer is stored completely or not at all: `count` is the acknowledged sum, or more by exactly
//   that batch;
// - a batch with an Idempotency-Key that is repeated after the restart counts once: `count` is exactly the sum.
//
//   pnpm faults kill-intake [--rounds 60] [--postgres] [--server apps/server/dist/main.js]
//
// The data is in SQLite, or with --postgres in a PostgreSQL that is started for it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort, startPostgres } from '../../packages/core/test/postgres.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '60' },
    postgres: { type: 'boolean', default: false },
    server: { type: 'string', default: 'apps/server/dist/main.js' },
  },
});
const ROUNDS = Number(options.rounds);
const SENDERS = 8;
const GROUPS_PER_SENDER = 3;
const LINES_MAX = 60;
/** Maximum time from the first line to a kill. */
const KILL_WITHIN_MS = 500;
const START_MAX_MS = 30_000;
const ERRLOG = '/admin-api/log_server/errlog';
const PASSWORD = randomUUID();

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** A batch: the number of occurrences of each group of its sender. */
interface Batch {
  readonly key: string | undefined;
  readonly body: string;
  readonly counts: readonly number[];
}

/** A sender of one batch after the other, and the known results. */
interface Sender {
  readonly keyed: boolean;
  readonly appId: number;
  /** One text per group. */
  readonly texts: readonly string[];
  readonly acknowledged: number[];
  batches: number;
  /** Sent without an answer. */
  open: Batch | undefined;
}

const LETTERS = 'ghijklmnopqrstuvwxyz';
const newText = () => Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

const newSender = (i: number): Sender => ({
  keyed: i % 2 === 1,
  appId: 100 + i,
  texts: Array.from({ length: GROUPS_PER_SENDER }, newText),
  acknowledged: Array<number>(GROUPS_PER_SENDER).fill(0),
  batches: 0,
  open: undefined,
});

function newBatch({ keyed, appId, texts }: Sender): Batch {
  const counts = Array<number>(GROUPS_PER_SENDER).fill(0);
  const lines = Array.from({ length: 1 + randomInt(LINES_MAX) }, () => {
    const group = randomInt(GROUPS_PER_SENDER);
    const count = 1 + randomInt(3);
    counts[group] = (counts[group] ?? 0) + count;
    return { level: 4, app_id: appId, log: `${texts[group]} after ${randomInt(1e6)} ms`, count };
  });
  return { key: keyed ? randomUUID() : undefined, body: JSON.stringify(lines), counts };
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** An answer that is not a success. */
class RefusedError extends Error {}

/** A running server. */
class Server {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(dataDir: string, databaseUrl: string): Promise<Server> {
    const port = await freePort();
    const child = spawn(process.execPath, [resolve(options.server)], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        QUARTERDECK_PORT: String(port),
        QUARTERDECK_DATA_DIR: dataDir,
        QUARTERDECK_DATABASE_URL: databaseUrl,
        QUARTERDECK_SYSLOG_PORT: 'off',
        QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
        QUARTERDECK_LOG_LEVEL: 'warn',
      },
    });
    children.add(child);
    const server = new Server(`http://127.0.0.1:${port}`, child);
    const giveUpMs = performance.now() + START_MAX_MS;
    while (!(await server.isReady())) {
      if (child.exitCode !== null || performance.now() > giveUpMs) throw new Error('the server did not start');
      await delay(5);
    }
    return server;
  }

  async isReady(): Promise<boolean> {
    return await fetch(`${this.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async call<T>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await fetch(this.url + path, {
      ...init,
      headers: { 'Content-Type': 'application/json', ...(init.headers as Record<string, string>) },
    });
    const text = await response.text();
    if (!response.ok) throw new RefusedError(`${path}: ${response.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  }

  async kill(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
    children.delete(this.#child);
  }
}

class Rounds {
  readonly #token: string;
  readonly senders = Array.from({ length: SENDERS }, (_, i) => newSender(i));
  /** Batches without an answer: repeated by key, found stored, found lost. */
  readonly open = { again: 0, there: 0, lost: 0 };
  readonly wrong: string[] = [];

  constructor(token: string) {
    this.#token = token;
  }

  /** Sends until the server is gone. */
  async sendUntilGone(server: Server, sender: Sender): Promise<void> {
    for (;;) {
      sender.open = newBatch(sender);
      try {
        await this.#send(server, sender.open);
      } catch (error) {
        // A refusal is not the fault under test.
        if (error instanceof RefusedError) this.wrong.push(`sender ${sender.appId}: ${error.message}`);
        return;
      }
      this.#acknowledge(sender, sender.open);
    }
  }

  #acknowledge(sender: Sender, batch: Batch): void {
    for (const [group, n] of batch.counts.entries()) sender.acknowledged[group] = (sender.acknowledged[group] ?? 0) + n;
    sender.batches += 1;
    sender.open = undefined;
  }

  #send(server: Server, { key, body }: Batch): Promise<unknown> {
    const headers = { 'API-Token': this.#token, ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
    return server.call(ERRLOG, { method: 'POST', headers, body });
  }

  /** Checks the surviving data and records violations. */
  async check(server: Server, round: number): Promise<void> {
    // PostgreSQL may still execute a statement of the killed server. This waits for it.
    await this.#send(server, { key: undefined, body: '{"level":8,"log":"checking"}', counts: [] });
    for (const sender of this.senders) {
      if (sender.keyed && sender.open !== undefined) {
        await this.#send(server, sender.open);
        this.#acknowledge(sender, sender.open);
        this.open.again += 1;
      }
      const stored = await this.#stored(server, sender);
      const known = sender.acknowledged;
      const { open } = sender;
      const withOpen = open === undefined ? known : known.map((n, group) => n + (open.counts[group] ?? 0));
      if (stored.join() === known.join()) {
        if (open !== undefined) this.open.lost += 1;
        sender.open = undefined;
      } else if (open !== undefined && stored.join() === withOpen.join()) {
        this.#acknowledge(sender, open);
        this.open.there += 1;
      } else {
        const name = `round ${round}, sender ${sender.appId} ${sender.keyed ? 'with' : 'without'} keys`;
        this.wrong.push(
          `${name}: stored ${stored.join(' ')}, acknowledged ${known.join(' ')}, or ${withOpen.join(' ')}`,
        );
        // Each loss is reported once.
        sender.acknowledged.splice(0, GROUPS_PER_SENDER, ...stored);
        sender.open = undefined;
      }
    }
  }

  /** Reads the counts of a sender's groups. */
  async #stored(server: Server, { appId, texts }: Sender): Promise<number[]> {
    const headers = { 'API-Token': this.#token };
    const path = `${ERRLOG}?app_id=${appId}&page_size=100`;
    const { data } = await server.call<{ data: { log: string; count: number }[] }>(path, { headers });
    return texts.map((text) =>
      data.filter(({ log }) => log.startsWith(text)).reduce((sum, { count }) => sum + count, 0),
    );
  }

  /** Checks what is stored beside the counts: the occurrences, and the histogram of the day. */
  async checkKept(server: Server): Promise<void> {
    const headers = { 'API-Token': this.#token };
    const { buckets } = await server.call<{ buckets: { count: number }[] }>(`${ERRLOG}/histogram`, { headers });
    const inHistogram = buckets.reduce((sum, { count }) => sum + count, 0);
    const { data } = await server.call<{ data: { id: number; count: number }[] }>(`${ERRLOG}?page_size=1000`, {
      headers,
    });
    const inList = data.reduce((sum, { count }) => sum + count, 0);
    if (inHistogram !== inList) this.wrong.push(`the histogram holds ${inHistogram}, the list ${inList}`);
    for (const { id, count } of data) {
      let happened = 0;
      for (let page = 1; ; page += 1) {
        const path = `${ERRLOG}/${id}/events?page=${page}&page_size=10000`;
        const { data: found } = await server.call<{ data: { count: number }[] }>(path, { headers });
        if (found.length === 0) break;
        happened += found.reduce((sum, occurrence) => sum + occurrence.count, 0);
      }
      if (happened !== count) this.wrong.push(`group ${id} counts ${count}, its occurrences ${happened}`);
    }
  }
}

async function makeToken(server: Server): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: PASSWORD });
  const { token } = await server.call<{ token: string }>('/admin-api/user/login', { method: 'POST', body });
  const made = { method: 'POST', body: '{"name":"kill-intake"}', headers: { 'edge-token': token } };
  return (await server.call<{ token: string }>('/admin-api/api_token', made)).token;
}

const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-kill-'));
const postgres = options.postgres ? await startPostgres() : undefined;
try {
  const databaseUrl = (await postgres?.createDatabase()) ?? '';
  const startedMs = performance.now();
  let server = await Server.start(dataDir, databaseUrl);
  const rounds = new Rounds(await makeToken(server));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const sending = rounds.senders.map((sender) => rounds.sendUntilGone(server, sender));
    await delay(20 + randomInt(KILL_WITHIN_MS));
    await server.kill();
    await Promise.all(sending);
    server = await Server.start(dataDir, databaseUrl);
    await rounds.check(server, round);
  }
  await rounds.checkKept(server);
  await server.kill();
  const batches = rounds.senders.reduce((sum, sender) => sum + sender.batches, 0);
  const { again, there, lost } = rounds.open;
  say(`${ROUNDS} kills in ${Math.round((performance.now() - startedMs) / 1000)} s, ${batches} batches stored`);
  say(`without an answer: ${again} sent again by their key, ${there} found whole, ${lost} not there`);
  for (const line of rounds.wrong) say(`WRONG ${line}`);
  say(rounds.wrong.length === 0 ? 'nothing acknowledged was lost, and every count is exact' : 'FAILED');
  process.exitCode = rounds.wrong.length === 0 ? 0 : 1;
} finally {
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
