// The service of alerts: rules, and the causes that they found.
import { isDeepStrictEqual } from 'node:util';
import {
  ALERT_RULES_MAX,
  type AlertKind,
  type AlertRuleDraft,
  AppError,
  alertKind,
  alertNeeds,
  contract,
  invalidField,
  isRestricted,
  parseInput,
  readableKinds,
  type Service,
  sliceOf,
  subjectNeeds,
  type UserActor,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { authorOf } from '../../auth/author.repo.ts';
import { notePermissions, requirePermissions, showAlert } from '../../auth/require-permissions.ts';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { accessOf } from '../seen-sources.ts';
import { queueMessage } from '../webhook/queue-messages.ts';
import { listAlerts } from './alert.repo.ts';
import { alertPeople, type MuteGroups } from './alert-people.ts';
import { explainRule } from './explain.ts';
import { createRound, startOf } from './kinds/kind.ts';
import type { AlertNeeds } from './needs.ts';
import { previewRule } from './preview.ts';
import { createKinds } from './registry.ts';
import { type AlertRounds, createAlertRounds } from './round.ts';
import {
  channelsOf,
  countRules,
  createRule,
  findRule,
  fullCondition,
  listChannels,
  listRules,
  lockRule,
  type RuleRow,
  type RuleViewer,
  removeRule,
  seesRule,
  toDraft,
  toRule,
  unknownChannels,
  updateRule,
} from './rule.repo.ts';
import { checkNarrowed } from './rule-rights.ts';

/** The service of alerts, with the job that evaluates the rules. */
export interface AlertService extends Service<(typeof contract)['alert'], CallContext>, AlertRounds {}

export function alertService(deps: AlertNeeds, muteGroups: MuteGroups): AlertService {
  const { db, audit, now, monotonic } = deps;
  const kinds = createKinds(deps);

  async function lockExisting(tx: Tx, id: number): Promise<RuleRow> {
    return found(await lockRule(tx, id));
  }

  const viewer = (actor: UserActor): RuleViewer => ({
    actor,
    restricted: isRestricted(actor) ? actor : undefined,
    nowMs: now(),
  });

  /** Locks a rule that the caller may see. */
  async function lockSeen(tx: Tx, id: number, actor: UserActor): Promise<RuleRow> {
    const row = await lockExisting(tx, id);
    if (!seesRule(viewer(actor), row)) throw new AppError('not_found');
    return row;
  }

  /** Position of a rule that begins now. It is read before the write, which must not wait for it. */
  const startNow = (kind: AlertKind) =>
    startOf(
      kinds[kind],
      createRound(db.read, now(), () => false),
    );

  return {
    ...createAlertRounds(deps, kinds),
    ...alertPeople(deps, muteGroups),
    list: ({ query, actor }) => listRules(db.read, checkWindow(sliceOf(query)), viewer(actor)),
    async instances({ query: { page, page_size, start, end, ...filters }, actor }) {
      const slice = checkWindow(sliceOf({ page, page_size, start, end }));
      const access = await accessOf(db, actor);
      const seen = access && { errlogFilter: actor.errlogFilter, access };
      const readable = readableKinds(actor.permissions);
      const { data, meta } = await listAlerts(db.read, { ...filters, readable, viewer: seen }, slice);
      for (const { kind } of data) notePermissions(actor, alertNeeds(kind));
      return { data: data.map((alert) => showAlert(actor, alert)), meta };
    },
    channels: ({ query }) => listChannels(db.read, checkWindow(sliceOf(query))),

    async preview({ body, actor }) {
      requirePermissions(actor, subjectNeeds(body.when.kind));
      checkNarrowed(actor, body.when.kind);
      return previewRule(db, kinds, { ...body, within: actor.errlogFilter }, now(), monotonic);
    },

    async get({ params: { id }, version, actor }) {
      const row = await findRule(db.read, id);
      if (row === undefined || !seesRule(viewer(actor), row)) throw new AppError('not_found');
      const rule = await toRule(db.read, row, viewer(actor));
      version?.show(rule);
      return rule;
    },

    async create({ body, actor, request }) {
      requirePermissions(actor, subjectNeeds(body.when.kind));
      checkNarrowed(actor, body.when.kind);
      const position = await startNow(body.when.kind);
      return db.write(async (tx) => {
        if ((await countRules(tx)) >= ALERT_RULES_MAX) {
          const message = `The limit of ${ALERT_RULES_MAX} rules is reached. Delete one first.`;
          throw new AppError('conflict', { message });
        }
        await checkChannels(tx, body.channels);
        const id = await createRule(tx, body, actor.username, { author: authorOf(actor), nowMs: now(), position });
        const target = { kind: 'alert_rule', id };
        await audit.record(tx, { action: 'alert.create', actor, request, target, detail: { after: body } });
        return toRule(tx, await lockExisting(tx, id), viewer(actor));
      });
    },

    async update({ params: { id }, body, actor, request, version }) {
      const seen = await findRule(db.read, id);
      const kind = body.when?.kind ?? (seen?.kind as AlertKind | undefined);
      const start = kind && { kind, position: await startNow(kind) };
      const rule = await db.write(async (tx) => {
        const row = await lockSeen(tx, id, actor);
        version?.check(await toRule(tx, row, viewer(actor)));
        const before = toDraft(row);
        const checked = checkedDraft({ ...before, ...body });
        const after = { ...checked, when: fullCondition(checked.when) };
        requirePermissions(actor, subjectNeeds(after.when.kind));
        checkNarrowed(actor, after.when.kind);
        await checkChannels(tx, after.channels);
        // Another caller may have changed the kind meanwhile: the next round then finds the position.
        const begin = start?.kind === after.when.kind ? start.position : '';
        const position = beginsAnew(before, after) || row.stoppedMs > 0n ? begin : undefined;
        await updateRule(tx, id, after, { author: authorOf(actor), nowMs: now(), position });
        const target = { kind: 'alert_rule', id };
        const changed = await toRule(tx, await lockExisting(tx, id), viewer(actor));
        await audit.record(tx, { action: 'alert.update', actor, request, target, detail: { before, after } });
        return changed;
      });
      version?.show(rule);
      return rule;
    },

    async remove({ params: { id }, actor, request, version }) {
      await db.write(async (tx) => {
        const row = await lockSeen(tx, id, actor);
        version?.check(await toRule(tx, row, viewer(actor)));
        await removeRule(tx, id);
        const target = { kind: 'alert_rule', id };
        const detail = { before: toDraft(row) };
        await audit.record(tx, { action: 'alert.delete', actor, request, target, detail });
      });
      return undefined;
    },

    async explain({ params: { id }, body, actor }) {
      const row = found(await findRule(db.read, id));
      requirePermissions(actor, subjectNeeds(row.kind as AlertKind));
      return explainRule(deps, kinds, row, { at: body.at, actor });
    },

    test: ({ params: { id }, actor, request }) =>
      db.write(async (tx) => {
        const row = await lockSeen(tx, id, actor);
        const data = { rule_id: id, rule: row.name, kind: row.kind, by: actor.username };
        const message = { type: 'alert.test', timestampMs: now(), data };
        const deliveries = await queueMessage(tx, channelsOf(row), message, now());
        if (deliveries.length === 0) {
          throw new AppError('conflict', { message: 'The rule has no enabled channel. Add or enable one first.' });
        }
        await audit.record(tx, { action: 'alert.test', actor, request, target: { kind: 'alert_rule', id } });
        return { channels: deliveries.map(({ channel }) => channel), deliveries };
      }),
  };
}

/**
 * Tells whether a changed rule begins anew: what happened while it was off, or had another kind, is past. Causes that
 * last are compared with the new condition; those that do not meet it end without a message.
 */
function beginsAnew(before: AlertRuleDraft, after: AlertRuleDraft): boolean {
  if (after.when.kind !== before.when.kind || (after.enabled && !before.enabled)) return true;
  const isSame = isDeepStrictEqual(after.when, before.when) && after.filter === before.filter;
  return alertKind(after.when.kind).ends && !isSame;
}

/**
 * Checks a changed rule as a whole.
 *
 * @throws AppError `validation_failed`
 */
const checkedDraft = (body: unknown): AlertRuleDraft =>
  parseInput(contract.alert.create, { params: {}, query: {}, body })['body'] as AlertRuleDraft;

/**
 * Checks that channels exist.
 *
 * @throws AppError `validation_failed`
 */
async function checkChannels(tx: Tx, ids: readonly number[]): Promise<void> {
  const [unknown] = await unknownChannels(tx, ids);
  if (unknown === undefined) return;
  throw invalidField('body.channels', `there is no channel ${unknown}`);
}
