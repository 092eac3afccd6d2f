// Agents with a history, and errors on them, at given times.
import { randomUUID } from 'node:crypto';
import { type Database, statement } from '@quarterdeck/core/db';
import { type Sender, SourceIds } from '../src/errlog-store/tables/sources.ts';
import { storeBatch } from '../src/errlog-store/write/store-batch.ts';
import { type HistoryEntry, recordHistory } from '../src/features/agent/agent-history.repo.ts';
import { UNLIMITED } from './unlimited.ts';
import { word } from './word.ts';

const AGENT = statement({
  sqlite: `INSERT INTO agent (node_id, hostname, ip, secret_hash, interval_s, last_reported_ms, created_ms, modified_ms)
    VALUES (?, ?, ?, ?, 30, 0, ?, 0)`,
  postgresql: `INSERT INTO agent (node_id, hostname, ip, secret_hash, interval_s, last_reported_ms, created_ms, modified_ms)
    VALUES ($1, $2, $3, $4, 30, 0, $5, 0)`,
});
const AGENT_ID = statement('SELECT id FROM agent WHERE node_id = ?');
const GROUP_ID = statement('SELECT id FROM errlog WHERE fingerprint = ? AND src = ?');

/** Adds agents that registered at a time (Unix seconds); returns their ids. */
export async function hosts(
  db: Database,
  names: readonly string[],
  createdS: number,
  ip: (i: number) => string = () => '',
): Promise<number[]> {
  const ids: number[] = [];
  await db.write(async (tx) => {
    for (const [i, name] of names.entries()) {
      const nodeId = randomUUID();
      await tx.sql.run(AGENT, nodeId, name, ip(i), Buffer.from(nodeId), createdS * 1000);
      ids.push((await tx.sql.get<{ id: number }>(AGENT_ID, nodeId))?.id ?? 0);
    }
  });
  return ids;
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
  readonly log = `${word()} failed`;
  readonly #db: Database;
  readonly #level: number;

  constructor(db: Database, level = 3) {
    this.#db = db;
    this.#level = level;
  }

  /** Stores occurrences of an agent's source at some times (Unix seconds); returns the id of the group. */
  onAgent(agent: number, times: readonly number[], arrivedS = times[0] ?? 0, nodeId = -1): Promise<number> {
    return this.on({ nodeType: 0, nodeId, name: `agent ${agent}`, address: '', agentId: agent }, times, arrivedS);
  }

  /** Stores occurrences of any source. */
  async on(sender: Sender, times: readonly number[], arrivedS = times[0] ?? 0): Promise<number> {
    const db = this.#db;
    const { ids } = await db.write((tx) => new SourceIds().find(tx, [sender], Date.now()));
    const src = ids.get(sender)?.id ?? 0;
    const { fingerprint, log } = this;
    const sorted = [...times].sort((a, b) => a - b);
    const group = {
      src,
      nodeType: 0,
      appId: 0,
      level: this.#level,
      fingerprint,
      service: '',
      sender: '',
      log,
      count: sorted.length,
      firstSeen: sorted[0] ?? 0,
      logTime: sorted.at(-1) ?? 0,
      occurrences: sorted.map((time, id) => ({ id, time, reqId: '', count: 1, log, fields: undefined })),
    };
    await db.write((tx) => storeBatch(tx, [group], arrivedS, { allowance: UNLIMITED, mayAdopt: false }));
    return (await db.read.sql.get<{ id: number }>(GROUP_ID, fingerprint, src))?.id ?? 0;
  }
}
