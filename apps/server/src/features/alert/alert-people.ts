// Calls of people about one alert: they read it, say that they have seen it and who works on it, and mute it.
import {
  type Alert,
  type AlertInstance,
  AppError,
  alertNeeds,
  alertWithin,
  type contract,
  type EventType,
  INSTANCE_LINES,
  invalidField,
  isRestricted,
  parseMute,
  readableKinds,
  type Service,
  type UserActor,
  unixSeconds,
} from '@quarterdeck/core';
import type { Database, PrismaTypes, Tx } from '@quarterdeck/core/db';
import { errlogStore } from '@quarterdeck/store';
import { hasPermissions, requirePermissions, showAlert } from '../../auth/require-permissions.ts';
import type { CallContext } from '../call-context.ts';
import { accessOf } from '../seen-sources.ts';
import { findUserById } from '../user/user.repo.ts';
import type { CallbackNeeds } from '../webhook/needs.ts';
import { queueMessages } from '../webhook/queue-messages.ts';
import { type AlertRow, findAlert, groupsOf, readableParents, toAlerts, updateAlert } from './alert.repo.ts';
import { alertMessage, subjectOf } from './alert-message.ts';
import { evidenceOf, NO_EVIDENCE } from './evidence/evidence.ts';
import type { AlertNeeds } from './needs.ts';
import { channelsOf, findRule } from './rule.repo.ts';
import { seenAlerts } from './seen-alerts.repo.ts';

type People = Pick<Service<(typeof contract)['alert'], CallContext>, 'instance' | 'acknowledge' | 'assign' | 'mute'>;

/** Changes the state of groups of errors for a caller, as the noun of errors does. */
export type MuteGroups = (
  change: { readonly ids: readonly number[]; readonly state: 'muted' | 'ongoing'; readonly until?: string },
  call: CallContext & { readonly actor: UserActor },
) => Promise<unknown>;

interface Call extends CallContext {
  readonly actor: UserActor;
  readonly params: { readonly id: number };
}

/** Creates the functions of the service that are about one alert. */
export function alertPeople(needs: AlertNeeds, muteGroups: MuteGroups): People {
  const { db, audit, now, publicUrl } = needs;

  /** An alert that the caller may read: another one does not exist for them. */
  async function found(tx: Tx, id: number, actor: UserActor): Promise<AlertRow> {
    const row = await findAlert(tx, id);
    const needs = row && alertNeeds(row.rule.kind as Alert['kind']);
    const isReadable = needs && hasPermissions(actor, needs);
    const access = await accessOf(db, actor);
    const isSeen =
      access === undefined || (await seenAlerts(tx, { errlogFilter: actor.errlogFilter, access }, [id])).has(id);
    if (row === undefined || !isReadable || !isSeen) throw new AppError('not_found');
    return row;
  }

  async function mutedAmong(ids: readonly number[]): Promise<number[]> {
    const groups = await errlogStore(db).groupsToChange(ids);
    return groups.filter(({ state }) => state === 'muted').map(({ id }) => id);
  }

  async function shown(tx: Tx, row: AlertRow, actor: UserActor): Promise<Alert> {
    const readable = readableKinds(actor.permissions);
    const [alert] = await toAlerts(tx, [row], readable);
    const parent = await readableParents(tx, [row], readable);
    const own = alert as Alert;
    if (isRestricted(actor)) return alertWithin(own);
    return showAlert(actor, { ...own, parent_id: parent(own.parent_id) });
  }

  /** Changes an alert in one write, with an entry of the audit log, an event, and messages where others need them. */
  async function change(
    call: Call,
    verb: 'acknowledge' | 'assign' | 'mute',
    { data, detail, type, isMessage }: Change,
  ): Promise<Alert> {
    const { id } = call.params;
    return db.write(async (tx) => {
      await found(tx, id, call.actor);
      const row = await updateAlert(tx, id, data);
      const target = { kind: 'alert', id };
      await audit.record(tx, { action: `alert.${verb}`, actor: call.actor, request: call.request, target, detail });
      await announceAlert(tx, row, type, isMessage, needs);
      return shown(tx, row, call.actor);
    });
  }

  return {
    async instance({ params: { id }, actor }): Promise<AlertInstance> {
      const row = await found(db.read, id, actor);
      const alert = await shown(db.read, row, actor);
      const rule = await findRule(db.read, row.ruleId);
      if (rule === undefined) throw new AppError('not_found');
      const isPart = isRestricted(actor);
      const showsAgents = !isPart && hasPermissions(actor, ['agent:read']);
      const untilS = row.resolvedMs === 0n ? undefined : Number(row.resolvedMs) / 1000;
      const subject = { ...subjectOf(row, publicUrl), untilS };
      const evidence =
        subject.groups.length === 0
          ? NO_EVIDENCE
          : await evidenceOf(needs, subject, { lines: INSTANCE_LINES, showsAgents });
      const whole = alertMessage(alert, { rule, evidence, publicUrl });
      const message = isPart ? alertWithin(whole) : showAlert(actor, whole);
      return { ...message, until: message.resolved, meta: { complete: message.incomplete.length === 0 } };
    },

    async acknowledge(call) {
      const { note } = call.body;
      const row = await found(db.read, call.params.id, call.actor);
      // The first one counts: a second person sees who it was.
      if (row.ackMs > 0n && note === '') return shown(db.read, row, call.actor);
      const data = { ackMs: now(), ackBy: call.actor.username, ackNote: note };
      const isMessage = row.ackMs === 0n && row.state !== 'resolved';
      return change(call, 'acknowledge', { data, detail: { note }, type: 'alert.acknowledged', isMessage });
    },

    async assign(call) {
      const { user: id } = call.body;
      if (id !== null) {
        // The answer has the name of the user.
        if (id !== call.actor.userId) requirePermissions(call.actor, ['user:read']);
        const user = await findUserById(db.read, id);
        if (user === undefined || user.disabled) {
          throw invalidField('body.user', user === undefined ? `there is no user ${id}` : `the user ${id} is disabled`);
        }
      }
      const data = { assigneeId: id ?? 0 };
      return change(call, 'assign', { data, detail: { user: id }, type: 'alert.assigned', isMessage: false });
    },

    async mute(call) {
      const { until } = call.body;
      const row = await found(db.read, call.params.id, call.actor);
      const groups = groupsOf(row);
      const untilMs = endOfMute(until, now(), groups.length > 0);
      if (groups.length > 0) requirePermissions(call.actor, ['errlog:manage']);
      // The end of a mute opens no group that somebody has resolved.
      const ids = until === 0 ? await mutedAmong(groups) : groups;
      if (ids.length > 0) {
        const state =
          until === 0 ? { state: 'ongoing' as const } : { state: 'muted' as const, until: muteText(until, now()) };
        await muteGroups({ ids, ...state }, call);
      }
      const data = { mutedMs: untilMs };
      return change(call, 'mute', { data, detail: { until, groups }, type: 'alert.updated', isMessage: false });
    },
  };
}

interface Change {
  readonly data: PrismaTypes.AlertUpdateInput;
  readonly detail: Record<string, unknown>;
  readonly type: AlertEventType;
  readonly isMessage: boolean;
}

/** Far away: a mute that a person ends. */
const FOREVER_MS = 100 * 366 * 86_400_000;

/**
 * Time until which nothing is sent, Unix milliseconds.
 *
 * @throws AppError `validation_failed` for a time that has passed, and for a number of times where there is nothing to
 *   count
 */
function endOfMute(until: number | string, nowMs: number, hasGroups: boolean): number {
  if (until === 0) return 0;
  if (typeof until === 'number') {
    if (until * 1000 <= nowMs) throw invalidField('body.until', 'must be in the future, or 0 to end the mute');
    return Math.min(until * 1000, nowMs + FOREVER_MS);
  }
  const mute = parseMute(until);
  if (mute?.kind === 'time') return nowMs + mute.seconds * 1000;
  if (mute?.kind === 'forever') return nowMs + FOREVER_MS;
  // The groups know when they have happened that often.
  if (hasGroups) return 0;
  throw invalidField('body.until', 'must be a time: the alert is not about errors, which could be counted');
}

/** A time as the mute of a group has it: whole minutes from now, up, else whole hours; for ever beyond a year. */
function muteText(until: number | string, nowMs: number): string {
  if (typeof until === 'string') return until;
  const minutes = Math.ceil((until - unixSeconds(nowMs)) / 60);
  const texts = [`${minutes}m`, `${Math.ceil(minutes / 60)}h`];
  return texts.find((text) => parseMute(text) !== undefined) ?? 'forever';
}

/** Type of an event about an alert. */
type AlertEventType = Extract<EventType, `alert.${string}`>;

/** Publishes an event about an alert; `isMessage`: its channels, too, get a message where they have got one before. */
async function announceAlert(
  tx: Tx,
  row: AlertRow,
  type: AlertEventType,
  isMessage: boolean,
  { events, publicUrl, now }: Pick<AlertNeeds, 'events' | 'publicUrl' | 'now'>,
): Promise<void> {
  const rule = await findRule(tx, row.ruleId);
  const [alert] = await toAlerts(tx, [row]);
  if (rule === undefined || alert === undefined) return;
  const timestampMs = now();
  const message = { type, data: alertMessage(alert, { rule, publicUrl }), timestampMs, alertId: alert.id };
  await events.publish(tx, [message]);
  if (isMessage && row.messages > 0) await queueMessages(tx, channelsOf(rule), [message], timestampMs);
}

/** Creates the function that callbacks use. */
export function createAcknowledge(
  needs: Pick<AlertNeeds, 'audit' | 'events' | 'publicUrl' | 'now'>,
): CallbackNeeds['acknowledgeAlert'] {
  return (db: Database, id, by, nowMs) =>
    db.write(async (tx) => {
      const before = await findAlert(tx, id);
      if (before === undefined || before.ackMs > 0n || before.state === 'resolved') return;
      const row = await updateAlert(tx, id, { ackMs: nowMs, ackBy: by, ackNote: '' });
      const target = { kind: 'alert', id };
      await needs.audit.record(tx, { action: 'alert.acknowledge', actor: 'system', target, detail: { by } });
      await announceAlert(tx, row, 'alert.acknowledged', true, needs);
    });
}
