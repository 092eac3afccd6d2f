// Reads what is stored about the alerts of a rule at a moment.
import { statement, type Tx } from '@quarterdeck/core/db';
import type { AlertRow } from './alert.repo.ts';

const ALERTS_MAX = 20;

/**
 * Alerts of a rule that were open at a time, or that ended after `endedMs`, newest first. Those that came later are
 * left out.
 */
export const alertsAt = ({ prisma }: Tx, ruleId: number, atMs: number, endedMs: number): Promise<AlertRow[]> =>
  prisma.alert.findMany({
    where: { ruleId, sinceMs: { lte: atMs }, OR: [{ state: { not: 'resolved' } }, { resolvedMs: { gt: endedMs } }] },
    orderBy: { id: 'desc' },
    take: ALERTS_MAX,
    include: { rule: { select: { name: true, kind: true } } },
  });

const NOTIFIED_BEFORE = statement(
  `SELECT max(CASE WHEN told_ms <= ? THEN told_ms ELSE fired_ms END) AS ms FROM alert
   WHERE rule_id = ? AND key = ? AND id <> ? AND fired_ms > 0 AND fired_ms <= ?`,
);

/** Time of the latest message before a time about a cause in other alerts of a rule, Unix milliseconds; 0 is none. */
export const notifiedBefore = async (
  { sql }: Tx,
  { ruleId, key, alertId, atMs }: { ruleId: number; key: string; alertId: number; atMs: number },
): Promise<number> =>
  (await sql.get<{ ms: number | null }>(NOTIFIED_BEFORE, atMs, ruleId, key, alertId, atMs))?.ms ?? 0;

const OUTAGE_ALERT = statement(
  `SELECT a.id FROM alert a JOIN alert_rule r ON r.id = a.rule_id
   WHERE a.key = ? AND r.kind = 'agent.outage' AND a.since_ms <= ? AND (a.state <> 'resolved' OR a.resolved_ms > ?)
   ORDER BY a.id DESC LIMIT 1`,
);

/** Alert of an outage that was open at a time; 0 is none. */
export const outageAlertAt = async ({ sql }: Tx, outage: string, atMs: number): Promise<number> =>
  (await sql.get<{ id: number }>(OUTAGE_ALERT, outage, atMs, atMs))?.id ?? 0;
