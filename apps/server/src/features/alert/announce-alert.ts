// Announces a change of an alert by a person, in the write of the change.
import type { EventType } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { queueMessages } from '../webhook/queue-messages.ts';
import { type AlertRow, toAlerts } from './alert.repo.ts';
import { alertMessage } from './alert-message.ts';
import type { AlertNeeds } from './needs.ts';
import { channelsOf, findRule } from './rule.repo.ts';

/** Type of an event about an alert. */
export type AlertEventType = Extract<EventType, `alert.${string}`>;

/** Publishes an event about an alert; `isMessage`: its channels, too, get a message where they have got one before. */
export async function announceAlert(
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
