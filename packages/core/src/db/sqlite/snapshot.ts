// One read transaction for all reads of a round of the event loop. A transaction for each would cost more in locks on
// the file than many a statement does.
import type { Database as Connection, Statement as Prepared } from 'better-sqlite3';

/**
 * The read transaction of one round. It ends with the round, and before each commit: a read that starts after a commit
 * sees it, and the write-ahead log can start over. Only this process writes; it owns the file.
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

  /** Begins the transaction if there is none. Call it before each read. */
  hold(): void {
    if (this.#held) return;
    this.#begin.run();
    this.#held = true;
    setImmediate(this.end);
  }

  /** Ends the transaction, if there is one. */
  readonly end = (): void => {
    if (!this.#held) return;
    this.#held = false;
    // After some errors SQLite has ended the transaction itself.
    if (this.#connection.open && this.#connection.inTransaction) this.#end.run();
  };
}
