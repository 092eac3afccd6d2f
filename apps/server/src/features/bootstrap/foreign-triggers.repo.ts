// Warns at the start of a server about triggers and rules in its tables. No migration makes one, but a replication may
// have, so the server starts.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';

const TRIGGERS = statement({
  sqlite: "SELECT name, tbl_name AS place FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
  postgresql: `SELECT tgname AS name, relname AS place FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
    UNION ALL SELECT rulename, relname FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    WHERE rulename <> '_RETURN' AND relnamespace = current_schema()::regnamespace ORDER BY name`,
});

/** Names triggers and rules with their tables, such as `planted on audit`. */
async function findTriggers({ sql }: Tx): Promise<string[]> {
  const found = await sql.all<{ name: string; place: string }>(TRIGGERS);
  return found.map(({ name, place }) => `${name} on ${place}`);
}

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
