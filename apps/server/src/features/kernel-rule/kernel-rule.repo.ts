// Queries about patterns of bad kernels.

import { setImmediate as nextRound } from 'node:timers/promises';
import { type KernelRule, type KernelRuleDraft, matchesKernel, type Page, type Slice } from '@quarterdeck/core';
import { type Sql, statement, type Tx } from '@quarterdeck/core/db';

interface RuleRow {
  readonly id: number;
  readonly pattern: string;
  readonly reason: string;
  readonly created_ms: number;
  readonly created_by: string;
}

const COLUMNS = 'id, pattern, reason, created_ms, created_by';
const COUNT = statement('SELECT count(*) AS n FROM kernel_rule');
const PAGE = statement(`SELECT ${COLUMNS} FROM kernel_rule ORDER BY id DESC LIMIT ? OFFSET ?`);
const KERNELS = statement('SELECT kernel, count(*) AS n FROM agent WHERE NOT is_deleted GROUP BY kernel');
const CREATE = statement(
  `INSERT INTO kernel_rule (pattern, reason, created_ms, created_by) VALUES (?, ?, ?, ?)
     ON CONFLICT (pattern) DO NOTHING RETURNING ${COLUMNS}`,
);
const REMOVE = statement(`DELETE FROM kernel_rule WHERE id = ? RETURNING ${COLUMNS}`);

/** How many rules there are. */
export const countRules = async (sql: Sql): Promise<number> => (await sql.get<{ n: number }>(COUNT))?.n ?? 0;

/** Makes a rule; undefined where there is one of its pattern. */
export const createRule = (tx: Tx, { pattern, reason }: KernelRuleDraft, username: string, nowMs: number) =>
  tx.sql.get<RuleRow>(CREATE, pattern, reason, nowMs, username);

/** Removes a rule, and says which it was; undefined where there is none. */
export const removeRule = (tx: Tx, id: number): Promise<RuleRow | undefined> => tx.sql.get<RuleRow>(REMOVE, id);

/** A page of rules, newest first. */
export async function listRules(sql: Sql, slice: Slice): Promise<Page<KernelRule>> {
  const count = await countRules(sql);
  const rows = slice.limit === 0 ? [] : await sql.all<RuleRow>(PAGE, slice.limit, slice.offset);
  return { data: await toRules(sql, rows), meta: { count } };
}

/** Rules as they travel, with how many agents each of them matches: all that are not deleted are looked at. */
export async function toRules(sql: Sql, rows: readonly RuleRow[]): Promise<KernelRule[]> {
  const kernels = rows.length === 0 ? [] : await sql.all<{ kernel: string; n: number }>(KERNELS);
  const rules: KernelRule[] = [];
  for (const { created_ms, ...row } of rows) {
    const matching = kernels.filter(({ kernel }) => kernel !== '' && matchesKernel(row.pattern, kernel));
    rules.push({ ...row, agents: matching.reduce((sum, { n }) => sum + n, 0), created: created_ms / 1000 });
    // As many kernels as agents, and patterns that fit badly: others get their turn.
    await nextRound();
  }
  return rules;
}
