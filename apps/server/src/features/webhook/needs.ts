import type { Database } from '@quarterdeck/core/db';
import type { RecordingNeeds } from '../audit/needs.ts';
import type { Transports } from './transports/transport.ts';

/** Parts of a server that webhooks work with. */
export interface WebhookNeeds extends Pick<RecordingNeeds, 'db' | 'key' | 'audit' | 'now'> {
  readonly transports: Transports;
}

/** Parts of a server that callbacks of services work with. */
export interface CallbackNeeds extends Pick<WebhookNeeds, 'db' | 'key' | 'now'> {
  /**
   * Acknowledges an alert for a person at another service, with an entry of the audit log, an event and messages. One
   * that is acknowledged, has ended or does not exist stays as it is.
   */
  acknowledgeAlert(db: Database, alertId: number, by: string, nowMs: number): Promise<void>;
}
