// Acknowledges alerts for people at other services.
import type { Database } from '@quarterdeck/core/db';
import type { CallbackNeeds } from '../webhook/needs.ts';
import { findAlert, updateAlert } from './alert.repo.ts';
import { announceAlert } from './announce-alert.ts';
import type { AlertNeeds } from './needs.ts';

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
