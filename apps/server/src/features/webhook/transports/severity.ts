// The severity of a message, which services turn into priorities, sounds and colors.
import { isData, type MessageData, textOf } from './message-data.ts';

/** Severity in the words of PagerDuty, from the worst. */
export type Severity = 'critical' | 'error' | 'warning' | 'info';

const CRITICAL: readonly string[] = ['agent.outage', 'audit.broken', 'server.health', 'token.reused'];
const INFO: readonly string[] = ['agent.back', 'token.expiring'];

const LEVEL_CRIT = 3;
const LEVEL_ERROR = 4;
const LEVEL_WARNING = 5;

/** Severity of a kind of rule. */
export function severityOfKind(kind: string): Severity {
  if (CRITICAL.includes(kind)) return 'critical';
  return INFO.includes(kind) ? 'info' : 'warning';
}

/** Severity of an alert: by the level of its error, else by its kind. */
export function severityOf(data: MessageData): Severity {
  const level = isData(data['what']) ? data['what']['level'] : undefined;
  if (typeof level !== 'number') return severityOfKind(textOf(data['kind']));
  if (level <= LEVEL_CRIT) return 'critical';
  if (level === LEVEL_ERROR) return 'error';
  return level === LEVEL_WARNING ? 'warning' : 'info';
}
