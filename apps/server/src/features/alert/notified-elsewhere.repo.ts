// Messages about the same cause by other rules: a channel gets one of them.
import { statement, type Tx } from '@quarterdeck/core/db';

const NOTIFIED = statement((dialect) => {
  const keys = dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)';
  return `SELECT DISTINCT a.id, a.rule_id AS "ruleId", a.key, a.told_ms AS "notifiedMs", d.webhook_id AS "channel"
    FROM alert a JOIN webhook_delivery d ON d.alert_id = a.id AND d.alert_id > 0
    WHERE a.state = 'firing' AND a.messages > 0 AND a.key IN (${keys}) ORDER BY a.id`;
});

/** An open alert that a channel got a message about. */
export interface NotifiedAlert {
  readonly id: number;
  readonly ruleId: number;
  readonly key: string;
  /** Time of its latest message. */
  readonly notifiedMs: number;
  readonly channel: number;
}

/** Open alerts about some causes, with the channels that got a message about them. */
export async function notifiedElsewhere({ sql }: Tx, keys: readonly string[]): Promise<NotifiedAlert[]> {
  return keys.length === 0 ? [] : sql.all<NotifiedAlert>(NOTIFIED, JSON.stringify(keys));
}
