// The review after a change of the rules: judges the kernels of all agents again, in slices. That it is due is stored
// with the change, so a job finishes a review that was interrupted.
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Tx } from '@quarterdeck/core/db';
import { ANNOUNCED_MAX, announceAgents, announceBurst } from '../agent/records/agent.events.ts';
import { lockAgents } from '../agent/records/agent.repo.ts';
import type { AgentDeps } from '../agent/records/agent.types.ts';
import { type HistoryEntry, recordHistory } from '../agent/records/agent-history.repo.ts';
import {
  clearReview,
  findJudged,
  findJudgedAfter,
  findPatterns,
  findReviewDue,
  type JudgedRow,
  saveVerdict,
} from './verdict/kernel-rule.repo.ts';
import { badKernelText, reasonOf } from './verdict/kernel-rule.verdict.ts';

/** Agents read, and changed, at once. */
const SLICE = 250;

/**
 * Runs the review if one is due. It includes deleted agents, as they may be restored. `actor` is the user who changed
 * the rules; the job that finishes an interrupted review knows none.
 */
export async function reviewKernels(
  deps: AgentDeps,
  { stopped = () => false, actor = '' }: { readonly stopped?: () => boolean; readonly actor?: string } = {},
): Promise<void> {
  const { db } = deps;
  const due = await findReviewDue(db.read);
  if (due === undefined) return;
  let changed = 0;
  let last = 0;
  for (;;) {
    if (stopped()) return;
    const rows = await findJudgedAfter(db.read, last, SLICE);
    const end = rows.at(-1);
    if (end === undefined) break;
    last = end.id;
    const ids = (await findMisjudged(db.read, rows)).map(({ row }) => row.id);
    changed += ids.length;
    const announceEach = changed <= ANNOUNCED_MAX;
    if (ids.length > 0) await db.write((tx) => correct(tx, deps, ids, { announceEach, actor }));
    // Without a write, other requests run in between all the same.
    else await nextRound();
  }
  await db.write((tx) => clearReview(tx, due));
}

interface Correction {
  readonly row: JudgedRow;
  readonly reason: string;
}

/** Finds agents whose stored reason differs from the rules. */
async function findMisjudged(tx: Tx, rows: readonly JudgedRow[]): Promise<Correction[]> {
  const patterns = await findPatterns(tx);
  const reasons = new Map<string, string>();
  for (const { kernel } of rows) if (!reasons.has(kernel)) reasons.set(kernel, reasonOf(patterns, kernel));
  return rows
    .map((row) => ({ row, reason: reasons.get(row.kernel) ?? '' }))
    .filter(({ row, reason }) => row.badKernelReason !== reason);
}

async function correct(
  tx: Tx,
  deps: AgentDeps,
  ids: readonly number[],
  { announceEach, actor }: { readonly announceEach: boolean; readonly actor: string },
): Promise<void> {
  const nowMs = deps.now();
  await lockAgents(tx, deps.db.dialect, ids);
  const corrections = await findMisjudged(tx, await findJudged(tx, ids));
  const history: HistoryEntry[] = [];
  for (const [reason, group] of Map.groupBy(corrections, ({ reason }) => reason)) {
    const agentIds = group.map(({ row }) => row.id);
    await saveVerdict(tx, agentIds, reason, nowMs);
    for (const { row } of group) {
      const after = badKernelText({ badKernel: row.badKernelReported || reason !== '', badKernelReason: reason });
      history.push({ agentId: row.id, kind: 'changed', field: 'bad_kernel', before: badKernelText(row), after, actor });
    }
  }
  await recordHistory(tx, history, nowMs);
  const corrected = corrections.map(({ row }) => row.id);
  await (announceEach ? announceAgents(tx, deps, 'agent.changed', corrected) : announceBurst(tx, deps));
}
