// The migration `errlog_indexes` on databases as earlier servers left them: those made the tables at their first start.
import { describe, expect, it } from 'vitest';
import { knownMigrations } from '../../src/db/migrations.ts';
import { type Database, statement } from '../../src/db/open/index.ts';
import { makeOldDatabase } from '../old-database.ts';
import { connect, createDirectory, open, usePostgres } from './databases.ts';

const postgres = usePostgres();

const LAST = 'session_confirmed';
const GROUPS = `INSERT INTO errlog (src, node_type, level, fingerprint, log, count, first_seen, log_time)
  VALUES (0, 1, 4, 'b', 'second', 1, 1, 1), (0, 1, 4, 'a', 'first', 1, 1, 1), (0, 1, 3, 'a', 'third', 1, 1, 1);`;

const KEY_INDEX = 'errlog_fingerprint_level_app_id_src_key';
const PRINT_COLUMNS = `(fingerprint TEXT NOT NULL, level INT NOT NULL, app_id INT NOT NULL, src INT NOT NULL,
  id INT NOT NULL, PRIMARY KEY (fingerprint, level, app_id, src)) WITHOUT ROWID`;
const PRINTS = `CREATE TABLE errlog_print_new ${PRINT_COLUMNS}; CREATE TABLE errlog_print_old ${PRINT_COLUMNS};
  CREATE VIEW errlog_print AS SELECT * FROM errlog_print_new UNION ALL SELECT * FROM errlog_print_old;`;
const FILL = 'INSERT INTO errlog_print_old SELECT fingerprint, level, app_id, src, id FROM errlog';
const SEARCH = `CREATE VIRTUAL TABLE errlog_search
    USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail='none');
  CREATE VIRTUAL TABLE errlog_search_trigram USING fts5vocab('errlog_search', 'instance');`;
const INDEXED = "INSERT INTO errlog_search (rowid, text) VALUES (1, 'second'), (2, 'first'), (3, 'third');";
const LEARNT = "INSERT INTO setting (name, value) VALUES ('errlog_search_2', '0');";

const all = <R>(db: Database, sql: string) => db.read.sql.all<R>(statement(sql));
const prints = (db: Database) => all(db, 'SELECT fingerprint, level, id FROM errlog_fingerprint ORDER BY 1, 2');
const learning = (db: Database) => all(db, "SELECT value FROM setting WHERE name = 'errlog_search_2'");
const indexed = (db: Database) =>
  all(db, `SELECT rowid AS id FROM errlog_search WHERE errlog_search MATCH 'sec' ORDER BY 1`);
const KEYS = [
  { fingerprint: 'a', level: 3, id: 3 },
  { fingerprint: 'a', level: 4, id: 2 },
  { fingerprint: 'b', level: 4, id: 1 },
];

describe('on SQLite, a database', () => {
  it.each([
    ['that no server has used', '', 3],
    ['with complete tables', `${PRINTS} ${FILL}; DROP INDEX ${KEY_INDEX}; ${SEARCH} ${INDEXED} ${LEARNT}`, 0],
    ['with tables half filled', `${PRINTS} ${FILL} WHERE id = 2;`, 3],
    ['with empty tables', PRINTS, 3],
  ])('%s has every group in its index', async (_state, script, lastUnindexed) => {
    const place = { kind: 'sqlite', dataDir: await createDirectory() } as const;
    await makeOldDatabase(place, LAST, GROUPS + script);
    const db = await open(place);
    expect(await prints(db)).toEqual(KEYS);
    expect(await learning(db)).toEqual([{ value: String(lastUnindexed) }]);
    expect(await indexed(db)).toEqual(lastUnindexed === 0 ? [{ id: 1 }] : []);
    const left = `SELECT name FROM sqlite_schema WHERE name LIKE 'errlog\\_print%' ESCAPE '\\' OR name = '${KEY_INDEX}'`;
    expect(await all(db, left)).toEqual([]);
  });
});

const FIND_TRIGRAMS = "SELECT 1 AS found WHERE to_regclass('errlog_search_text') IS NOT NULL";

describe('on PostgreSQL, a database', () => {
  it.each([
    ['that no server has used', '', []],
    [
      'with an index',
      `CREATE TABLE errlog_search (id int8 PRIMARY KEY, text text NOT NULL); CREATE EXTENSION pg_trgm;
       CREATE INDEX errlog_search_text ON errlog_search USING gin (text gin_trgm_ops);
       UPDATE errlog SET log = 'GET /b', text_stale = FALSE WHERE id = 1; INSERT INTO errlog_search VALUES (1, 'GET /b')`,
      [{ id: 1, text: 'getqjb' }],
    ],
  ])('%s keeps the texts of its index, or gets one', async (_state, script, texts) => {
    const place = { kind: 'postgresql', url: await (await postgres()).createDatabase() } as const;
    await makeOldDatabase(place, LAST, GROUPS + script);
    const db = await open(place);
    expect(await all(db, 'SELECT id, text FROM errlog_search')).toEqual(texts);
    expect(await all(db, FIND_TRIGRAMS)).toEqual([{ found: 1 }]);
  });

  it('of a role that may not create extensions is migrated without the index of trigrams', async () => {
    const url = new URL(await (await postgres()).createDatabase());
    const database = url.pathname.slice(1);
    const admin = await connect(url.href);
    await admin.query(`CREATE ROLE r_${database} LOGIN PASSWORD 'secret';
      GRANT USAGE, CREATE ON SCHEMA public TO r_${database}`);
    [url.username, url.password] = [`r_${database}`, 'secret'];
    const db = await open({ kind: 'postgresql', url: url.href });
    expect(await all(db, FIND_TRIGRAMS)).toEqual([]);
    expect(await all(db, 'SELECT count(*) AS n FROM errlog_search')).toEqual([{ n: 0 }]);
    const applied = await all(db, 'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL');
    expect(applied).toHaveLength(knownMigrations('postgresql').length);
  });
});
