// The SQLite file: creation, settings, and the files that are refused.
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { knownMigrations } from '../../src/db/migrations.ts';
import { openDatabase, statement } from '../../src/db/open/index.ts';
import { openReader, openWriter } from '../../src/db/sqlite/connection.ts';
import { migrateSqlite } from '../../src/db/sqlite/migrate.ts';
import { copyTemplate, createDirectory, open } from './databases.ts';

const applied = statement('SELECT migration_name AS name FROM _prisma_migrations ORDER BY migration_name');
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const hashOf = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

/** A database of a few pages, of which tests get copies. */
let filled = '';
beforeAll(async () => {
  const { dataDir } = await copyTemplate(join(await mkdtemp(join(tmpdir(), 'quarterdeck-db-')), 'data'));
  const database = await openDatabase({ kind: 'sqlite', dataDir });
  const data = Array.from({ length: 200 }, (_, i) => ({
    type: `event ${i}`,
    data: 'x'.repeat(1000),
    timeMs: BigInt(i),
  }));
  await database.write((tx) => tx.prisma.event.createMany({ data }));
  await database.close();
  filled = join(dataDir, 'quarterdeck.db');
});

/** A data directory with a closed database in it. */
async function createDatabase(): Promise<{ dataDir: string; file: string }> {
  const dataDir = await createDirectory();
  const file = join(dataDir, 'quarterdeck.db');
  await copyFile(filled, file);
  return { dataDir, file };
}

function edit(file: string, sql: string): void {
  const connection = new BetterSqlite3(file);
  connection.exec(sql);
  connection.close();
}

describe('a new database', () => {
  it('is for this user alone', async () => {
    const dataDir = join(await createDirectory(), 'deeper', 'data');
    const database = await open({ kind: 'sqlite', dataDir });
    await database.write((tx) => tx.prisma.event.create({ data: { type: 'x', data: '', timeMs: 1n } }));
    expect(await modeOf(dataDir)).toBe('700');
    const files = await readdir(dataDir);
    expect(files.sort()).toEqual([
      'quarterdeck.db',
      'quarterdeck.db-shm',
      'quarterdeck.db-wal',
      'quarterdeck.lock',
      'quarterdeck.reserve',
    ]);
    for (const file of files) expect(await modeOf(join(dataDir, file))).toBe('600');
  });

  it('leaves no journal when it is closed', async () => {
    const files = await readdir(dirname(filled));
    expect(files.sort()).toEqual(['quarterdeck.db', 'quarterdeck.lock', 'quarterdeck.reserve']);
  });

  it('makes ids row numbers, even those of 64 bits', async () => {
    const { dataDir } = await createDatabase();
    const database = await open({ kind: 'sqlite', dataDir });
    const tables = statement(
      `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.pk = 1 AND c.name = 'id'
       WHERE m.type = 'table' AND (c.type <> 'INTEGER' OR m.sql NOT LIKE '%AUTOINCREMENT%')
         AND m.name NOT LIKE '\\_%' ESCAPE '\\' AND m.name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')`,
    );
    expect(await database.read.sql.all(tables)).toEqual([]);
  });

  it('refuses a directory that cannot be made, in one line', async () => {
    const place = join(await createDirectory(), 'file');
    await writeFile(place, '');
    const refused = openDatabase({ kind: 'sqlite', dataDir: join(place, 'data') });
    await expect(refused).rejects.toMatchObject({
      kind: 'io',
      message: expect.stringMatching(/^[^\n]*file\/data[^\n]*$/),
    });
  });
});

describe('an opened file', () => {
  it('may be an empty one in a directory that exists already', async () => {
    const dataDir = await createDirectory();
    await writeFile(join(dataDir, 'quarterdeck.db'), '');
    const database = await open({ kind: 'sqlite', dataDir });
    expect(await database.read.prisma.source.count()).toBe(1);
  });

  it('has every setting, each time it is opened', async () => {
    const { file } = await createDatabase();
    for (const time of ['first', 'second']) {
      const writer = openWriter(file);
      const reader = openReader(file);
      const of = (connection: typeof writer) => (name: string) => connection.pragma(name, { simple: true });
      const names = [
        'journal_mode',
        'synchronous',
        'foreign_keys',
        'journal_size_limit',
        'trusted_schema',
        'cell_size_check',
        'busy_timeout',
      ];
      expect([time, ...names.map(of(writer))]).toEqual([time, 'wal', 2, 1, 134_217_728, 0, 1, 0]);
      expect(['journal_mode', 'trusted_schema', 'cell_size_check', 'busy_timeout'].map(of(reader))).toEqual([
        'wal',
        0,
        1,
        250,
      ]);
      expect(() => reader.exec('DELETE FROM event')).toThrow('readonly');
      reader.close();
      writer.close();
    }
  });

  it('is migrated once', async () => {
    const { dataDir } = await createDatabase();
    const names = knownMigrations('sqlite').map(({ name }) => ({ name }));
    for (const _ of [1, 2]) {
      const database = await openDatabase({ kind: 'sqlite', dataDir });
      expect(await database.read.sql.all(applied)).toEqual(names);
      expect(await database.read.prisma.event.count()).toBe(200);
      await database.close();
    }
  });

  it('is recovered when a rollback journal was left behind', async () => {
    const { dataDir, file } = await createDatabase();
    // A journal without a valid header was not synced: SQLite ignores it.
    await writeFile(`${file}-journal`, Buffer.alloc(512));
    const database = await open({ kind: 'sqlite', dataDir });
    expect(await database.read.prisma.event.count()).toBe(200);
  });
});

describe('a file that must not be touched', () => {
  const flip = async (file: string, from: number) => {
    const bytes = await readFile(file);
    bytes.fill(0xa5, from, from + 3000);
    await writeFile(file, bytes);
  };
  const cases: readonly (readonly [string, string, (file: string) => unknown])[] = [
    ['text', 'damaged', (file) => writeFile(file, 'not a database, but longer than the header of one. '.repeat(10))],
    ['a few bytes', 'damaged', (file) => writeFile(file, 'oops')],
    // The first byte is the kind of the page.
    ['a damaged page', 'damaged', (file) => flip(file, 4096 * 60)],
    ['a damaged first page', 'damaged', (file) => flip(file, 100)],
    ['a file cut short', 'damaged', (file) => truncate(file, 4096 * 5)],
    ['a database of another program', 'foreign', (file) => edit(file, 'DROP TABLE _prisma_migrations')],
    [
      'a migration that never finished',
      'migration',
      (file) => edit(file, 'UPDATE _prisma_migrations SET finished_at = NULL'),
    ],
  ];

  it.each(nonEmpty(cases))('%s is refused as %s', async (_, kind, spoil) => {
    const { dataDir, file } = await createDatabase();
    await spoil(file);
    const before = await hashOf(file);
    const line = expect.stringMatching(new RegExp(`^[^\\n]*${file}[^\\n]*$`));
    await expect(openDatabase({ kind: 'sqlite', dataDir })).rejects.toMatchObject({ kind, message: line });
    expect(await hashOf(file)).toBe(before);
  });

  it.each([
    [
      'with another migration',
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ('x', 'x', '20991231000000_future', 1, 1)`,
    ],
    [
      'without one of this version',
      "UPDATE _prisma_migrations SET migration_name = '20991231000000_future' WHERE migration_name LIKE '%_init'",
    ],
  ])('a newer database %s is refused with the version to use', async (_, sql) => {
    const { dataDir, file } = await createDatabase();
    edit(file, `INSERT INTO setting VALUES ('version', '9.8.7'); ${sql}`);
    const before = await hashOf(file);
    await expect(openDatabase({ kind: 'sqlite', dataDir })).rejects.toMatchObject({
      kind: 'newer',
      message: expect.stringContaining('use 9.8.7 or newer'),
    });
    expect(await hashOf(file)).toBe(before);
  });

  it('one of version 0.1.0 is refused and stays as it is', async () => {
    const { dataDir, file } = await createDatabase();
    edit(file, "DELETE FROM _prisma_migrations WHERE migration_name > '20261122002500_agent_revision'");
    const before = await hashOf(file);
    const message = expect.stringContaining('was made by version 0.1.0');
    await expect(openDatabase({ kind: 'sqlite', dataDir })).rejects.toMatchObject({ kind: 'migration', message });
    expect(await hashOf(file)).toBe(before);
  });
});

describe('a migration', () => {
  const next = (sql: string) => [...knownMigrations('sqlite'), { name: '20990101000000_next', sql }];
  const migrate = (file: string, sql: string) => migrateSqlite(file, next(sql), ['20990101000000_next'], false);

  it('copies the file first', async () => {
    const { dataDir, file } = await createDatabase();
    await migrate(file, 'ALTER TABLE "event" ADD COLUMN "more" TEXT; UPDATE "event" SET "more" = "type";');
    const copy = join(dataDir, 'quarterdeck.db.before-20990101000000_next');
    expect(await modeOf(copy)).toBe('600');
    const connection = new BetterSqlite3(copy, { readonly: true });
    expect(connection.prepare('SELECT count(*) FROM event').pluck().get()).toBe(200);
    expect(() => connection.prepare('SELECT more FROM event')).toThrow('no such column');
    connection.close();
    await expect(openDatabase({ kind: 'sqlite', dataDir })).rejects.toMatchObject({ kind: 'newer' });
  });

  it('changes nothing when one of its statements fails, and can be repeated', async () => {
    const { dataDir, file } = await createDatabase();
    const failing = migrate(file, 'ALTER TABLE "event" ADD COLUMN "more" TEXT; UPDATE "nothing" SET "a" = 1;');
    await expect(failing).rejects.toMatchObject({
      kind: 'migration',
      cause: { message: expect.stringContaining('nothing') },
    });
    const database = await openDatabase({ kind: 'sqlite', dataDir });
    expect(await database.read.sql.all(applied)).toHaveLength(knownMigrations('sqlite').length);
    await database.close();
    await migrate(file, 'ALTER TABLE "event" ADD COLUMN "more" TEXT;');
  });

  it('is refused when it would leave rows with dangling references', async () => {
    const { file } = await createDatabase();
    const orphan = "INSERT INTO recovery_code (user_id, code_hash) VALUES (12345, x'00');";
    await expect(migrate(file, orphan)).rejects.toMatchObject({ kind: 'migration' });
    await migrate(file, 'DELETE FROM "event";');
    const connection = new BetterSqlite3(file);
    expect(connection.prepare('SELECT count(*) FROM recovery_code').pluck().get()).toBe(0);
    connection.close();
  });

  it('has the same name on both databases', async () => {
    const sqlite = knownMigrations('sqlite').map(({ name }) => name);
    expect(sqlite).toEqual(knownMigrations('postgresql').map(({ name }) => name));
    expect(sqlite).toContain('20261120000000_init');
  });
});
