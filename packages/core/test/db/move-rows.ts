// Rows for tests of moves: several in every table, with values that are hard to copy.
import BetterSqlite3, { type Database as Connection } from 'better-sqlite3';

/** Texts that a text format might mistake for something else. */
const TEXTS = [
  '',
  '\\N',
  '\\.',
  'tab\tline\nreturn\rback\\slash',
  '\u0001\u0007\b\f\v\u001f\u007f\u0085\u2028\ufeff',
  'quotes \' " `',
  '\\x00 \\\\x',
  'surrogates \u{1f600}\u{10ffff} and \ufffd',
  'long '.repeat(10_000),
];

/** Blobs, among them large ones and those that look like text. */
const BLOBS = [Buffer.from([]), Buffer.from([0, 10, 9, 92, 255]), Buffer.from('\\x41\n'), Buffer.alloc(50_000, 173)];

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/** Tables that have content of their own: neither derived, nor of migrations. */
export function tablesOf(connection: Connection): string[] {
  const names = connection
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    .pluck()
    .all() as string[];
  return names.filter((name) => !/^(sqlite_|_prisma|errlog_fingerprint|errlog_segment_filter)/.test(name));
}

/** Fills every table with `rows` rows, whose numbers are 1, 2 and so on, so that each refers to another. */
export function fillTables(file: string, rows: number, empty: readonly string[] = []): void {
  const connection = new BetterSqlite3(file);
  connection.pragma('foreign_keys = OFF');
  connection.transaction(() => {
    for (const table of tablesOf(connection)) {
      connection.exec(`DELETE FROM "${table}"`);
      if (!empty.includes(table)) fillTable(connection, table, rows);
    }
    connection.exec(
      `UPDATE errlog SET count = 9223372036854775807, first_seen = -9223372036854775807 - 1 WHERE id = 1`,
    );
    connection.exec(`DELETE FROM event WHERE id = (SELECT max(id) FROM event)`);
  })();
  connection.close();
}

function fillTable(connection: Connection, table: string, rows: number): void {
  const columns = connection
    .prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)')
    .all(table) as Column[];
  const insert = connection.prepare(
    `INSERT INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const indexed = connection
    .prepare('SELECT DISTINCT i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i')
    .pluck()
    .all(table);
  for (let i = 1; i <= rows; i += 1) {
    insert.run(columns.map((column, c) => hostileValue(column, i, c, indexed.includes(column.name))));
  }
}

function hostileValue({ type, notnull, pk }: Column, i: number, c: number, isIndexed: boolean): unknown {
  if (notnull === 0 && pk === 0 && i % 3 === 0) return null;
  if (type === 'INTEGER') return i;
  if (type === 'BOOLEAN') return i % 2;
  // The number makes it unique. An index of PostgreSQL holds no long value.
  const blob = BLOBS[(i + c) % BLOBS.length] as Buffer;
  if (type === 'BLOB') return Buffer.concat([isIndexed ? blob.subarray(0, 9) : blob, Buffer.from(`${i}`)]);
  const text = TEXTS[(i + c) % TEXTS.length] as string;
  return `${isIndexed || i > TEXTS.length ? [...text].slice(0, 20).join('') : text}${i}`;
}

/** Gives some rows values that fill a chunk on their own, and some segments filters with rows of their own. */
export function addHugeValues(file: string): void {
  const connection = new BetterSqlite3(file);
  connection.exec(
    `UPDATE agent_change_diff SET diff = replace(hex(zeroblob(1000000)), '0', 'é\n') WHERE change_id = 2`,
  );
  connection.exec('UPDATE errlog_segment SET texts = randomblob(5000000) WHERE id IN (3, 4)');
  connection.exec(`UPDATE errlog_segment SET filter = CAST('19' AS BLOB) WHERE id IN (5, 6)`);
  connection.exec(
    `INSERT INTO errlog_segment_filter ("row", segment, pieces)
     SELECT s.value * 1024 + p.value, s.value, randomblob(min(8, 19 - p.value * 8) * 499)
     FROM json_each('[5, 6]') s, json_each('[0, 1, 2]') p`,
  );
  connection.close();
}

/** Reads all rows of all tables, and the greatest ids: another way than that of the move. */
export function contentOf(file: string): Record<string, unknown> {
  const connection = new BetterSqlite3(file, { readonly: true });
  try {
    const content: Record<string, unknown> = {};
    for (const table of [...tablesOf(connection), 'errlog_segment_filter']) {
      const rows = connection.prepare(`SELECT * FROM "${table}"`).safeIntegers().all() as Record<string, unknown>[];
      content[table] = rows.map((row) => JSON.stringify(Object.values(row).map(toText))).sort();
    }
    content['sequences'] = connection
      .prepare('SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name')
      .all();
    return content;
  } finally {
    connection.close();
  }
}

function toText(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return Buffer.isBuffer(value) ? `x'${value.toString('hex')}'` : value;
}
