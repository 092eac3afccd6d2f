// Corrections of grouping by people: merges, splits, and rules as text (decision 090).
import { AppError, invalidField } from '@quarterdeck/core';
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import { type Filter, termsOf } from '@quarterdeck/core/filter';
import {
  ALL_DONE,
  expressionOf,
  noteCorrection,
  readAliases,
  readRules,
  type StoredRule,
} from '../tables/corrections.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { type By, beginMerge, type MergePlan, mergeSome, planMerge, type StepHooks } from './merge-groups.ts';
import {
  beginSplit,
  type ChosenLine,
  carryOut,
  checkSettled,
  countMoves,
  isUnsettled,
  planSplit,
  type SplitPlan,
} from './split-group.ts';

/** An entry of the history of a group. */
export interface HistoryEntry {
  readonly time_ms: number;
  readonly action: 'merge' | 'split';
  readonly actor: string;
  readonly other_id: number;
  readonly log: string;
}

const HISTORY = statement(
  `SELECT time_ms, action, actor, other_id, log FROM errlog_history WHERE errlog_id = ? ORDER BY id DESC LIMIT ?`,
);
const MADE_BY = statement(
  `SELECT time_ms, action, actor, errlog_id AS other_id, '' AS log FROM errlog_history
   WHERE other_id = ? AND action = 'split' ORDER BY id DESC LIMIT 1`,
);
const ADD_RULE = statement(
  'INSERT INTO errlog_rule (text, action, created_ms, created_by) VALUES (?, ?, ?, ?) ON CONFLICT (text) DO NOTHING',
);
const REMOVE_RULE = statement('DELETE FROM errlog_rule WHERE id = ?');
const FIND_RULE = statement('SELECT id, text, action, created_ms, created_by FROM errlog_rule WHERE text = ?');

/** Rules at most: each is tried with every line. */
const RULES_MAX = 100;

/** Corrections of one store. Audit rows and events belong to the caller, in the same writes. */
export interface GroupCorrections {
  /** See {@link planMerge}. */
  planMerge(ids: readonly number[], tx?: Tx): Promise<MergePlan>;
  /** Stores a merge in a write that `audited` is a part of, and carries it out; returns the group it leads to. */
  merge(ids: readonly number[], by: By, audited: (tx: Tx, plan: MergePlan) => Promise<void>): Promise<MergePlan>;
  planSplit(id: number, lines: readonly ChosenLine[], texts: readonly string[]): Promise<SplitPlan>;
  /** Number of occurrences that a split moves. */
  countSplit(plan: SplitPlan): Promise<number>;
  /** Stores a split and carries it out; returns the number of occurrences that it moved. */
  split(
    id: number,
    lines: readonly ChosenLine[],
    texts: readonly string[],
    by: By,
    audited: (tx: Tx, plan: SplitPlan) => Promise<void>,
  ): Promise<{ readonly plan: SplitPlan; readonly moved: number }>;
  /** Carries out what a server that was stopped has left. */
  continueAll(nowMs: number, stopped: () => boolean): Promise<void>;
  history(id: number, limit: number): Promise<HistoryEntry[]>;
  rules(): Promise<StoredRule[]>;
  /** @throws AppError `conflict` for a known text, or too many rules */
  addRule(tx: Tx, rule: Pick<StoredRule, 'text' | 'action'>, by: By): Promise<StoredRule>;
  /** @throws AppError `not_found` */
  removeRule(tx: Tx, text: string): Promise<StoredRule>;
}

/** Creates the corrections of a database. */
export function groupCorrections(db: Database, hooks: StepHooks): GroupCorrections {
  const { dialect } = db;

  async function mergeAll(target: string, nowMs: number, stopped = () => false): Promise<void> {
    while (!stopped() && !(await mergeSome(db, target, nowMs, hooks)));
  }

  return {
    planMerge: (ids, tx = db.read) => planMerge(tx, dialect, ids),
    async merge(ids, by, audited) {
      const { plan, target } = await db.write(async (tx) => {
        await lockGroups(tx, dialect);
        const planned = await planMerge(tx, dialect, ids);
        await checkSettled(
          tx,
          dialect,
          planned.errors.map(({ fingerprint }) => fingerprint),
        );
        await audited(tx, planned);
        return { plan: planned, target: await beginMerge(tx, planned, by) };
      });
      await mergeAll(target, by.nowMs);
      return plan;
    },
    planSplit: (id, lines, texts) => planSplit(db.read, dialect, id, lines, texts),
    countSplit: (plan) => countMoves(db, plan),
    async split(id, lines, texts, by, audited) {
      const { plan, aliases } = await db.write(async (tx) => {
        await lockGroups(tx, dialect);
        const planned = await planSplit(tx, dialect, id, lines, texts);
        await checkSettled(tx, dialect, [planned.group.fingerprint]);
        await audited(tx, planned);
        return { plan: planned, aliases: await beginSplit(tx, planned, by) };
      });
      let moved = 0;
      for (const alias of aliases) moved += await carryOut(db, alias, by.nowMs, hooks);
      return { plan, moved };
    },
    async continueAll(nowMs, stopped) {
      const aliases = await readAliases(db.read.sql);
      for (const alias of aliases) {
        if (stopped()) return;
        if (isUnsettled(alias)) await carryOut(db, alias, nowMs, hooks);
        else if (alias.expression === '' && alias.src_done !== ALL_DONE) await mergeAll(alias.target, nowMs, stopped);
      }
    },
    async history(id, limit) {
      const made = await db.read.sql.all<HistoryEntry>(MADE_BY, id);
      return [...(await db.read.sql.all<HistoryEntry>(HISTORY, id, limit)), ...made];
    },
    rules: () => readRules(db.read.sql),
    async addRule(tx, { text, action }, { actor, nowMs }) {
      await lockGroups(tx, dialect);
      if ((await readRules(tx.sql)).length >= RULES_MAX) {
        throw new AppError('conflict', { message: `There are ${RULES_MAX} rules; delete one first.` });
      }
      const { changes } = await tx.sql.run(ADD_RULE, text, action, nowMs, actor);
      const rule = await tx.sql.get<StoredRule>(FIND_RULE, text);
      if (changes === 0 || rule === undefined) throw new AppError('conflict', { message: 'This rule exists already.' });
      await noteCorrection(tx);
      return rule;
    },
    async removeRule(tx, text) {
      await lockGroups(tx, dialect);
      const rule = await tx.sql.get<StoredRule>(FIND_RULE, text);
      if (rule === undefined) throw new AppError('not_found');
      await tx.sql.run(REMOVE_RULE, rule.id);
      await noteCorrection(tx);
      return rule;
    },
  };
}

/** Fields of a filter that a rule may name: those that a line has before it is stored. */
const RULE_FIELDS = new Set(['level', 'host', 'service', 'source', 'app', 'req']);

/**
 * Checks the text of a rule, whose expressions must be loaded.
 *
 * @throws AppError `validation_failed` for what a rule cannot decide
 */
export function checkRule(filter: Filter, isOfLine: (field: string) => boolean): void {
  for (const term of termsOf(filter)) {
    const isUnfit =
      term.kind === 'since' ||
      term.kind === 'until' ||
      (term.kind === 'field' && !RULE_FIELDS.has(term.field) && !isOfLine(term.field));
    if (isUnfit)
      throw invalidField('body.text', 'must name what a line has: level, host, service, app, text and fields');
  }
  const hasText = termsOf(filter).some(({ kind }) => kind === 'text' || kind === 'expression');
  if (!hasText && expressionOf(filter) === undefined) {
    throw invalidField('body.text', 'must have a text or an expression, such as /connection to (\\S+) refused/');
  }
}
