// Agents with a history, and errors on them, at given times.
import { randomUUID } from 'node:crypto';
import { type Database, statement } from '@quarterdeck/core/db';
import { type Sender, SourceIds } from '../../../packages/store/src/tables/sources.ts';
import { storeBatch } from '../../../packages/store/src/write/store-batch.ts';
import { newSecret } from '../src/auth/secrets.ts';
import { type HistoryEntry, recordHistory } from '../src/features/agent/records/agent-history.repo.ts';
import { groupedLines } from './grouped-lines.ts';
import type { TestApi } from './start-api.ts';
import { UNLIMITED } from './unlimited.ts';
import { word } from './word.ts';

const COLUMNS = [
  ...['node_id', 'hostname', 'ip', 'kernel', 'secret_hash', 'interval_s', 'state', 'reason'],
  ...['state_since_ms', 'last_reported_ms', 'created_ms', 'modified_ms'],
];
const INSERT = statement(
  `INSERT INTO agent (${COLUMNS.join()}, secret_used) VALUES (${COLUMNS.map(() => '?').join()}, TRUE) RETURNING id`,
);
const GROUP_ID = statement('SELECT id FROM errlog WHERE fingerprint = ? AND src = ?');

/** An agent to add; times are Unix milliseconds. Without the time of its last report it has not reported yet. */
interface NewAgent {
  readonly nodeId?: string;
  readonly hostname: string;
  readonly ip?: string;
  readonly kernel?: string;
  readonly secretHash?: Uint8Array;
  readonly intervalS?: number;
  readonly createdMs: number;
  readonly reportedMs?: number;
}

/** Adds agents to the database, as registering them one by one would be slow; returns their ids. */
async function insertAgents(db: Database, agents: readonly NewAgent[]): Promise<number[]> {
  const ids: number[] = [];
  await db.write(async ({ sql }) => {
    for (const { nodeId = randomUUID(), hostname, ip = '', kernel = '', intervalS = 30, ...more } of agents) {
      const { secretHash = Buffer.from(nodeId), createdMs, reportedMs } = more;
      const state = reportedMs === undefined ? ['pending', 'registered', 0] : ['online', 'reporting', reportedMs];
      const times = [reportedMs ?? 0, createdMs, createdMs];
      const values = [nodeId, hostname, ip, kernel, secretHash, intervalS, ...state, ...times] as const;
      ids.push((await sql.get<{ id: number }>(INSERT, ...values))?.id ?? 0);
    }
  });
  return ids;
}

/** Adds agents that registered at a time (Unix seconds); returns their ids. */
export const hosts = (db: Database, names: readonly string[], createdS: number, ip: (i: number) => string = () => '') =>
  insertAgents(
    db,
    names.map((hostname, i) => ({ hostname, ip: ip(i), createdMs: createdS * 1000 })),
  );

/** Adds agents that have just reported; returns their ids. */
export function storeAgents(
  api: TestApi,
  count: number,
  kernelOf: (n: number) => string = () => '',
): Promise<number[]> {
  const nowMs = api.now();
  const agents = Array.from({ length: count }, (_, n) => {
    const nodeId = randomUUID();
    return { nodeId, hostname: `host-${nodeId}`, kernel: kernelOf(n), createdMs: nowMs, reportedMs: nowMs };
  });
  return insertAgents(api.server.deps.db, agents);
}

/** Adds agents that have just reported; returns their ids and secrets. */
export async function newFleet(api: TestApi, count: number): Promise<{ id: number; secret: string }[]> {
  const { db, key, agentIntervalS: intervalS } = api.server.deps;
  const nowMs = api.now();
  const secrets = Array.from({ length: count }, () => newSecret('agent'));
  const agents = secrets.map((secret) => ({
    hostname: 'h',
    secretHash: key.digest(secret),
    intervalS,
    createdMs: nowMs,
    reportedMs: nowMs,
  }));
  const ids = await insertAgents(db, agents);
  return ids.map((id, i) => ({ id, secret: secrets[i] ?? '' }));
}

/** Adds a number of agents with hostnames of their own. */
export const manyHosts = (db: Database, n: number, createdS: number) =>
  hosts(
    db,
    Array.from({ length: n }, () => `host-${word()}`),
    createdS,
  );

/** History entries added in one write. */
const SLICE = 250;

/** Adds the same history entry to agents, at a time (Unix seconds). */
export async function addHistory(
  db: Database,
  agents: readonly number[],
  timeS: number,
  entry: Omit<HistoryEntry, 'agentId'>,
): Promise<void> {
  for (let at = 0; at < agents.length; at += SLICE) {
    const entries = agents.slice(at, at + SLICE).map((agentId) => ({ agentId, ...entry }));
    await db.write((tx) => recordHistory(tx, entries, timeS * 1000));
  }
}

/** An error that tests store for sources. */
export class MadeError {
  readonly fingerprint = `v1-${randomUUID()}`;
  readonly log: string;
  readonly #db: Database;
  readonly #level: number;

  constructor(db: Database, level = 3, log = `${word()} failed`) {
    this.#db = db;
    this.#level = level;
    this.log = log;
  }

  /** Stores occurrences of an agent's source at some times (Unix seconds); returns the id of the group. */
  async onAgent(agent: number, times: readonly number[], arrivedS?: number, nodeId?: number): Promise<number> {
    const [id = 0] = await this.#store([senderOf(agent, nodeId)], times, arrivedS);
    return id;
  }

  /** Stores occurrences of the sources of agents, at the same times for each; returns the ids of the groups. */
  onAgents(agents: readonly number[], times: readonly number[]): Promise<number[]> {
    const senders = agents.map((agent) => senderOf(agent));
    return this.#store(senders, times);
  }

  /** Stores occurrences of any source. */
  async on(sender: Sender, times: readonly number[], arrivedS?: number): Promise<number> {
    const [id = 0] = await this.#store([sender], times, arrivedS);
    return id;
  }

  async #store(senders: readonly Sender[], times: readonly number[], arrivedS = times[0] ?? 0): Promise<number[]> {
    const db = this.#db;
    const { ids } = await db.write((tx) => new SourceIds().find(tx, senders, Date.now()));
    const sources = senders.map((sender) => ids.get(sender) ?? 0);
    const { fingerprint, log } = this;
    const sorted = [...times].sort((a, b) => a - b);
    const lines = sources.flatMap((src) => sorted.map((time) => ({ src, level: this.#level, time, log })));
    await db.write((tx) => storeBatch(tx, groupedLines(lines, fingerprint), arrivedS, { allowance: UNLIMITED }));
    const stored = sources.map((src) => db.read.sql.get<{ id: number }>(GROUP_ID, fingerprint, src));
    return (await Promise.all(stored)).map((group) => group?.id ?? 0);
  }
}

/** The source of an agent. */
const senderOf = (agent: number, nodeId = -1): Sender => ({
  nodeType: 0,
  nodeId,
  name: `agent ${agent}`,
  address: '',
  agentId: agent,
});
