// Contents of a channel: the kinds of its rules, and the types of its stored messages.
import type { AlertKind } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';

const RULE_KINDS = statement(
  'SELECT DISTINCT r.kind FROM alert_channel c JOIN alert_rule r ON r.id = c.rule_id WHERE c.webhook_id = ?',
);
const STORED = statement({
  sqlite: `SELECT DISTINCT type, body ->> '$.data.kind' AS kind FROM webhook_delivery WHERE webhook_id = ?`,
  postgresql: `SELECT DISTINCT type, CAST(body AS json) -> 'data' ->> 'kind' AS kind
     FROM webhook_delivery WHERE webhook_id = $1`,
});

/** A type of message; of an alert with the kind of its rule. */
interface StoredType {
  readonly type: string;
  readonly kind: string | null;
}

/** Reads what a channel sends, from its rules and from up to 20,000 messages. */
export async function readContents({ sql }: Tx, id: number) {
  const rules = await sql.all<{ kind: AlertKind }>(RULE_KINDS, id);
  return { kinds: rules.map(({ kind }) => kind), messages: await sql.all<StoredType>(STORED, id) };
}
