// Acknowledges alerts for people at other services. Apart from the features: channels name an alert, and alerts write to
// channels.
import type { Database } from '@quarterdeck/core/db';
import type { Deps } from './deps.ts';
import { findAlert, toAlerts, updateAlert } from './features/alert/alert.repo.ts';
import { alertMessage } from './features/alert/alert-message.ts';
import { channelsOf, findRule } from './features/alert/rule.repo.ts';
import type { CallbackNeeds } from './features/webhook/needs.ts';
import { queueMessages } from './features/webhook/queue-messages.ts';

/** Creates the function that callbacks use. */
export function createAcknowledge({
  audit,
  events,
  publicUrl,
}: Pick<Deps, 'audit' | 'events' | 'publicUrl'>): CallbackNeeds['acknowledgeAlert'] {
  return (db: Database, id, by, nowMs) =>
    db.write(async (tx) => {
      const before = await findAlert(tx, id);
      if (before === undefined || before.ackMs > 0n || before.state === 'resolved') return;
      const row = await updateAlert(tx, id, { ackMs: nowMs, ackBy: by, ackNote: '' });
      const target = { kind: 'alert', id };
      await audit.record(tx, { action: 'alert.acknowledge', actor: 'system', target, detail: { by } });
      const rule = await findRule(tx, row.ruleId);
      const [alert] = await toAlerts(tx, [row]);
      if (rule === undefined || alert === undefined) return;
      const data = alertMessage(alert, { rule, publicUrl });
      const message = { type: 'alert.acknowledged' as const, data, timestampMs: nowMs, alertId: id };
      await events.publish(tx, [message]);
      if (row.messages > 0) await queueMessages(tx, channelsOf(rule), [message], nowMs);
    });
}
