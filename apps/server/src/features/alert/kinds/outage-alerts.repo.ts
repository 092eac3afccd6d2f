// Reads which outages are notified by rules of the kind `agent.outage`.
import { statement, type Tx } from '@quarterdeck/core/db';

const RULES = statement("SELECT 1 AS yes FROM alert_rule WHERE kind = 'agent.outage' AND enabled LIMIT 1");
const ALERTS = statement(
  `SELECT DISTINCT a.key FROM alert a JOIN alert_rule r ON r.id = a.rule_id
   WHERE a.state <> 'resolved' AND r.kind = 'agent.outage' AND r.enabled`,
);

/** True where a rule watches outages. */
export const watchesOutages = async ({ sql }: Tx): Promise<boolean> => (await sql.get(RULES)) !== undefined;

/** Causes of the outages that have an open alert. */
export const outageAlerts = async ({ sql }: Tx): Promise<ReadonlySet<string>> =>
  new Set((await sql.all<{ key: string }>(ALERTS)).map(({ key }) => key));
