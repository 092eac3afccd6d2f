// Looks again at the suspected changes of alerts: hosts report their changes late. A message follows where it matters.
import { type AlertCause, MESSAGE_LINES } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { countErasures, holdErasures } from '@quarterdeck/core/sql';
import { type Author, showsAgentsTo } from '../../auth/author.repo.ts';
import { queueMessages } from '../webhook/queue-messages.ts';
import { alertsToLookAt, findAlert, type LookedAt, toAlerts, updateAlert } from './alert.repo.ts';
import { alertMessage, boundedEvidence, subjectOf } from './alert-message.ts';
import { type Evidence, evidenceOf } from './evidence/evidence.ts';
import { LOOKS_MS, nextLookMs } from './evidence/suspected-cause.ts';
import type { AlertNeeds } from './needs.ts';
import { isMany } from './plan.ts';
import { channelsOf, type RuleRow } from './rule.repo.ts';

type LookNeeds = Pick<AlertNeeds, 'db' | 'events' | 'lineReads' | 'now' | 'publicUrl'>;

/** Time in a round for looks. The others follow in the next rounds. */
const LOOKS_WORK_MS = 300;
/** An alert that was missed for so long is not looked at any more. */
const LATE_MS = 10 * 60_000;

/** Creates the function that looks again at alerts whose time has come. */
export function createLookAgain(needs: LookNeeds) {
  const { db, events, now, publicUrl } = needs;

  async function look({ id, looks }: LookedAt, rule: RuleRow, showsAgents: boolean): Promise<void> {
    const erasures = await countErasures(db.read);
    const before = await findAlert(db.read, id);
    if (before === undefined) return;
    const subject = { ...subjectOf(before, publicUrl), looks: looks + 1 };
    const evidence = boundedEvidence(await evidenceOf(needs, subject, { lines: MESSAGE_LINES, showsAgents }));
    await db.write(async (tx) => {
      if ((await holdErasures(tx)) !== erasures) return;
      await store(tx, { id, looks }, rule, evidence);
    });
  }

  async function store(tx: Tx, { id, looks }: Pick<LookedAt, 'id' | 'looks'>, rule: RuleRow, evidence: Evidence) {
    const before = await findAlert(tx, id);
    // Another server was faster.
    if (before === undefined || before.looks !== looks) return;
    const cause = before.cause === '' ? null : (JSON.parse(before.cause) as AlertCause);
    const row = await updateAlert(tx, id, {
      looks: looks + 1,
      grown: 0,
      ...(evidence.cause && { cause: JSON.stringify(evidence.cause) }),
    });
    const isNamed = isNews(cause, evidence.cause);
    if (!isNamed && before.grown === 0) return;
    const [alert] = await toAlerts(tx, [row]);
    if (alert === undefined) return;
    const data = alertMessage(alert, { rule, evidence, publicUrl });
    const isMinor = !isNamed && !isMany(before);
    const message = { type: 'alert.updated' as const, timestampMs: now(), data, alertId: id, isMinor };
    await queueMessages(tx, channelsOf(rule), [message], now());
    await events.publish(tx, [message]);
  }

  /** Looks at the alerts that are due. */
  return async (rules: readonly RuleRow[], authorOf: (rule: RuleRow) => Author): Promise<void> => {
    const nowMs = now();
    const last = LOOKS_MS.at(-1) ?? 0;
    const recent = await alertsToLookAt(db.read, nowMs - last - LATE_MS, LOOKS_MS.length);
    const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
    const endMs = performance.now() + LOOKS_WORK_MS;
    for (const one of recent) {
      if ((nextLookMs(one) ?? Number.POSITIVE_INFINITY) > nowMs) continue;
      const rule = ruleOf.get(one.ruleId);
      if (rule === undefined) continue;
      await look(one, rule, showsAgentsTo(authorOf(rule)));
      if (performance.now() > endMs) return;
    }
  };
}

/** True where a change is named that was not, or another one, or with another strength. */
function isNews(before: AlertCause | null, after: AlertCause | null): boolean {
  if (after === null || after.change === null) return false;
  if (before?.change === null || before === null) return true;
  const nameOf = ({ kind, field, name }: NonNullable<AlertCause['change']>) => JSON.stringify([kind, field, name]);
  return nameOf(before.change) !== nameOf(after.change) || before.strength !== after.strength;
}
