// A connection to the primary. Everything that connects to PostgreSQL uses it, the pool as well.
import pg from 'pg';
import { DatabaseError } from '../database-error.ts';
import { IS_STANDBY, type PrimaryHosts } from './primary-hosts.ts';

/** Configuration of a connection. */
export interface PrimaryConfig extends Omit<pg.ClientConfig, 'connectionString' | 'options'> {
  readonly application_name: string;
  /**
   * Statements that set up the session, such as `SET lock_timeout = 2000`. They are no parameters of the start, which
   * pgbouncer refuses.
   */
  readonly session?: string;
}

export class PrimaryClient extends pg.Client {
  readonly #hosts: PrimaryHosts;
  readonly #session: string;

  constructor(hosts: PrimaryHosts, { session = '', ...config }: PrimaryConfig) {
    super({ connectionTimeoutMillis: hosts.limits.connectMs, keepAlive: true, ...config, connectionString: hosts.url });
    this.#hosts = hosts;
    this.#session = session;
    // The running statement reports the error, too; without a listener it would end the process.
    this.on('error', () => {});
  }

  /** Connects to the primary. A host that turns out to be a standby is refused with the kind `unavailable`. */
  override connect(): Promise<this>;
  override connect(callback: (error: Error | null, client: this) => void): void;
  override connect(callback?: (error: Error | null, client: this) => void): Promise<this> | undefined {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(
      () => callback(null, this),
      (error: Error) => callback(error, this),
    );
    return undefined;
  }

  async #connect(): Promise<this> {
    const host = await this.#hosts.find();
    if (host !== undefined) Object.assign(this, host);
    try {
      await super.connect();
      await this.#setUp();
      return this;
    } catch (error) {
      this.#hosts.doubt(host);
      this.end().catch(() => {});
      throw error;
    }
  }

  /** Sets up the session in the round trip that asks for the role of the server. */
  async #setUp(): Promise<void> {
    const query = { text: `${IS_STANDBY}; ${this.#session}`, query_timeout: this.#hosts.limits.connectMs };
    const answer: pg.QueryResult | pg.QueryResult[] = await this.query(query);
    const [role] = Array.isArray(answer) ? answer : [answer];
    if (role?.rows[0]?.isStandby !== true) return;
    throw new DatabaseError('unavailable', `The database at ${this.host}:${this.port} is a standby.`);
  }
}
