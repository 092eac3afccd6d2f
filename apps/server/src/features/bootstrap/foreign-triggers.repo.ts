// The query for triggers and rules in the tables. No migration makes one.
import { statement, type Tx } from '@quarterdeck/core/db';

const TRIGGERS = statement({
  sqlite: "SELECT name, tbl_name AS place FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
  postgresql: `SELECT tgname AS name, relname AS place FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
    UNION ALL SELECT rulename, relname FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    WHERE rulename <> '_RETURN' AND relnamespace = current_schema()::regnamespace ORDER BY name`,
});

/** Names triggers and rules with their tables, such as `planted on audit`. */
export async function findTriggers({ sql }: Tx): Promise<string[]> {
  const found = await sql.all<{ name: string; place: string }>(TRIGGERS);
  return found.map(({ name, place }) => `${name} on ${place}`);
}
