// PostgreSQL as the source or the target of a move.
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { countStatement } from '../contents.ts';
import { DatabaseError, errorCodes, fromDriver } from '../database-error.ts';
import { knownMigrations } from '../migrations.ts';
import {
  CLEARED,
  createMarker,
  dropMarker,
  entryOf,
  type Marker,
  readMarker,
  storeMarker,
  toMarker,
} from '../move-marker.ts';
import { columnList, MOVE_TABLE, type MovedTable, quoted, type SchemaTable } from '../moved-tables.ts';
import { findPending, migratePostgres } from '../postgresql/migrate.ts';
import { checkDurability } from '../postgresql/pool.ts';
import { PrimaryClient } from '../postgresql/primary-client.ts';
import { PrimaryHosts } from '../postgresql/primary-hosts.ts';
import { startFailure } from '../postgresql/start-failure.ts';
import { DERIVED_ON_POSTGRESQL } from './derived.ts';
import type { MoveReader, MoveTarget, Sequences } from './place.ts';
import { refuseLiveServers, refuseNotEmpty, refuseOtherVersion } from './refusals.ts';
import { type Chunk, chunksOfCopy, type Key } from './rows.ts';

/** Key of the lock of a move: any number, the same in every version of Quarterdeck. */
const MOVE_LOCK = 7_080_515;
/** An interrupted move lets its lock go once PostgreSQL has noticed its end. */
const LOCK_MS = 10_000;

/** Names under which servers connect. */
const LIVE_SERVERS = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
  AND application_name IN ('quarterdeck', 'quarterdeck events', 'quarterdeck migration') LIMIT 1`;

const TABLES = `SELECT c.oid, c.relname AS name FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY c.relname`;
const COLUMNS = `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type,
    coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS "keyPlace"
  FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
const PARENTS = `SELECT DISTINCT p.relname AS name FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid
  WHERE f.conrelid = $1 AND f.contype = 'f'`;
const SEQUENCES = `SELECT t.relname AS name, s.oid::regclass::text AS sequence, pg_sequence_last_value(s.oid)::text AS last
  FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0
  JOIN pg_class t ON t.oid = d.refobjid
  WHERE s.relkind = 'S' AND t.relnamespace = current_schema()::regnamespace`;

interface SequenceRow {
  readonly name: string;
  readonly sequence: string;
  readonly last: string | null;
}

/** Opens the database of stopped servers. Nobody can write to it until it is closed. */
export async function openPostgresSource(url: string): Promise<MoveReader> {
  return await opened(url, async (client, place) => {
    const pending = await findPending(client, knownMigrations('postgresql'), true);
    refuseOtherVersion(place, pending);
    await refuseServers(client, place);
    const reader = new PostgresReader(client, place);
    const tables = (await reader.tables()).map(({ name }) => quoted(name));
    // The locks come first: the data that are read are those of the first statement after them.
    await client.query("SET lock_timeout = '5s'; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await client.query(`LOCK TABLE ${tables.join(', ')} IN SHARE MODE`);
    return reader;
  });
}

/** Opens an empty database, or the target of an interrupted move. */
export async function openPostgresTarget(url: string): Promise<MoveTarget> {
  return await opened(url, async (client, place) => {
    await client.query(`SET lock_timeout = ${LOCK_MS}`);
    await client.query('SELECT pg_advisory_lock($1)', [MOVE_LOCK]);
    await refuseServers(client, place);
    const { rows } = await client.query<{ begun: boolean; any: boolean }>(
      `SELECT to_regclass('${MOVE_TABLE}') IS NOT NULL AS begun,
         EXISTS (SELECT FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')) AS "any"`,
    );
    const isBegun = rows[0]?.begun === true;
    if (!isBegun && rows[0]?.any === true) throw refuseNotEmpty(place);
    if (isBegun) refuseOtherVersion(place, await findPending(client, knownMigrations('postgresql'), true, true));
    return new PostgresTarget(client, place, url, isBegun);
  });
}

async function opened<T>(url: string, open: (client: pg.Client, place: string) => Promise<T>): Promise<T> {
  const hosts = new PrimaryHosts(url);
  const client = new PrimaryClient(hosts, { connectionTimeoutMillis: 10_000, application_name: 'quarterdeck move' });
  const place = `the database ${client.database} on ${hosts.text ?? `${client.host}:${client.port}`}`;
  try {
    await client.connect();
    await client.query(`SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
      SET client_encoding = 'UTF8'; SET bytea_output = 'hex'`);
    return await open(client, place);
  } catch (error) {
    await client.end().catch(() => {});
    if ([...errorCodes(error)].includes('55P03')) throw refuseLiveServers(place);
    throw startFailure(error, hosts.text ?? `${client.host}:${client.port}`);
  }
}

async function refuseServers(client: pg.Client, place: string): Promise<void> {
  if (((await client.query(LIVE_SERVERS)).rowCount ?? 0) > 0) throw refuseLiveServers(place);
}

class PostgresReader implements MoveReader {
  readonly dialect = 'postgresql';
  readonly place: string;
  protected readonly client: pg.Client;

  constructor(client: pg.Client, place: string) {
    this.client = client;
    this.place = place;
  }

  async tables(): Promise<SchemaTable[]> {
    const tables: SchemaTable[] = [];
    for (const { oid, name } of (await this.client.query<{ oid: number; name: string }>(TABLES)).rows) {
      const { rows: columns } = await this.client.query<SchemaTable['columns'][number]>(COLUMNS, [oid]);
      const { rows: parents } = await this.client.query<{ name: string }>(PARENTS, [oid]);
      tables.push({ name, columns, parents: parents.map((parent) => parent.name) });
    }
    return tables;
  }

  async count({ name }: MovedTable): Promise<number> {
    const { rows } = await this.client.query<{ n: string }>(countStatement(name));
    return Number(rows[0]?.n);
  }

  async *chunks(table: MovedTable, after?: Key): AsyncGenerator<Chunk> {
    const values = table.columns.map(({ name, kind }) => (kind === 'boolean' ? `${quoted(name)}::int` : quoted(name)));
    // The order of SQLite: by the bytes of the text.
    const keys = table.columns.slice(0, table.keys).map(({ name, kind }, i) => ({
      sql: kind === 'text' ? `${quoted(name)} COLLATE "C"` : quoted(name),
      after: kind === 'text' ? pg.escapeLiteral(after?.[i] ?? '') : BigInt(after?.[i] ?? 0).toString(),
    }));
    const order = keys.map(({ sql }) => sql).join(', ');
    const behind = after === undefined ? '' : `WHERE (${order}) > (${keys.map((key) => key.after).join(', ')})`;
    const query = `SELECT ${values.join(', ')} FROM ${quoted(table.name)} ${behind} ORDER BY ${order}`;
    yield* chunksOfCopy(this.client.query(copyTo(`COPY (${query}) TO STDOUT`)));
  }

  async sequences(): Promise<Sequences> {
    const { rows } = await this.client.query<SequenceRow>(SEQUENCES);
    return new Map(rows.map(({ name, last }) => [name, last ?? '0']));
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => {});
  }
}

class PostgresTarget extends PostgresReader implements MoveTarget {
  readonly #url: string;
  #isBegun: boolean;

  constructor(client: pg.Client, place: string, url: string, isBegun: boolean) {
    super(client, place);
    this.#url = url;
    this.#isBegun = isBegun;
  }

  async marker(): Promise<Marker | undefined> {
    if (!this.#isBegun) return undefined;
    return toMarker((await this.client.query<{ name: string; value: string }>(readMarker)).rows);
  }

  async begin(source: string): Promise<void> {
    await migratePostgres(this.#url, knownMigrations('postgresql'), false, createMarker(pg.escapeLiteral(source)));
    this.#isBegun = true;
  }

  async clear(tables: readonly MovedTable[]): Promise<void> {
    await this.#transact(async () => {
      await this.client.query(`TRUNCATE ${tables.map(({ name }) => quoted(name)).join(', ')}`);
      await this.#store(CLEARED, '');
    });
  }

  async write(table: MovedTable, { data }: Chunk, progress: object): Promise<void> {
    await this.#transact(async () => {
      // The move goes on where the last durable chunk ends, so no chunk has to wait for the disk.
      await this.client.query('SET LOCAL synchronous_commit = off');
      const stream = this.client.query(copyFrom(`COPY ${quoted(table.name)} (${columnList(table)}) FROM STDIN`));
      stream.end(data);
      await finished(stream).catch((error: unknown) => {
        throw explain(error, table);
      });
      await this.#store(entryOf(table.name), JSON.stringify(progress));
    });
  }

  async finish(tables: readonly MovedTable[], sequences: Sequences): Promise<void> {
    await checkDurability(this.client);
    const { rows } = await this.client.query<SequenceRow>(SEQUENCES);
    await this.#transact(async () => {
      await this.client.query('SET LOCAL synchronous_commit = on');
      await this.client.query(DERIVED_ON_POSTGRESQL);
      for (const { name, sequence } of rows) {
        const id = tables.find((table) => table.name === name)?.columns[0];
        if (id === undefined) continue;
        await this.client.query(
          `SELECT setval($1, greatest(last, 1), last > 0) FROM
             (SELECT greatest(coalesce(max(${quoted(id.name)}), 0), $2::int8) AS last FROM ${quoted(name)}) AS ids`,
          [sequence, sequences.get(name) ?? '0'],
        );
      }
      await this.client.query(dropMarker);
    });
    // Plans and scans of indexes alone need it; the first minutes of the server would be slow without.
    await this.client.query(`VACUUM ANALYZE ${tables.map(({ name }) => quoted(name)).join(', ')}`);
  }

  async #transact(work: () => Promise<void>): Promise<void> {
    try {
      await this.client.query('BEGIN');
      await work();
      await this.client.query('COMMIT');
    } catch (error) {
      await this.client.query('ROLLBACK').catch(() => {});
      throw fromDriver(error);
    }
  }

  async #store(name: string, value: string): Promise<void> {
    await this.client.query(storeMarker('$1, $2'), [name, value]);
  }
}

/** Names the table of a row that PostgreSQL refuses. Its own context would repeat the row, which may be secret. */
function explain(thrown: unknown, { name }: MovedTable): unknown {
  const error = fromDriver(thrown);
  if (error instanceof DatabaseError) return error;
  const reason = thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown);
  return new DatabaseError('io', `PostgreSQL refuses a row of ${name}: ${reason}.`, { cause: thrown });
}
