// Corrections of grouping by people: merges, splits, and rules as text (decision 090).

import { createHash } from 'node:crypto';
import {
  type contract,
  type ErrlogRule,
  type ErrlogRuleTrial,
  fieldOfLine,
  invalidField,
  loadExpressions,
  parseFilter,
  type Service,
  sliceOf,
  unixSeconds,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { type ChosenLine, checkRule, errlogStore, groupCorrections, type StoredRule } from '@quarterdeck/store';
import type { CallContext } from '../call-context.ts';
import { checkWindow } from '../page-window.ts';
import { accessOf, searcherOf } from '../seen-sources.ts';
import { announceChange } from './errlog.announcer.ts';
import { getErrlog } from './errlog.manage.ts';
import type { ErrlogNeeds } from './needs.ts';

type Endpoints = Pick<
  Service<(typeof contract)['errlog'], CallContext>,
  'merge' | 'split' | 'history' | 'rules' | 'addRule' | 'removeRule'
>;

/** Entries of a history. */
const HISTORY_MAX = 200;
/** Newest lines of a group that a split is compared with. */
const COMPARED = 500;
/** Groups of a trial of a rule, and those whose texts are shown. */
const TRIED_MAX = 10_000;
const SHOWN_MAX = 100;
const DAY_S = 86_400;

/** Creates the endpoints of corrections. */
export function createGrouping({ db, events, audit, now, lineReads }: ErrlogNeeds) {
  const store = errlogStore(db);
  const corrections = groupCorrections(db, {
    onStep: (tx: Tx, ids) => announceChange(tx, events, store, ids),
  });

  /** The chosen lines. @throws AppError `validation_failed` naming a line that does not exist */
  const chosenLines = (ids: readonly string[]): Promise<ChosenLine[]> =>
    Promise.all(
      ids.map(async (id, i) => {
        const line = await lineReads.line(id);
        if (line === undefined) throw invalidField(`body.lines.${i}`, 'is no line that is stored');
        return { group: line.group, log: line.log };
      }),
    );

  /** Searches the lines of the last day. */
  async function tryRule(text: string, credential: string): Promise<ErrlogRuleTrial> {
    const startTime = unixSeconds(now()) - DAY_S;
    const found = await lineReads.groups({ filter: parseFilter(text), startTime }, TRIED_MAX, credential);
    const shown = found.groups.slice(0, SHOWN_MAX);
    const entries = await store.groupsById(shown.map(({ id }) => id));
    const logs = new Map(entries.map(({ id, log }) => [id, log]));
    return {
      matched: found.groups.reduce((sum, { count }) => sum + count, 0),
      groups: shown.map(({ id, count }) => ({ id, count, log: logs.get(id) ?? '' })),
      complete: found.complete,
    };
  }

  const endpoints: Endpoints = {
    async merge({ body, query, actor, request }) {
      const { ids } = body;
      if (body.dry_run || query.dry_run) {
        const { matched, into } = await corrections.planMerge(ids);
        return { matched, group: into.id };
      }
      const by = { actor: actor.username, nowMs: now() };
      const { matched, into } = await corrections.merge(ids, by, async (tx, plan) => {
        await audit.record(tx, {
          action: 'errlog.merge',
          actor,
          request,
          target: { kind: 'errlog', id: plan.into.id },
          detail: { ids, groups: plan.matched },
        });
      });
      return { matched, group: into.id };
    },

    async split({ params: { id }, body, query, actor, request }) {
      const group = await getErrlog(store, id, undefined);
      const lines = await chosenLines(body.lines);
      const compared = await lineReads.occurrences(group.id, { offset: 0, limit: COMPARED });
      const texts = compared.data.map(({ log }) => log);
      if (body.dry_run || query.dry_run) {
        const plan = await corrections.planSplit(group.id, lines, texts);
        const matched = await corrections.countSplit(plan);
        return { matched, group: group.id, ...(plan.kind === 'new' && { expression: plan.expression }) };
      }
      const by = { actor: actor.username, nowMs: now() };
      const { moved, plan } = await corrections.split(group.id, lines, texts, by, async (tx, planned) => {
        await audit.record(tx, {
          action: 'errlog.split',
          actor,
          request,
          target: { kind: 'errlog', id: group.id },
          detail: { lines: body.lines, ...(planned.kind === 'new' && hashed('expression', planned.expression)) },
        });
      });
      const first = await lineReads.line(body.lines[0] ?? '');
      return {
        matched: moved,
        group: group.id,
        ...(first !== undefined && { new_group: first.group }),
        ...(plan.kind === 'new' && { expression: plan.expression }),
      };
    },

    async history({ params: { id }, actor }) {
      const group = await getErrlog(store, id, await accessOf(db, actor));
      const entries = await corrections.history(group.id, HISTORY_MAX);
      return {
        data: entries.map(({ time_ms: timeMs, action, actor, other_id: other, log }) => ({
          time: timeMs / 1000,
          action,
          actor,
          other,
          log,
        })),
      };
    },

    async rules({ query }) {
      const { offset, limit } = checkWindow(sliceOf(query));
      const rules = await corrections.rules();
      return { data: rules.slice(offset, offset + limit).map(toRule), meta: { count: rules.length } };
    },

    async addRule({ body, query, actor, request }) {
      const { text, action } = body;
      await loadExpressions();
      checkRule(parseFilter(text), (field) => fieldOfLine(field) !== undefined);
      const trial = await tryRule(text, searcherOf(actor));
      if (body.dry_run || query.dry_run) return trial;
      const rule = await db.write(async (tx) => {
        const added = await corrections.addRule(tx, { text, action }, { actor: actor.username, nowMs: now() });
        await audit.record(tx, {
          action: 'errlog.rule_create',
          actor,
          request,
          target: { kind: 'errlog_rule', id: added.id },
          detail: { action, ...hashed('text', text) },
        });
        return added;
      });
      return { ...trial, rule: toRule(rule) };
    },

    async removeRule({ body, query, actor, request }) {
      if (body.dry_run || query.dry_run) {
        const rule = (await corrections.rules()).find(({ text }) => text === body.text);
        if (rule !== undefined) return toRule(rule);
      }
      const rule = await db.write(async (tx) => {
        const removed = await corrections.removeRule(tx, body.text);
        await audit.record(tx, {
          action: 'errlog.rule_delete',
          actor,
          request,
          target: { kind: 'errlog_rule', id: removed.id },
          detail: { action: removed.action, ...hashed('text', removed.text) },
        });
        return removed;
      });
      return toRule(rule);
    },
  };
  return { endpoints, continueAll: (stopped: () => boolean) => corrections.continueAll(now(), stopped) };
}

/** A text for the audit log, from which nothing can be erased: it may have a secret of a line. */
const hashed = (name: string, text: string) => ({
  [`${name}_sha256`]: createHash('sha256').update(text).digest('hex'),
});

const toRule = ({ id, text, action, created_ms: createdMs, created_by }: StoredRule): ErrlogRule => ({
  id,
  text,
  action,
  created: createdMs / 1000,
  created_by,
});
