// Clients of an address behind which servers end and return. Each has one connection, and notes each request that
// failed and each acknowledged change, which must be stored at the end.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, call, ERRLOG, keptConnections, newText } from '../honest-clients.ts';
import { type Failure, type Follower, followEvents } from './follower.ts';

const CHANGE = '/admin-api/change';
const PATIENCE_MS = 30_000;
const LINES_MAX = 40;
/** Pause of a client between two requests. */
const PAUSE_MS = 15;
/** Pause of a client that reports changes: a credential has 50 a second. */
const CHANGE_PAUSE_MS = 200;

export interface Clients {
  /** Failed requests so far, in the order of their ends. */
  readonly failures: readonly ClientFailure[];
  /** Good answers so far. */
  good(): number;
  stop(): Promise<void>;
  /** Compares what is stored with what was acknowledged; returns what is wrong. */
  wrong(): Promise<string[]>;
  /** Summary of the acknowledged work. */
  compared(): string;
}

export interface Counts {
  readonly senders: number;
  readonly agents: number;
  readonly reporters: number;
  readonly readers: number;
  readonly followers: number;
}

export interface ClientFailure extends Failure {
  readonly client: string;
}

/** Outcome of a request: its data, or undefined where it failed. */
type Send = (path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<unknown>;

export async function startClients(url: string, session: string, counts: Counts): Promise<Clients> {
  const asAdmin = { 'edge-token': session };
  const failures: ClientFailure[] = [];
  const running: Promise<void>[] = [];
  const followers: Follower[] = [];
  const checks: (() => Promise<string[]>)[] = [];
  const totals = { lines: 0, heartbeats: 0, changes: 0, repeated: 0 };
  const reported = new Set<string>();
  let [stopped, good] = [false, 0];

  /** Runs a client on a connection of its own. */
  function run(client: string, pauseMs: number, work: (send: Send) => Promise<void>): void {
    const agent = keptConnections();
    const send: Send = async (path, body, headers = asAdmin) => {
      const sentMs = performance.now();
      const { outcome, text, port } = await ask({ url, path, body, headers, agent, patienceMs: PATIENCE_MS });
      if (outcome !== 200) return void failures.push({ client, outcome: `${outcome}${codeIn(text)}`, sentMs, port });
      good += 1;
      return (JSON.parse(text) as { data: unknown }).data ?? true;
    };
    const repeat = async () => {
      while (!stopped) {
        await work(send);
        await delay(randomInt(2 * pauseMs));
      }
      agent.destroy();
    };
    running.push(repeat());
  }

  const read = <T>(path: string, body?: unknown) => call<T>({ url, path, headers: asAdmin, body });

  /** Sends batches. One that has a key is sent again until it is acknowledged, so its lines count exactly once. */
  function startSender(client: string, isKeyed: boolean): void {
    const name = newText();
    let [acknowledged, open] = [0, 0];
    run(client, PAUSE_MS, async (send) => {
      const lines = Array.from({ length: 1 + randomInt(LINES_MAX) }, (_, n) => ({
        level: 4,
        log: `${name} after ${n} ms`,
      }));
      const headers = isKeyed ? { ...asAdmin, 'Idempotency-Key': randomUUID() } : asAdmin;
      while ((await send(ERRLOG, lines, headers)) === undefined) {
        if (!isKeyed) {
          open += lines.length;
          return;
        }
        totals.repeated += 1;
      }
      acknowledged += lines.length;
      totals.lines += lines.length;
    });
    checks.push(async () => {
      const { data } = await read<{ data: { count: number }[] }>(`${ERRLOG}?q=${name}`);
      const stored = data.reduce((sum, { count }) => sum + count, 0);
      const isRight = stored >= acknowledged && stored <= acknowledged + open;
      return isRight ? [] : [`${client}: ${acknowledged} lines acknowledged, ${open} open, ${stored} stored`];
    });
  }

  /** Sends heartbeats with a fact that changes each time. */
  async function startAgent(client: string): Promise<void> {
    const facts = { node_id: client, hostname: client };
    const { id, secret } = await read<{ id: number; secret: string }>('/api/agents/register', facts);
    let n = 0;
    let expected: string[] = [];
    run(client, PAUSE_MS, async (send) => {
      n += 1;
      const fact = `system ${n}`;
      const sent = await send(`/api/agents/${id}/heartbeat`, { system_name: fact }, { 'API-Token': secret });
      if (sent === undefined) return void expected.push(fact);
      expected = [fact];
      totals.heartbeats += 1;
    });
    checks.push(async () => {
      const { system_name: stored } = await read<{ system_name: string }>(`/api/agents/${id}`);
      return expected.includes(stored) ? [] : [`${client}: ${expected.join(' or ')} reported, ${stored} stored`];
    });
  }

  for (let n = 0; n < counts.senders; n += 1) startSender(`sender ${n}`, n % 2 === 1);
  for (let n = 0; n < counts.agents; n += 1) await startAgent(`agent-${n}`);
  for (let n = 0; n < counts.readers; n += 1) {
    run(`reader ${n}`, PAUSE_MS, async (send) => void (await send(`${ERRLOG}?page_size=20`)));
  }
  for (let n = 0; n < counts.followers; n += 1) {
    followers.push(await followEvents(url, session, (failed) => failures.push({ client: `stream ${n}`, ...failed })));
  }
  for (let n = 0; n < counts.reporters; n += 1) {
    run(`reporter ${n}`, CHANGE_PAUSE_MS, async (send) => {
      const name = newText();
      if ((await send(CHANGE, { kind: 'deploy', name })) !== undefined) reported.add(name);
    });
  }
  checks.push(async () => {
    totals.changes = reported.size;
    const lost = new Set(reported);
    for (let page = 1; lost.size > 0; page += 1) {
      const { data } = await read<{ data: { name: string }[] }>(`${CHANGE}?page=${page}&page_size=1000`);
      for (const { name } of data) lost.delete(name);
      if (data.length === 0) break;
    }
    return [...lost].map((name) => `the change ${name} was acknowledged and is lost`);
  });

  return {
    failures,
    good: () => good,
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
    async wrong() {
      const found = (await Promise.all(checks.map((check) => check()))).flat();
      const missed = await Promise.all(followers.map((follower, n) => follower.wrong(reported, `stream ${n}`)));
      for (const follower of followers) follower.stop();
      return [...found, ...missed.flat()];
    },
    compared: () =>
      `${totals.lines} lines, ${totals.heartbeats} heartbeats and ${totals.changes} changes acknowledged, ` +
      `${totals.repeated} batches sent again; ${followers.length} streams, ` +
      `${followers.reduce((sum, { connections }) => sum + connections(), 0)} connections`,
  };
}

/** Code of an error in an answer of a server; those of haproxy have none. */
const codeIn = (text: string): string => /"code":"(\w+)"/.exec(text)?.[0].replace('"code":', ' ') ?? '';
