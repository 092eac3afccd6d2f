// One read transaction for all reads of a round of the event loop. By itself each statement would be one, which costs
// more in locks on the file than many a statement does.
import type { Database as Connection, Statement as Prepared } from 'better-sqlite3';

/**
 * What the reading connection sees during one round. It ends with the round, and before a write is committed: a read
 * that starts after the commit sees it, and nobody keeps the write-ahead log from starting over. Only this process
 * writes; it owns the file.
 */
export class Snapshot {
  readonly #connection: Connection;
  readonly #begin: Prepared;
  readonly #end: Prepared;
  #held = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#begin = connection.prepare('BEGIN');
    this.#end = connection.prepare('COMMIT');
  }

  /** Call before a read. */
  hold(): void {
    if (this.#held) return;
    this.#begin.run();
    this.#held = true;
    setImmediate(this.end);
  }

  /** Ends it at once, if there is one. */
  readonly end = (): void => {
    if (!this.#held) return;
    this.#held = false;
    // After some errors SQLite ends it by itself.
    if (this.#connection.open && this.#connection.inTransaction) this.#end.run();
  };
}
