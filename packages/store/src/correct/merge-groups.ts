// Merges errors: on each source their groups become one, in steps by source (decision 090). Each step is whole. The
// lines of a source follow from its step on, so a server may stop between two of them.
import { randomUUID } from 'node:crypto';
import { AppError, invalidField } from '@quarterdeck/core';
import { type Database, type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { chosenFingerprint, isChosen } from '@quarterdeck/core/fingerprint';
import { ALIAS_COLUMNS, ALL_DONE, type Alias, noteCorrection } from '../tables/corrections.ts';
import type { ErrorKey } from '../tables/group-key.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { copyMinutes } from '../tables/group-minutes.ts';
import { currentIds } from '../tables/moved-groups.ts';
import { Correction, countRows, type GroupRow, readRows, removeRow, replaceRow, rowsOfError } from './group-rows.ts';

/** The author of a correction, and its time in Unix milliseconds. */
export interface By {
  readonly actor: string;
  readonly nowMs: number;
}

/** Calls of the caller inside of the write of each step. */
export interface StepHooks {
  /** Groups that are others now, and groups that are gone. */
  onStep(tx: Tx, changed: readonly number[]): Promise<void>;
}

/** The errors that a merge joins. */
export interface MergePlan {
  /** The group that takes the lines on its source. */
  readonly into: GroupRow;
  readonly errors: readonly ErrorKey[];
  /** Groups of these errors on all sources. */
  readonly matched: number;
}

const STEP_GROUPS = 200;

/**
 * Plans a merge of the errors of some groups; the first one takes the others in.
 *
 * @throws AppError `not_found`, `validation_failed` for groups that cannot be one
 */
export async function planMerge(tx: Pick<Tx, 'sql'>, dialect: Dialect, ids: readonly number[]): Promise<MergePlan> {
  const current = await currentIds(tx.sql, ids);
  const rows = new Map((await readRows(tx, dialect, current)).map((row) => [row.id, row]));
  const groups = current.map((id) => rows.get(id));
  const [into] = groups;
  if (into === undefined || groups.includes(undefined)) throw new AppError('not_found');
  const found = groups as GroupRow[];
  const differs = (['level', 'app_id', 'service'] as const).find((name) =>
    found.some((row) => row[name] !== into[name]),
  );
  if (differs !== undefined) {
    throw invalidField('body.ids', `must have one level, one service and one application; they differ in ${differs}`);
  }
  const prints = [...new Set(found.map(({ fingerprint }) => fingerprint))];
  if (prints.length < 2) throw invalidField('body.ids', 'must be groups of different errors');
  const errors = prints.map((fingerprint) => ({ fingerprint, level: into.level, appId: into.app_id }));
  let matched = 0;
  for (const error of errors) matched += await countRows(tx, error);
  return { into, errors, matched };
}

const INSERT_ALIAS = statement(
  `INSERT INTO errlog_alias
     (fingerprint, level, app_id, service, expression, target, sample, src_done, leaving, created_ms, created_by)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, FALSE, ?, ?)`,
);

export type AliasDraft = Pick<Alias, 'fingerprint' | 'expression' | 'target' | 'sample'> &
  Pick<GroupRow, 'level' | 'app_id' | 'service'>;

/** Stores an alias that no line follows yet. */
export const insertAlias = ({ sql }: Tx, alias: AliasDraft, { actor, nowMs }: By) =>
  sql.run(
    INSERT_ALIAS,
    alias.fingerprint,
    alias.level,
    alias.app_id,
    alias.service,
    alias.expression,
    alias.target,
    alias.sample,
    NONE_DONE,
    nowMs,
    actor,
  );

/** Source before the first one. */
export const NONE_DONE = -1;

/** Returns a fingerprint that no text and no program has. Upgrades of the rules leave it. */
export const newTarget = (): string => chosenFingerprint(['corrected', randomUUID()], '');

/** Stores a merge, which {@link mergeSome} carries out; returns its target. */
export async function beginMerge(tx: Tx, { into, errors }: MergePlan, by: By): Promise<string> {
  const target = newTarget();
  for (const { fingerprint, level, appId } of errors) {
    const [row] = await rowsOfError(tx, { fingerprint, level, appId }, NONE_DONE, 1);
    if (row === undefined) throw new AppError('conflict', { message: 'A group has changed meanwhile. Try again.' });
    const sample = isChosen(fingerprint) ? '' : row.log;
    const alias = { fingerprint, level, app_id: appId, service: into.service, expression: '', target, sample };
    await insertAlias(tx, alias, by);
  }
  await noteCorrection(tx);
  return target;
}

const ALIASES = statement(`SELECT ${ALIAS_COLUMNS} FROM errlog_alias WHERE target = ? AND expression = '' ORDER BY id`);
const SET_DONE = statement("UPDATE errlog_alias SET src_done = ? WHERE target = ? AND expression = ''");

/** Takes the next step of a merge; returns whether it was the last one. */
export const mergeSome = (db: Database, target: string, nowMs: number, hooks: StepHooks): Promise<boolean> =>
  db.write(
    async (tx) => {
      await lockGroups(tx, db.dialect);
      const aliases = await tx.sql.all<Alias>(ALIASES, target);
      const [first] = aliases;
      if (first === undefined || first.src_done === ALL_DONE) return true;
      const { level, app_id: appId, service } = first;
      const errors = [target, ...aliases.map(({ fingerprint }) => fingerprint)].map((fingerprint) => ({
        fingerprint,
        level,
        appId,
        service,
      }));
      const { groups, upTo } = await nextGroups(tx, errors, first.src_done);
      const correction = await Correction.begin(tx, db.dialect, errors);
      const changed: number[] = [];
      for (const rows of Map.groupBy(groups, ({ src }) => src).values()) {
        changed.push(...(await mergeRows(correction, rows, aliases, nowMs)));
      }
      await correction.end();
      await tx.sql.run(SET_DONE, upTo, target);
      await noteCorrection(tx);
      await hooks.onStep(tx, changed);
      return upTo === ALL_DONE;
    },
    { bulk: true },
  );

/** Groups of some errors on the next sources, and the last of these sources. */
async function nextGroups(tx: Tx, errors: readonly ErrorKey[], after: number) {
  const lists: GroupRow[][] = [];
  let upTo = ALL_DONE;
  for (const error of errors) {
    const rows = await rowsOfError(tx, error, after, STEP_GROUPS);
    lists.push(rows);
    if (rows.length === STEP_GROUPS) upTo = Math.min(upTo, rows.at(-1)?.src ?? upTo);
  }
  return { groups: lists.flat().filter(({ src }) => src <= upTo), upTo };
}

const ADD_MOVED = statement(
  'INSERT INTO errlog_moved (former_id, errlog_id, alias_id, saved, moved_ms) VALUES (?, ?, ?, ?, ?)',
);
const MOVE_MOVED = statement('UPDATE errlog_moved SET errlog_id = ? WHERE errlog_id = ?');
const MOVE_HISTORY = statement('UPDATE errlog_history SET errlog_id = ? WHERE errlog_id = ?');
const ADD_HISTORY = statement(
  'INSERT INTO errlog_history (errlog_id, time_ms, action, actor, other_id, log) VALUES (?, ?, ?, ?, ?, ?)',
);

/** Adds an entry to the history of a group. */
export const addHistory = (
  { sql }: Tx,
  id: number,
  action: 'merge' | 'split',
  other: Pick<GroupRow, 'id' | 'log'>,
  { actor, nowMs }: By,
) => sql.run(ADD_HISTORY, id, nowMs, action, actor, other.id, other.log);

/** A group as a merge keeps it. Its text is empty, because it may have to be erased. */
export type SavedGroup = GroupRow;

/** Lets the id of a removed group lead to another one, with its history; `aliasId` brings it back. */
export async function redirect(
  { sql }: Tx,
  row: GroupRow,
  into: number,
  aliasId: number,
  nowMs: number,
): Promise<void> {
  await sql.run(MOVE_MOVED, into, row.id);
  await sql.run(MOVE_HISTORY, into, row.id);
  await sql.run(ADD_MOVED, row.id, into, aliasId, JSON.stringify({ ...row, log: '' } satisfies SavedGroup), nowMs);
}

/** Merges the groups of one source; returns the ids of those that changed. */
async function mergeRows(correction: Correction, rows: readonly GroupRow[], aliases: readonly Alias[], nowMs: number) {
  const { tx } = correction;
  const [{ target }] = aliases as [Alias, ...Alias[]];
  const rank = new Map([target, ...aliases.map(({ fingerprint }) => fingerprint)].map((print, i) => [print, i]));
  const [into, ...others] = [...rows].sort(
    (a, b) => (rank.get(a.fingerprint) ?? 0) - (rank.get(b.fingerprint) ?? 0) || a.id - b.id,
  ) as [GroupRow, ...GroupRow[]];
  let merged = into;
  for (const row of others) {
    const alias = aliases.find(({ fingerprint }) => fingerprint === row.fingerprint);
    if (alias === undefined) throw new Error('a group is merged that no alias names');
    await copyMinutes(tx, row.id, into.id);
    await removeRow(correction, row);
    await redirect(tx, row, into.id, alias.id, nowMs);
    await addHistory(tx, into.id, 'merge', row, { actor: alias.created_by, nowMs });
    merged = joined(merged, row);
  }
  await replaceRow(correction, into, { ...merged, fingerprint: target });
  return rows.map(({ id }) => id);
}

/** Most characters of a note. */
const NOTE_MAX = 2_000;

/**
 * A group with another one in it. It keeps its state, unless it is resolved and the other is not: an open error does
 * not disappear. A mute by count does not end by the merge.
 */
function joined(into: GroupRow, other: GroupRow): GroupRow {
  const reopens = into.state === 'resolved' && other.state !== 'resolved';
  const stated = reopens ? other : into;
  const untilCount = stated.until_count + (stated === into ? other.count : into.count);
  const newest = other.log_time > into.log_time ? other : into;
  const notes = [...new Set([into.note, other.note])].filter((note) => note !== '');
  const arrived = [into.arrived, other.arrived].filter((time) => time > 0);
  return {
    ...into,
    log: newest.log,
    log_time: newest.log_time,
    count: into.count + other.count,
    first_seen: Math.min(into.first_seen, other.first_seen),
    arrived: arrived.length === 0 ? 0 : Math.min(...arrived),
    state: stated.state,
    state_since: stated.state_since,
    until: stated.until,
    until_time: stated.until_time,
    until_count: stated.until_count > 0 ? untilCount : 0,
    note: notes.join('\n').slice(0, NOTE_MAX),
  };
}
