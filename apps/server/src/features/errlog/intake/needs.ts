import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';

/** Parts of a server that the intake of lines works with. */
export interface IntakeNeeds {
  readonly db: Database;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Log lines that a source may send in a minute; 0 = unlimited. */
  readonly sourceQuota: number;
  /** Addresses of the users in events of Sentry are kept. */
  readonly sentryUserIp: boolean;
  /** New groups of errors that a credential or an address may cause in a minute. */
  readonly newGroupsPerMinute: number;
  /** True where a request has waited so long in a queue that its answer is of no use. */
  readonly admission: { isLate(lane: 'lines', waitedMs: number): boolean };
}
