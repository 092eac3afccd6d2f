// Finds objects of a PostgreSQL database, and of a dump, that the migrations do not make. A trigger, a rule or a
// function would run with the reads and writes of a server.
import type pg from 'pg';
import { type Migration, migrationNames, RECORDS_TABLE } from '../migrations.ts';

/** Schema in which the migrations are run for comparison. It never outlives its transaction. */
const REFERENCE = 'quarterdeck_reference';

/** Schema of the data. */
const DATA = 'public';

interface SchemaObject {
  readonly object: string;
  readonly definition: string;
}

const isMember = (catalog: string, oid: string) =>
  `EXISTS (SELECT FROM pg_depend m WHERE m.classid = '${catalog}'::regclass AND m.objid = ${oid} AND m.deptype = 'e')`;

// Partitions stand for their table: they are made as lines arrive. `pg_depend` knows every object of a schema, of kinds
// that no query here names as well.
const OBJECTS = `
  WITH relation AS (
    SELECT c.oid, c.relispartition, c.relkind, c.relrowsecurity, coalesce(p.relname, c.relname) AS name
    FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND c.relispartition
      LEFT JOIN pg_class p ON p.oid = i.inhparent
    WHERE c.relnamespace = $1::regnamespace AND NOT ${isMember('pg_class', 'c.oid')})
  SELECT DISTINCT object, replace(definition, $1 || '.', '') AS definition FROM (
    SELECT replace(pg_describe_object(d.classid, d.objid, 0), $1 || '.', '') AS object, '' AS definition
    FROM pg_depend d
    WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = $1::regnamespace AND d.deptype = 'n'
      AND d.classid NOT IN ('pg_default_acl'::regclass, 'pg_extension'::regclass)
      AND NOT EXISTS (SELECT FROM pg_depend m WHERE m.classid = d.classid AND m.objid = d.objid AND m.deptype = 'e')
      AND NOT EXISTS (SELECT FROM relation r WHERE d.classid = 'pg_class'::regclass AND r.oid = d.objid AND r.relispartition)
    UNION ALL
    SELECT format('column %s of table %s', a.attname, r.name), concat_ws(' ', format_type(a.atttypid, a.atttypmod),
      a.attnotnull, a.attgenerated, a.attidentity, pg_get_expr(e.adbin, e.adrelid))
    FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef e ON e.adrelid = r.oid AND e.adnum = a.attnum WHERE r.relkind NOT IN ('i', 'I', 'S')
    UNION ALL
    SELECT format('constraint %s of table %s', c.conname, r.name), pg_get_constraintdef(c.oid)
    FROM pg_constraint c JOIN relation r ON r.oid = c.conrelid
    WHERE c.contype <> 'n' AND (c.contype = 'c' OR NOT r.relispartition)
    UNION ALL
    SELECT format('index %s', r.name), pg_get_indexdef(r.oid)
    FROM relation r WHERE r.relkind IN ('i', 'I') AND NOT r.relispartition
    UNION ALL
    SELECT format('trigger %s on table %s', t.tgname, r.name), pg_get_triggerdef(t.oid)
    FROM pg_trigger t JOIN relation r ON r.oid = t.tgrelid WHERE NOT t.tgisinternal
    UNION ALL
    SELECT format('rule %s on table %s', w.rulename, r.name), pg_get_ruledef(w.oid)
    FROM pg_rewrite w JOIN relation r ON r.oid = w.ev_class
    UNION ALL
    SELECT format('policy %s on table %s', p.polname, r.name), p.polcmd::text
    FROM pg_policy p JOIN relation r ON r.oid = p.polrelid
    UNION ALL
    SELECT format('row security of table %s', name), '' FROM relation WHERE relrowsecurity
    UNION ALL
    SELECT format('function %s', p.oid::regprocedure), pg_get_functiondef(p.oid)
    FROM pg_proc p WHERE p.pronamespace = $1::regnamespace AND p.prokind IN ('f', 'p')
      AND NOT ${isMember('pg_proc', 'p.oid')}) AS found
  ORDER BY object`;

/** Objects of a database beside its schemas. A managed server may have its own. */
const OUTSIDE = `
  SELECT 'extension ' || extname AS object FROM pg_extension WHERE extname NOT IN ('plpgsql', 'pg_trgm')
  UNION ALL SELECT 'event trigger ' || evtname FROM pg_event_trigger
  UNION ALL SELECT 'schema ' || nspname FROM pg_namespace
    WHERE nspname NOT IN ('${DATA}', 'information_schema') AND nspname NOT LIKE 'pg\\_%'
  UNION ALL SELECT 'language ' || lanname FROM pg_language
  UNION ALL SELECT 'publication ' || pubname FROM pg_publication
  UNION ALL SELECT 'foreign-data wrapper ' || fdwname FROM pg_foreign_data_wrapper
  UNION ALL SELECT 'server ' || srvname FROM pg_foreign_server
  UNION ALL SELECT format('cast from %s to %s', castsource::regtype, casttarget::regtype) FROM pg_cast`;

/** The table that the schema engine makes, and the index that servers of 0.1 made themselves. */
const BESIDE_MIGRATIONS = `
  CREATE TABLE ${RECORDS_TABLE} (id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS errlog_search (id BIGINT NOT NULL PRIMARY KEY, text TEXT NOT NULL);
  DO $$ BEGIN
    CREATE INDEX IF NOT EXISTS errlog_search_text ON errlog_search USING gin (text gin_trgm_ops);
  EXCEPTION WHEN OTHERS THEN NULL; END; $$;`;

/** Reads the objects beside the schemas, such as `event trigger x`. */
export async function objectsOutside(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ object: string }>(OUTSIDE);
  return new Set(rows.map(({ object }) => object));
}

/**
 * Returns the names of the objects that differ from those that the applied ones of `migrations` make, such as
 * `trigger promote on table user`. `outside` are objects beside the schemas that are accepted. Changes nothing.
 */
export async function foreignObjectsOf(
  client: pg.Client,
  migrations: readonly Migration[],
  outside: ReadonlySet<string>,
): Promise<string[]> {
  const added = [...(await objectsOutside(client))].filter((object) => !outside.has(object));
  try {
    await client.query(`BEGIN; SET LOCAL search_path = ${DATA}`);
    const found = await objectsIn(client, DATA);
    const isOurs = found.some(({ object }) => object === `table ${RECORDS_TABLE}`);
    const names = isOurs ? (await client.query<{ name: string }>(migrationNames)).rows.map(({ name }) => name) : [];
    await client.query(`CREATE SCHEMA ${REFERENCE}; SET LOCAL search_path = ${REFERENCE}, ${DATA}`);
    for (const { name, sql } of migrations) if (names.includes(name)) await client.query(sql);
    await client.query(BESIDE_MIGRATIONS);
    const expected = new Set((await objectsIn(client, REFERENCE)).map(keyOf));
    const strange = found.filter((one) => !expected.has(keyOf(one)));
    return [...added, ...new Set(strange.map(({ object }) => object))];
  } finally {
    await client.query('ROLLBACK');
  }
}

const keyOf = ({ object, definition }: SchemaObject) => `${object}: ${definition}`;

const objectsIn = async (client: pg.Client, schema: string) =>
  (await client.query<SchemaObject>(OBJECTS, [schema])).rows;

/** Kinds of entries of a dump that hold data, or belong to a table of ours. */
const PLAIN_ENTRIES = new Set([
  'TABLE',
  'TABLE DATA',
  'TABLE ATTACH',
  'SEQUENCE',
  'SEQUENCE OWNED BY',
  'SEQUENCE SET',
  'DEFAULT',
  'CONSTRAINT',
  'FK CONSTRAINT',
  'INDEX',
  'INDEX ATTACH',
  'STATISTICS DATA',
  'COMMENT',
  'ACL',
  'DEFAULT ACL',
]);

/** Other entries of dumps of some version of Quarterdeck. */
const NAMED_ENTRIES = new Set([
  'SCHEMA - public',
  'EXTENSION - pg_trgm',
  'FUNCTION public errlog_search_form(text)',
  // Of versions before 0.2.
  'FUNCTION public agent_revision()',
  'TRIGGER public agent agent_revision',
]);

/** Returns the entries of a list of pg_restore that are not of Quarterdeck, such as `TRIGGER public user promote`. */
export function foreignEntries(list: string): string[] {
  return list.split('\n').flatMap((line) => {
    const [, kind = '', rest = ''] = /^\d+; \d+ \d+ ([A-Z][A-Z ]*[A-Z]) (\S.*)$/.exec(line) ?? [];
    if (kind === '' || PLAIN_ENTRIES.has(kind)) return [];
    // The last word is the owner, which may be empty.
    const entry = `${kind} ${rest}`;
    return [...NAMED_ENTRIES].some((known) => entry === known || entry.startsWith(`${known} `)) ? [] : [entry];
  });
}
