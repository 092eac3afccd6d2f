// The list of the places that an erasure covers, compared with the schema.
import { statement } from '@quarterdeck/core/db';
import { expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { openStore } from '../../../test/open-store.ts';
import { HOLDS_LINES, HOLDS_LINES_ON_SQLITE, HOLDS_NO_LINES } from './erase-places.ts';

/** Columns of all tables that can hold a text. Partitions have those of their table. */
const TEXTS = statement({
  sqlite: `SELECT t.name || '.' || c.name AS place FROM sqlite_schema t, pragma_table_xinfo(t.name) c
    WHERE t.type = 'table' AND t.name <> 'sqlite_sequence' AND c.type NOT IN ('INTEGER', 'BOOLEAN', 'DATETIME', 'INTEGER UNSIGNED')`,
  postgresql: `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type NOT IN ('integer', 'bigint', 'boolean', 'timestamp with time zone')
      AND table_name NOT LIKE 'errlog_segment_from_%'`,
});

const listed = [
  ...Object.entries(HOLDS_LINES).map(([table, columns]) => [table, Object.keys(columns)] as const),
  ...Object.entries(HOLDS_NO_LINES).map(([table, { columns }]) => [table, columns] as const),
].flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`));
const onSqlite = Object.entries(HOLDS_LINES_ON_SQLITE).flatMap(([table, columns]) =>
  columns.map((one) => `${table}.${one}`),
);
/** Tables of one database alone. */
const ONLY_SQLITE = /^errlog_fingerprint_/;

it('names every column of the schema that can hold a text, once', async () => {
  await using store = await openStore();
  const rows = nonEmpty(await store.db.read.sql.all<{ place: string }>(TEXTS));
  const expected =
    store.db.dialect === 'sqlite' ? [...listed, ...onSqlite] : listed.filter((one) => !ONLY_SQLITE.test(one));
  expect(rows.map(({ place }) => place).sort()).toEqual(expected.sort());
});
