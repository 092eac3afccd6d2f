// One Prisma client for reads and for all writes: it holds a copy of the models in WebAssembly memory and compiles each
// form of a query once. A statement of a write finds its connection by the asynchronous context of its operation.
import { AsyncLocalStorage } from 'node:async_hooks';
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
import type { StatementTimes } from './statement-times.ts';
import type { WriteScope } from './write-scope.ts';

/** The part of a generated client that both databases share. */
interface SharedClient {
  $connect(): PromiseLike<void>;
  $disconnect(): PromiseLike<void>;
}

type Method = (args?: { where?: object }) => PromiseLike<unknown>;
type Delegate = Record<string, unknown>;

/** The client of a database: itself for reads, and a {@link PrismaSession} for each write. */
export class SharedPrisma {
  /** Times of the statements of Prisma and of the prepared ones. */
  readonly times: StatementTimes;
  readonly #client: SharedClient;
  readonly #current = new AsyncLocalStorage<PrismaSession>();

  /** `read`, a plain object, runs the statements that belong to no write. */
  constructor(
    read: SqlDriverAdapter,
    times: StatementTimes,
    createClient: (adapter: SqlDriverAdapterFactory) => SharedClient,
  ) {
    this.times = times;
    const timed = { ...read, ...times.timed(read) };
    const current = () => this.#current.getStore() ?? timed;
    const adapter: SqlDriverAdapter = {
      ...read,
      queryRaw: (query) => current().queryRaw(query),
      executeRaw: (query) => current().executeRaw(query),
      startTransaction: (isolation) => current().startTransaction(isolation),
    };
    const { provider, adapterName } = read;
    this.#client = createClient({ provider, adapterName, connect: () => Promise.resolve(adapter) });
  }

  /** The models, on committed data. */
  get read(): Prisma {
    return this.#client as unknown as Prisma;
  }

  /** Loads the query compiler, so that the first query does not wait for it. */
  async connect(): Promise<void> {
    await this.#client.$connect();
  }

  async close(): Promise<void> {
    await this.#client.$disconnect();
  }

  /** Opens a session for a write on a connection that is in its transaction. */
  openSession(scope: WriteScope, connection: SqlQueryable): PrismaSession {
    const client = this.#client as unknown as Record<string, Delegate | undefined>;
    const session: PrismaSession = new PrismaSession(scope, this.times.timed(connection), (name) => {
      const delegate = client[name];
      return delegate && bindDelegate(delegate, (run) => this.#current.run(session, () => scope.track(run)));
    });
    return session;
  }
}

/** The models as one write uses them. Nested writes, which need a transaction, get a savepoint. */
export class PrismaSession implements SqlQueryable {
  readonly provider;
  readonly adapterName;
  readonly models: Prisma;
  readonly #scope: WriteScope;
  readonly #connection: SqlQueryable;
  #exclusive: Promise<void> | undefined;
  #release: (() => void) | undefined;
  #savepoints = 0;

  constructor(scope: WriteScope, connection: SqlQueryable, delegateOf: (model: string) => Delegate | undefined) {
    this.provider = connection.provider;
    this.adapterName = connection.adapterName;
    this.#scope = scope;
    this.#connection = connection;
    this.models = new Proxy({} as Prisma, {
      get: (_, name) => (typeof name === 'string' && !name.startsWith('$') ? delegateOf(name) : undefined),
    });
  }

  /** True while Prisma has a savepoint open, see {@link untilFree}. */
  get held(): boolean {
    return this.#exclusive !== undefined;
  }

  /**
   * Waits for the open savepoint: a statement inside one that is not its own would be rolled back with it. Check
   * {@link held} again afterwards.
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

  async startTransaction(_isolationLevel?: IsolationLevel): Promise<Transaction> {
    // Nothing may run between the last check and the next line, or two waiting operations would both go on.
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
      // Prisma then leaves BEGIN, COMMIT and ROLLBACK to this object.
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

  #free(): void {
    this.#exclusive = undefined;
    this.#release?.();
  }

  async #run<T>(statement: () => Promise<T>): Promise<T> {
    if (!this.#scope.active) throw new Error('A statement of Prisma came after its write had ended.');
    try {
      return await statement();
    } catch (error) {
      this.#scope.fail(error);
      throw error;
    }
  }
}

/**
 * Methods that a write runs in the place of others. Prisma collects the `findUnique` calls of one tick, whichever write
 * they belong to, into one query; `findFirst` runs by itself.
 */
const REPLACED: Readonly<Record<string, string>> = { findUnique: 'findFirst', findUniqueOrThrow: 'findFirstOrThrow' };

/** A model whose methods start at once, each through `start`. */
function bindDelegate(delegate: Delegate, start: (run: () => PromiseLike<unknown>) => Promise<unknown>): Delegate {
  return new Proxy(delegate, {
    get: (target, name) => {
      const member = target[name as string];
      if (typeof member !== 'function') return member;
      const replaced = REPLACED[name as string];
      if (replaced === undefined) return (args?: object) => start(() => (member as Method).call(target, args));
      return ({ where, ...args }: { where: object }) =>
        start(() => (target[replaced] as Method).call(target, { ...args, where: toFilter(where) }));
    },
  });
}

/**
 * Converts the filter of `findUnique` to one of `findFirst`: spreads keys of several fields, such as
 * `{ reqId_errlogId: { reqId, errlogId } }`. Throws without a value, where `findFirst` would return any row.
 */
function toFilter(where: object): object {
  // Names of fields have no underscore.
  const fields = Object.entries(where).flatMap(([name, value]) =>
    name.includes('_') ? Object.entries(value ?? { [name]: undefined }) : [[name, value]],
  );
  const values = fields.map(([, value]) => value);
  if (values.includes(undefined) || values.every((value) => value === null)) {
    throw new Error('findUnique needs the value of a unique field.');
  }
  return Object.fromEntries(fields);
}
