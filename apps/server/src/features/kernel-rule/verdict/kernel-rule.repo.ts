// Reads and writes of rules for bad kernels, and of the verdicts that agents have by them.
import { randomUUID } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type KernelRule, type KernelRuleDraft, matchesKernel, type Page, type Slice } from '@quarterdeck/core';
import { type KernelRule as RuleRow, statement, type Tx } from '@quarterdeck/core/db';
import { exclusiveLock, readSetting, sharedLock, storeSetting } from '@quarterdeck/core/sql';

/** Name of the setting that exists while a review is due. Its value identifies the last change of the rules. */
const REVIEW_DUE = 'kernel_review_due';

// Without these locks a write on PostgreSQL that judges a kernel could miss a new rule, and be missed by its review.
const SHARED = sharedLock('kernelRules');
const EXCLUSIVE = exclusiveLock('kernelRules');
// Thousands of agents may register at once, and each registration reads the rules.
const PATTERNS = statement('SELECT pattern, reason FROM kernel_rule ORDER BY id');

/** The part of a rule that judges a kernel. */
export type KernelPattern = Readonly<Pick<RuleRow, 'pattern' | 'reason'>>;

/** Takes the lock for a change of the rules, until the write ends. */
export const lockRules = ({ sql }: Tx) => sql.all(EXCLUSIVE);

/** Takes the lock for a verdict, until the write ends: no rule changes meanwhile. */
export const lockRulesShared = ({ sql }: Tx) => sql.all(SHARED);

/** The patterns of all rules, oldest first. */
export const findPatterns = ({ sql }: Tx): Promise<KernelPattern[]> => sql.all<KernelPattern>(PATTERNS);

export const countRules = ({ prisma }: Tx): Promise<number> => prisma.kernelRule.count();

/** Adds a rule, under the lock; undefined where there is a rule of its pattern. */
export async function createRule(
  { prisma }: Tx,
  { pattern, reason }: KernelRuleDraft,
  createdBy: string,
  createdMs: number,
): Promise<RuleRow | undefined> {
  if ((await prisma.kernelRule.findUnique({ where: { pattern } })) !== null) return undefined;
  return prisma.kernelRule.create({ data: { pattern, reason, createdMs, createdBy } });
}

/** Removes a rule, under the lock, and returns it; undefined where there is none. */
export async function removeRule({ prisma }: Tx, id: number): Promise<RuleRow | undefined> {
  const row = await prisma.kernelRule.findUnique({ where: { id } });
  if (row === null) return undefined;
  await prisma.kernelRule.deleteMany({ where: { id } });
  return row;
}

/** A page of rules, newest first. */
export async function listRules(tx: Tx, { offset, limit }: Slice): Promise<Page<KernelRule>> {
  const count = await countRules(tx);
  if (limit === 0) return { data: [], meta: { count } };
  const rows = await tx.prisma.kernelRule.findMany({ orderBy: { id: 'desc' }, skip: offset, take: limit });
  return { data: await toRules(tx, rows), meta: { count } };
}

/** Rules as the wire has them, each with the number of agents that it matches, deleted ones aside. */
export async function toRules({ prisma }: Tx, rows: readonly RuleRow[]): Promise<KernelRule[]> {
  if (rows.length === 0) return [];
  const where = { isDeleted: false, kernel: { not: '' } };
  const kernels = await prisma.agent.groupBy({ by: 'kernel', where, _count: { id: true } });
  const rules: KernelRule[] = [];
  for (const { id, pattern, reason, createdBy, createdMs } of rows) {
    const matching = kernels.filter(({ kernel }) => matchesKernel(pattern, kernel));
    const agents = matching.reduce((sum, { _count }) => sum + _count.id, 0);
    rules.push({ id, pattern, reason, created_by: createdBy, agents, created: Number(createdMs) / 1000 });
    // There may be as many kernels as agents: other requests run in between.
    await nextRound();
  }
  return rules;
}

/** Stores that a review is due, in the write that changes the rules. */
export const demandReview = (tx: Tx): Promise<void> => storeSetting(tx, REVIEW_DUE, randomUUID());

/** The review that is due; undefined where none is. */
export const findReviewDue = (tx: Tx): Promise<string | undefined> => readSetting(tx, REVIEW_DUE);

/** Stores that a review is done. A review demanded since stays due. */
export const clearReview = ({ prisma }: Tx, value: string): Promise<unknown> =>
  prisma.setting.deleteMany({ where: { name: REVIEW_DUE, value } });

const JUDGED = { id: true, kernel: true, badKernel: true, badKernelReported: true, badKernelReason: true } as const;

/** The columns of an agent that a review compares. */
export interface JudgedRow {
  readonly id: number;
  readonly kernel: string;
  readonly badKernel: boolean;
  readonly badKernelReported: boolean;
  readonly badKernelReason: string;
}

/** Agents after an id, in order. */
export const findJudgedAfter = ({ prisma }: Tx, id: number, limit: number): Promise<JudgedRow[]> =>
  prisma.agent.findMany({ where: { id: { gt: id } }, orderBy: { id: 'asc' }, take: limit, select: JUDGED });

/** Agents by id, in order. */
export const findJudged = ({ prisma }: Tx, ids: readonly number[]): Promise<JudgedRow[]> =>
  prisma.agent.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' }, select: JUDGED });

/** Stores a verdict of the rules on locked agents. Without a reason, the agents' own verdicts hold. */
export async function saveVerdict({ prisma }: Tx, ids: readonly number[], reason: string, modifiedMs: number) {
  const where = { id: { in: [...ids] } };
  const data = { badKernelReason: reason, modifiedMs };
  if (reason !== '') {
    await prisma.agent.updateMany({ where, data: { ...data, badKernel: true } });
    return;
  }
  for (const badKernel of [false, true]) {
    await prisma.agent.updateMany({ where: { ...where, badKernelReported: badKernel }, data: { ...data, badKernel } });
  }
}
