// Splits lines off a group: those of an error that was merged go back to their group, others go to a new one that an
// expression describes. Stored lines are moved segment by segment; the last step moves those that arrived meanwhile
// and lets later lines follow (decision 090). A server that was stopped begins again: lines that are moved stay so.
import { AppError, invalidField } from '@quarterdeck/core';
import { type Database, type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { loadExpressions } from '@quarterdeck/core/filter';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import {
  ALIAS_COLUMNS,
  ALL_DONE,
  type Alias,
  Corrections,
  noteCorrection,
  readAliases,
} from '../tables/corrections.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { currentIds } from '../tables/moved-groups.ts';
import { describeLines } from './describe-lines.ts';
import { type GroupRow, readRows } from './group-rows.ts';
import { type By, insertAlias, NONE_DONE, newTarget, type StepHooks } from './merge-groups.ts';
import { type LineMove, LineMover } from './move-lines.ts';

/** A stored line that a person chose. */
export interface ChosenLine {
  /** The group that it is in now. */
  readonly group: number;
  readonly log: string;
}

/** A split that is planned. */
export type SplitPlan = { readonly group: GroupRow } & (
  | { readonly kind: 'back'; readonly aliases: readonly Alias[] }
  | { readonly kind: 'new'; readonly expression: string; readonly sample: string }
);

/**
 * Plans a split of a group by some of its lines; `texts` are texts of its newest lines.
 *
 * @throws AppError `not_found`, `validation_failed` for lines of other groups, `conflict` where nothing tells the lines
 *   from the others
 */
export async function planSplit(
  tx: Pick<Tx, 'sql'>,
  dialect: Dialect,
  id: number,
  lines: readonly ChosenLine[],
  texts: readonly string[],
): Promise<SplitPlan> {
  const [current = id] = await currentIds(tx.sql, [id]);
  const [group] = await readRows(tx, dialect, [current]);
  if (group === undefined) throw new AppError('not_found');
  if (lines.some((line) => line.group !== group.id)) throw invalidField('body.lines', 'must be lines of this group');
  const aliases = await readAliases(tx.sql);
  await loadExpressions();
  const parts = partsOf(new Corrections(aliases, []), group, lines);
  const all = leavesOf(aliases, group);
  if (parts !== undefined && parts.length < all.length) return { kind: 'back', group, aliases: parts };
  const expression = describeLines(
    lines.map(({ log }) => log),
    texts,
  );
  if (expression === undefined) {
    const message =
      'No part of these lines tells them from the other lines of the group. Make a rule for them instead.';
    throw new AppError('conflict', { message });
  }
  return { kind: 'new', group, expression, sample: lines[0]?.log ?? '' };
}

/** The merged errors that some lines have by their text; undefined where one of them has none. */
function partsOf(corrections: Corrections, group: GroupRow, lines: readonly ChosenLine[]): Alias[] | undefined {
  const parts = new Map<number, Alias>();
  for (const { log } of lines) {
    const line = { log, level: group.level, appId: group.app_id, service: group.service };
    const steps = corrections.stepsOf(line, group.src, fingerprint(log, group.service));
    const [first] = steps;
    if (first === undefined || first.expression !== '' || steps.at(-1)?.target !== group.fingerprint) return undefined;
    parts.set(first.id, first);
  }
  return [...parts.values()];
}

/** The errors of texts that were merged into the error of a group. */
function leavesOf(aliases: readonly Alias[], group: GroupRow): Alias[] {
  const targets = new Set(aliases.map(({ target }) => target));
  const into = (print: string): Alias[] =>
    aliases
      .filter(({ target, expression }) => target === print && expression === '')
      .flatMap((alias) => (targets.has(alias.fingerprint) ? into(alias.fingerprint) : [alias]));
  return into(group.fingerprint);
}

const SET_LEAVING = statement('UPDATE errlog_alias SET leaving = TRUE WHERE id = ?');
const OF_TARGET = statement(`SELECT ${ALIAS_COLUMNS} FROM errlog_alias WHERE target = ?`);

/** Stores a split, which {@link carryOut} carries out; returns its aliases. */
export async function beginSplit(tx: Tx, plan: SplitPlan, by: By): Promise<Alias[]> {
  if (plan.kind === 'back') {
    for (const { id } of plan.aliases) await tx.sql.run(SET_LEAVING, id);
    await noteCorrection(tx);
    return plan.aliases.map((alias) => ({ ...alias, leaving: 1, created_by: by.actor }));
  }
  const { expression, sample, group } = plan;
  const target = newTarget();
  await insertAlias(tx, { ...group, expression, target, sample }, by);
  return tx.sql.all<Alias>(OF_TARGET, target);
}

/** The move that an alias stands for while it is not settled: a split that begins, or a merge that ends. */
export function moveOf(alias: Alias, aliases: readonly Alias[]): LineMove {
  const { level, app_id: appId, service } = alias;
  if (alias.leaving === 0) {
    const { fingerprint: from, target, expression } = alias;
    return { level, appId, service, from: [from], target, expression, formerOf: undefined };
  }
  return {
    level,
    appId,
    service,
    from: reachable(aliases, alias.target),
    target: alias.fingerprint,
    expression: '',
    formerOf: alias.id,
  };
}

function reachable(aliases: readonly Alias[], start: string): string[] {
  const found = new Set([start]);
  for (const print of found) for (const { fingerprint: from, target } of aliases) if (from === print) found.add(target);
  return [...found];
}

/** Tells whether an alias has a split, or the end of a merge, to be carried out. */
export const isUnsettled = ({ leaving, expression, src_done: done }: Alias): boolean =>
  leaving === 1 || (expression !== '' && done === NONE_DONE);

/** Counts the stored lines that a plan moves, without a change. */
export async function countMoves(db: Database, plan: SplitPlan): Promise<number> {
  const aliases = await readAliases(db.read.sql);
  const moves =
    plan.kind === 'back'
      ? plan.aliases.map((alias) => moveOf({ ...alias, leaving: 1 }, aliases))
      : [moveOf({ ...draftOf(plan.group), expression: plan.expression }, aliases)];
  let lines = 0;
  for (const move of moves) lines += await new LineMover(db, move).count();
  return lines;
}

const draftOf = (group: GroupRow): Alias => ({
  id: 0,
  fingerprint: group.fingerprint,
  level: group.level,
  app_id: group.app_id,
  service: group.service,
  expression: '',
  target: '',
  sample: '',
  src_done: NONE_DONE,
  leaving: 0,
  created_ms: 0,
  created_by: '',
});

const REMOVE = statement('DELETE FROM errlog_alias WHERE id = ?');
const SETTLE = statement(`UPDATE errlog_alias SET src_done = ? WHERE id = ?`);
const GET = statement(`SELECT ${ALIAS_COLUMNS} FROM errlog_alias WHERE id = ?`);

/** Carries out the move of an alias; returns the number of moved lines. A settled alias has none left. */
export async function carryOut(
  db: Database,
  { id, created_by: actor }: Alias,
  nowMs: number,
  hooks: StepHooks,
): Promise<number> {
  await loadExpressions();
  const alias = await db.read.sql.get<Alias>(GET, id);
  if (alias === undefined || !isUnsettled(alias)) return 0;
  const move = moveOf(alias, await readAliases(db.read.sql));
  const mover = new LineMover(db, move, { by: { actor, nowMs }, hooks });
  return await mover.run(async (tx) => {
    const still = await tx.sql.get<Alias>(GET, id);
    if (still === undefined || !isUnsettled(still)) return false;
    if (alias.leaving === 1) await tx.sql.run(REMOVE, id);
    else await tx.sql.run(SETTLE, ALL_DONE, id);
    await noteCorrection(tx);
    return true;
  });
}

/** @throws AppError `conflict` while a correction of some errors is carried out */
export async function checkSettled(tx: Tx, dialect: Dialect, prints: readonly string[]): Promise<void> {
  await lockGroups(tx, dialect);
  const aliases = await readAliases(tx.sql);
  const isOpen = ({ src_done: done, leaving, fingerprint: from, target }: Alias) =>
    (done !== ALL_DONE || leaving === 1) && (prints.includes(from) || prints.includes(target));
  if (!aliases.some(isOpen)) return;
  throw new AppError('conflict', { message: 'A correction of these groups is under way. Try again in a moment.' });
}
