// Warns at the start of a server about triggers and rules in its tables. A replication may have made them, so the
// server starts.
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { findTriggers } from './foreign-triggers.repo.ts';

/** Names triggers and rules in the log. */
export async function warnOfTriggers({ read }: Pick<Database, 'read'>, log: Pick<Logger, 'warn'>): Promise<void> {
  const triggers = await findTriggers(read);
  if (triggers.length === 0) return;
  log.warn(
    { triggers },
    'the database has triggers or rules that are not of Quarterdeck and run with its writes: delete them unless they ' +
      'are yours; its backups cannot be restored with them',
  );
}
