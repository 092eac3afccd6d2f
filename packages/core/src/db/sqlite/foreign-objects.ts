// Finds objects of a database that its migrations do not make. A trigger, a view or an expression in the schema would
// run with the reads and writes of a server.
import BetterSqlite3, { type Database as Connection } from 'better-sqlite3';
import { type Migration, RECORDS_TABLE } from '../migrations.ts';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

// Without the objects that SQLite makes for others and names itself: they have no text.
const OBJECTS = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'";

/** Text of the table in which the schema engine records migrations. */
const RECORDS = `CREATE TABLE ${RECORDS_TABLE} ( id TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL, finished_at DATETIME, migration_name TEXT NOT NULL, logs TEXT, rolled_back_at DATETIME, started_at DATETIME NOT NULL DEFAULT current_timestamp, applied_steps_count INTEGER UNSIGNED NOT NULL DEFAULT 0 )`;

/**
 * Returns the names of the objects that differ from those that the `applied` ones of `migrations` make, such as
 * `trigger promote`. A table with another column, default or constraint is one of them.
 */
export function foreignObjects(
  connection: Connection,
  migrations: readonly Migration[],
  applied: readonly string[],
): string[] {
  const expected = expectedTexts(migrations.filter(({ name }) => applied.includes(name)));
  return readObjects(connection)
    .filter((object) => expected.get(keyOf(object)) !== plain(object.sql))
    .map(keyOf);
}

const keyOf = ({ type, name }: SchemaObject) => `${type} ${name}`;

const readObjects = (connection: Connection) => connection.prepare(OBJECTS).all() as SchemaObject[];

/** Objects that servers of 0.1 made themselves; a later migration takes them over. */
const OF_FIRST_SERVERS = `
  CREATE TABLE errlog_print_new (fingerprint TEXT NOT NULL, level INT NOT NULL,
    app_id INT NOT NULL, src INT NOT NULL, id INT NOT NULL, PRIMARY KEY (fingerprint, level, app_id, src)) WITHOUT ROWID;
  CREATE TABLE errlog_print_old (fingerprint TEXT NOT NULL, level INT NOT NULL,
    app_id INT NOT NULL, src INT NOT NULL, id INT NOT NULL, PRIMARY KEY (fingerprint, level, app_id, src)) WITHOUT ROWID;
  CREATE VIEW errlog_print AS SELECT fingerprint, level, app_id, src, id FROM errlog_print_new
    UNION ALL SELECT fingerprint, level, app_id, src, id FROM errlog_print_old;
  CREATE VIRTUAL TABLE errlog_search
    USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail='none');
  CREATE VIRTUAL TABLE errlog_search_trigram USING fts5vocab('errlog_search', 'instance');`;

/** A rename changes the quotes of a text. */
const plain = (sql: string) => sql.replaceAll(/["`]/g, '').replaceAll(/\s+/g, ' ');

/** Object -> its text, from an empty database that the migrations have built. */
function expectedTexts(migrations: readonly Migration[]): ReadonlyMap<string, string> {
  const reference = new BetterSqlite3(':memory:');
  try {
    reference.pragma('foreign_keys = OFF');
    for (const { sql } of migrations) reference.exec(sql);
    const isFirst = !readObjects(reference).some(({ name }) => name === 'errlog_search');
    if (isFirst) reference.exec(OF_FIRST_SERVERS);
    const texts = readObjects(reference).map((object) => [keyOf(object), plain(object.sql)] as const);
    return new Map([...texts, [`table ${RECORDS_TABLE}`, RECORDS]]);
  } finally {
    reference.close();
  }
}
