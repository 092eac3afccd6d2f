// Resources that a server and its database use, read from the kernel.
import { readFileSync } from 'node:fs';
import type { Database } from '../../packages/core/src/db/open/index.ts';
import type { PostgresServer } from '../../packages/core/test/postgres.ts';
import { built } from '../built.ts';
import { cpuUsOf, type Program } from '../processes.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');

/** Resources used so far. */
export interface Usage {
  /** Processor time of the servers, microseconds. */
  readonly serverUs: number;
  /** Processor time of PostgreSQL, microseconds; 0 on SQLite, which is a part of the server. */
  readonly databaseUs: number;
  /** Bytes of the write-ahead log of PostgreSQL; 0 on SQLite. */
  readonly walBytes: number;
}

const WAL = statement("SELECT CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS int8) AS bytes");

/** Servers under load, and their PostgreSQL. */
export class Machines {
  readonly servers: readonly Program[];
  readonly #postgres: PostgresServer | undefined;
  readonly #db: Database | undefined;

  private constructor(servers: readonly Program[], postgres?: PostgresServer, db?: Database) {
    this.servers = servers;
    this.#postgres = postgres;
    this.#db = db;
  }

  /** `postgres` is undefined on SQLite. */
  static async of(servers: readonly Program[], postgres?: PostgresServer, url?: string): Promise<Machines> {
    const db = url === undefined ? undefined : await openDatabase({ kind: 'postgresql', url });
    return new Machines(servers, postgres, db);
  }

  async usage(): Promise<Usage> {
    return {
      serverUs: this.servers.reduce((sum, server) => sum + server.cpuUs(), 0),
      databaseUs: cpuUsOf(this.#postgres?.processes() ?? []),
      walBytes: (await this.#db?.read.sql.get<{ bytes: number }>(WAL))?.bytes ?? 0,
    };
  }

  memoryMb(): number {
    return this.servers.reduce((sum, server) => sum + server.memoryMb(), 0);
  }

  async stop(): Promise<void> {
    await this.#db?.close();
    for (const server of this.servers) await server.stop();
  }
}

/** Objects of the kernel for a connection. */
const OBJECTS = ['TCP', 'sock_inode_cache', 'filp', 'eventpoll_epi', 'request_sock_TCP'];

/** Memory of the kernel for connections in bytes, of all processes; NaN where only the administrator may read it. */
export function kernelBytes(): number {
  try {
    const slabs = readFileSync('/proc/slabinfo', 'utf8');
    return OBJECTS.reduce((sum, name) => {
      const [, active = 0, size = 0] = new RegExp(`^${name}\\s+(\\d+)\\s+\\d+\\s+(\\d+)`, 'm').exec(slabs) ?? [];
      return sum + Number(active) * Number(size);
    }, 0);
  } catch {
    return Number.NaN;
  }
}
