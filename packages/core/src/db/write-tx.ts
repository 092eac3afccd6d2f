// The `tx` of a write, on either database.
import type { Prisma, Sql, Tx } from './database.ts';
import type { PrismaSession } from './shared-prisma.ts';
import type { WriteScope } from './write-scope.ts';

/** Access to the database during a write. Prisma's session opens with its first use. */
export class WriteTx implements Tx {
  readonly sql: Sql;
  readonly #scope: WriteScope;
  readonly #openSession: () => PrismaSession;
  #session: PrismaSession | undefined;

  /** `createSql` makes the prepared statements; its argument returns Prisma's session, if one is open. */
  constructor(
    scope: WriteScope,
    openSession: () => PrismaSession,
    createSql: (session: () => PrismaSession | undefined) => Sql,
  ) {
    this.#scope = scope;
    this.#openSession = openSession;
    this.sql = createSql(() => this.#session);
  }

  get prisma(): Prisma {
    this.#scope.check();
    this.#session ??= this.#openSession();
    return this.#session.models;
  }

  signal(): void {
    this.#scope.check();
    this.#scope.signalled = true;
  }
}
