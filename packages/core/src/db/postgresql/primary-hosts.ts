// Finds the primary among the hosts of an address.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  type PostgresAddress,
  type PostgresHost,
  type PostgresLimits,
  parsePostgresAddress,
} from '../../postgres-address.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import { reasonOf, startFailure } from './start-failure.ts';

/** Time limit of a search, shared by all hosts. */
const SEARCH_MS = 1500;
/** While there is no primary, it is searched for this often at most. */
const SEARCH_PAUSE_MS = 200;

/** Time for which a found primary is used without asking again: a connection that fails cannot try another host. */
const FRESH_MS = 1000;

/** True on a standby, which accepts no writes. */
export const IS_STANDBY = 'SELECT pg_is_in_recovery() AS "isStandby"';

/** Hosts of one address, shared by the connections of a pool. */
export class PrimaryHosts {
  readonly #address: PostgresAddress;
  #hosts: readonly PostgresHost[];
  #primary: PostgresHost | undefined;
  #foundMs = 0;
  #search: Promise<PostgresHost> | undefined;

  /** @throws DatabaseError of kind `denied` for an address that cannot be used */
  constructor(address: string) {
    try {
      this.#address = parsePostgresAddress(address);
    } catch (error) {
      throw new DatabaseError('denied', `The address of the database has ${(error as Error).message}.`);
    }
    this.#hosts = this.#address.hosts;
  }

  /** Address for node-postgres, with the first host. */
  get url(): string {
    return this.#address.url(this.#hosts[0]);
  }

  get limits(): PostgresLimits {
    return this.#address.limits;
  }

  /** Text for messages, such as `a:5432, b:5432`; undefined for a single host. */
  get text(): string | undefined {
    return this.#hosts.length === 0 ? undefined : this.#hosts.map(textOf).join(', ');
  }

  /** Resolves with the host of the primary, undefined for a single host. Concurrent callers share one search. */
  async find(): Promise<PostgresHost | undefined> {
    if (this.#hosts.length === 0) return undefined;
    if (this.#primary !== undefined && performance.now() - this.#foundMs < FRESH_MS) return this.#primary;
    this.#search ??= this.#begin();
    return await this.#search;
  }

  /** Lets the next connection search again after one to this host has failed. */
  doubt(host: PostgresHost | undefined): void {
    if (host === this.#primary) this.#primary = undefined;
  }

  async #begin(): Promise<PostgresHost> {
    try {
      const primary = await this.#ask();
      // The next search begins with it.
      this.#hosts = [primary, ...this.#hosts.filter((one) => one !== primary)];
      this.#primary = primary;
      this.#foundMs = performance.now();
      this.#search = undefined;
      return primary;
    } catch (error) {
      void delay(SEARCH_PAUSE_MS, undefined, { ref: false }).then(() => {
        this.#search = undefined;
      });
      throw error;
    }
  }

  async #ask(): Promise<PostgresHost> {
    const reasons: string[] = [];
    for (const host of this.#hosts) {
      try {
        if (!(await isStandby(this.#address.url(host), SEARCH_MS / this.#hosts.length))) return host;
        reasons.push(`${textOf(host)} is a standby`);
      } catch (thrown) {
        const error = fromDriver(thrown);
        // Like libpq: the same password would be refused by the others, too.
        if (error instanceof DatabaseError && error.kind === 'denied')
          throw startFailure(thrown, textOf(host), 'denied');
        reasons.push(`${textOf(host)} cannot be reached: ${reasonOf(thrown)}`);
      }
    }
    throw new DatabaseError('unavailable', `No host of the database is the primary: ${reasons.join('; ')}.`);
  }
}

const textOf = ({ host, port }: PostgresHost): string => `${host}:${port}`;

async function isStandby(url: string, limitMs: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
    application_name: 'quarterdeck search',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ isStandby: boolean }>(IS_STANDBY);
    return rows[0]?.isStandby === true;
  } finally {
    client.end().catch(() => {});
  }
}
