// A Prisma client bound to one connection, on which a transaction of ours is already open. Prisma takes part in it:
// where it wants a transaction of its own (nested writes), it gets a savepoint.
import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import type { Prisma } from './database.ts';
import type { WriteScope } from './write-scope.ts';

/** What a lane needs of a generated client, of either database. */
export interface SessionClient {
  $connect(): PromiseLike<void>;
  $disconnect(): PromiseLike<void>;
}

type Delegate = Record<string, unknown>;

/** Serves Prisma's statements to one turn at a time, and to nobody between turns. */
class SessionAdapter implements SqlDriverAdapter {
  readonly provider;
  readonly adapterName;
  turn: WriteScope | undefined;
  retired = false;
  readonly #connection: SqlQueryable;
  #exclusive: Promise<void> | undefined;
  #release: (() => void) | undefined;
  #savepoints = 0;

  constructor(connection: SqlQueryable) {
    this.#connection = connection;
    this.provider = connection.provider;
    this.adapterName = connection.adapterName;
  }

  get held(): boolean {
    return this.#exclusive !== undefined;
  }

  /**
   * Waits for the open savepoint: what ran inside one that is not its own would be rolled back with it. Look again after.
   */
  async untilFree(): Promise<void> {
    await this.#exclusive;
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    while (this.#exclusive !== undefined) await this.#exclusive;
    return await this.#run(() => this.#connection.queryRaw(query));
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    while (this.#exclusive !== undefined) await this.#exclusive;
    return await this.#run(() => this.#connection.executeRaw(query));
  }

  executeScript(): Promise<void> {
    return Promise.reject(new Error('A lane runs statements, not scripts.'));
  }

  async startTransaction(_isolationLevel?: IsolationLevel): Promise<Transaction> {
    // Nothing may come between the last look and the next line, or two that waited would both go on.
    while (this.#exclusive !== undefined) await this.#exclusive;
    this.#exclusive = new Promise((resolve) => {
      this.#release = resolve;
    });
    this.#savepoints += 1;
    const name = `prisma_${this.#savepoints}`;
    const execute = (sql: string) => this.#run(() => this.#connection.executeRaw({ sql, args: [], argTypes: [] }));
    try {
      await execute(`SAVEPOINT ${name}`);
    } catch (error) {
      this.#free();
      throw error;
    }
    return {
      provider: this.provider,
      adapterName: this.adapterName,
      // Prisma then leaves BEGIN, COMMIT and ROLLBACK to us.
      options: { usePhantomQuery: true },
      queryRaw: (query) => this.#run(() => this.#connection.queryRaw(query)),
      executeRaw: (query) => this.#run(() => this.#connection.executeRaw(query)),
      commit: async () => {
        try {
          await execute(`RELEASE SAVEPOINT ${name}`);
        } finally {
          this.#free();
        }
      },
      rollback: async () => {
        try {
          await execute(`ROLLBACK TO SAVEPOINT ${name}`);
          await execute(`RELEASE SAVEPOINT ${name}`);
        } finally {
          this.#free();
        }
      },
    };
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }

  #free(): void {
    this.#exclusive = undefined;
    this.#release?.();
  }

  async #run<T>(statement: () => Promise<T>): Promise<T> {
    const turn = this.turn;
    if (this.retired || turn === undefined) throw new Error('A statement of Prisma came after its write had ended.');
    try {
      return await statement();
    } catch (error) {
      turn.fail(error);
      throw error;
    }
  }
}

export class PrismaSession {
  readonly #adapter: SessionAdapter;
  readonly #client: SessionClient;

  constructor(connection: SqlQueryable, createClient: (adapter: SqlDriverAdapterFactory) => SessionClient) {
    const adapter = new SessionAdapter(connection);
    const { provider, adapterName } = connection;
    this.#adapter = adapter;
    this.#client = createClient({ provider, adapterName, connect: () => Promise.resolve(adapter) });
  }

  /** True while Prisma has a savepoint open, see {@link SessionAdapter.untilFree}. */
  get held(): boolean {
    return this.#adapter.held;
  }

  untilFree(): Promise<void> {
    return this.#adapter.untilFree();
  }

  /** Loads the query compiler, so that the first write does not wait for it. */
  async warmUp(): Promise<void> {
    await this.#client.$connect();
  }

  /** Gives the lane to `turn` and returns the models as this turn may use them. */
  enter(turn: WriteScope): Prisma {
    this.#adapter.turn = turn;
    const client = this.#client as unknown as Record<string, Delegate | undefined>;
    const models = new Proxy(client, {
      get: (_, name) => {
        const delegate = typeof name === 'string' && !name.startsWith('$') ? client[name] : undefined;
        return delegate === undefined ? undefined : bind(delegate, turn);
      },
    });
    return models as unknown as Prisma;
  }

  /**
   * Takes the lane back. Returns false when something is still running in it: then it is retired and must not be used
   * again.
   */
  leave(turn: WriteScope): boolean {
    this.#adapter.turn = undefined;
    if (turn.idle && !this.#adapter.held) return true;
    this.#adapter.retired = true;
    return false;
  }

  async close(): Promise<void> {
    await this.#client.$disconnect();
  }
}

/** A model whose methods start at once and belong to `turn`. */
function bind(delegate: Delegate, turn: WriteScope): Delegate {
  return new Proxy(delegate, {
    get: (target, name) => {
      const member = target[name as string];
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => turn.track(() => member.apply(target, args));
    },
  });
}
