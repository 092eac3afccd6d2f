// After a change of the rules: judges the kernels of all agents anew, in slices. That it has to be done is stored with the
// change, so that somebody finishes it whatever happens to who began.
import { randomUUID } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { type AgentDeps, lockAgents } from '../agent/agent.action.ts';
import { CHANGES_MAX, tellOf, tellOfMany } from '../agent/agent.announce.ts';
import { type HistoryEntry, recordHistory } from '../agent/agent.history.ts';
import { badKernelText, kernelVerdicts, reasonOf } from './bad-kernels.ts';

/** Agents looked at, and changed, at once. */
const SLICE = 250;
/** Name of the setting that is there while a review has to be done; its value is of the last change. */
const DUE = 'kernel_review_due';

interface JudgedRow {
  readonly id: number;
  readonly kernel: string;
  readonly bad_kernel: number;
  readonly bad_kernel_reported: number;
  readonly bad_kernel_reason: string;
}

const SET_DUE = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);
const READ_DUE = statement('SELECT value FROM setting WHERE name = ?');
const CLEAR_DUE = statement('DELETE FROM setting WHERE name = ? AND value = ?');
const JUDGED = 'SELECT id, kernel, bad_kernel, bad_kernel_reported, bad_kernel_reason FROM agent';
const AFTER = statement(`${JUDGED} WHERE id > ? ORDER BY id LIMIT ?`);

/** Says, in the write that changes the rules, that a review has to be done. */
export async function demandReview(tx: Tx): Promise<void> {
  await tx.sql.run(SET_DUE, DUE, randomUUID());
}

/** Does the review that has to be done, if there is one. Deleted agents are judged too: they may come back. */
export async function reviewKernels(deps: AgentDeps, stopped: () => boolean = () => false): Promise<void> {
  const { db } = deps;
  const due = (await db.read.sql.get<{ value: string }>(READ_DUE, DUE))?.value;
  if (due === undefined) return;
  let told = 0;
  let last = 0;
  for (;;) {
    if (stopped()) return;
    const rows = await db.read.sql.all<JudgedRow>(AFTER, last, SLICE);
    const end = rows.at(-1);
    if (end === undefined) break;
    last = end.id;
    const ids = (await misjudged(db.read.sql, rows)).map(({ row }) => row.id);
    told += ids.length;
    if (ids.length > 0) await db.write((tx) => correct(tx, deps, ids, told <= CHANGES_MAX));
    // Where nothing has to be written, others get their turn all the same.
    else await nextRound();
  }
  await db.write((tx) => tx.sql.run(CLEAR_DUE, DUE, due));
}

interface Correction {
  readonly row: JudgedRow;
  readonly reason: string;
}

/** Agents whose kernels are not what the rules say. */
async function misjudged(sql: Sql, rows: readonly JudgedRow[]): Promise<Correction[]> {
  const verdicts = await kernelVerdicts(sql);
  const reasons = new Map<string, string>();
  for (const { kernel } of rows) if (!reasons.has(kernel)) reasons.set(kernel, reasonOf(verdicts, kernel));
  return rows
    .map((row) => ({ row, reason: reasons.get(row.kernel) ?? '' }))
    .filter(({ row, reason }) => row.bad_kernel_reason !== reason);
}

async function correct(tx: Tx, deps: AgentDeps, ids: readonly number[], tellEach: boolean): Promise<void> {
  const { dialect } = deps.db;
  const nowMs = deps.now();
  await lockAgents(tx, dialect, ids);
  const again = cached(`${JUDGED} WHERE ${inJson(dialect, 'id')} ORDER BY id`);
  const corrections = await misjudged(tx.sql, await tx.sql.all<JudgedRow>(again, JSON.stringify(ids)));
  const happenings: HistoryEntry[] = [];
  const byReason = Map.groupBy(corrections, ({ reason }) => reason);
  const update = cached(
    `UPDATE agent SET bad_kernel = (bad_kernel_reported OR CAST(? AS text) <> ''), bad_kernel_reason = ?, modified_ms = ?
       WHERE ${inJson(dialect, 'id')}`,
  );
  for (const [reason, those] of byReason) {
    await tx.sql.run(update, reason, reason, nowMs, JSON.stringify(those.map(({ row }) => row.id)));
    for (const { row } of those) {
      const before = badKernelText({ badKernel: row.bad_kernel === 1, badKernelReason: row.bad_kernel_reason });
      const isBad = row.bad_kernel_reported === 1 || reason !== '';
      const after = badKernelText({ badKernel: isBad, badKernelReason: reason });
      happenings.push({ agentId: row.id, kind: 'changed', field: 'bad_kernel', before, after });
    }
  }
  await recordHistory(tx, happenings, nowMs);
  const corrected = corrections.map(({ row }) => row.id);
  await (tellEach
    ? tellOf(tx, deps.events, 'agent.changed', corrected, deps.listeningWindow.moment())
    : tellOfMany(tx, deps.events));
}
