// Writes that fail one after the other, for tests of work that moves a position: a crash between two writes leaves what
// the next run needs.
import type { Database } from '@quarterdeck/core/db';

/** Work in several writes. */
interface Work {
  /** Puts the database into the state before the work. */
  prepare(): Promise<void>;
  /** Runs the work as a new process does. */
  run(db: Database): Promise<unknown>;
  /** Compares the state after the work; called after each repetition. */
  check(): Promise<void>;
}

/**
 * Runs the work with a failure before its first write, then after it, then after the second one, and so on. After each
 * failure the work runs once more. Ends with the first run that has no failure; returns the number of those that had.
 */
export async function failAtEachWrite(db: Database, { prepare, run, check }: Work): Promise<number> {
  for (let allowed = 0; ; allowed += 1) {
    await prepare();
    let [writes, hasFailed] = [0, false];
    const fail = () => {
      hasFailed = true;
      throw new Error('killed');
    };
    const write: Database['write'] = async (work, options) => {
      // Nothing is written after the failure, as after the end of a process.
      if (writes >= allowed) fail();
      writes += 1;
      const result = await db.write(work, options);
      return writes >= allowed ? fail() : result;
    };
    await run(Object.create(db, { write: { value: write } })).catch(() => undefined);
    if (hasFailed) await run(db);
    await check();
    if (!hasFailed) return allowed;
  }
}
