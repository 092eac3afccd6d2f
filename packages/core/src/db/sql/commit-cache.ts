// Caches an expensive read until the next commit; concurrent callers share one run.
import { type Database, type Sql, statement } from '../open/index.ts';

/** Reads a mark that changes with every commit. SQLite counts commits of other connections; this one never writes. */
const MARK = statement(
  {
    sqlite: 'SELECT CAST(data_version AS TEXT) AS mark FROM pragma_data_version',
    postgresql: 'SELECT pg_current_snapshot()::text AS mark',
  },
  { isShort: true },
);

/** One run of a read. */
interface Run<Result> {
  /** Mark read before the run. */
  readonly mark: Promise<string | undefined>;
  readonly result: Promise<Result>;
  isOver: boolean;
  /** Run that starts when this one is over, for callers after a later commit. */
  next?: Promise<Result>;
}

/** Cache of results by key. Each result is at least as new as the call that gets it. */
export class CommitCache<Result> {
  readonly #max: number;
  readonly #runsOf = new WeakMap<Sql, Map<string, Run<Result>>>();

  /** Creates a cache of the last `max` results of each database. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Returns the result of `find` for a key. `find` only reads, and runs once at a time for a key. Callers share the
   * result and must not change it.
   */
  async get({ read: { sql } }: Pick<Database, 'read'>, key: string, find: () => Promise<Result>): Promise<Result> {
    const runs = this.#runsOf.get(sql) ?? new Map<string, Run<Result>>();
    this.#runsOf.set(sql, runs);
    const start = (mark: Run<Result>['mark']) => this.#start(runs, key, mark, find);
    const mark = markOf(sql);
    const now = await mark;
    const last = runs.get(key);
    if (last === undefined) return start(mark);
    if ((await last.mark) === now) return last.result;
    if (!last.isOver) {
      const startNext = () => start(markOf(sql));
      last.next ??= last.result.then(startNext, startNext);
      return last.next;
    }
    const newer = runs.get(key);
    return newer === undefined || newer === last ? start(mark) : newer.result;
  }

  #start(
    runs: Map<string, Run<Result>>,
    key: string,
    mark: Run<Result>['mark'],
    find: () => Promise<Result>,
  ): Promise<Result> {
    const run: Run<Result> = { mark, result: mark.then(find), isOver: false };
    runs.delete(key);
    runs.set(key, run);
    for (const oldest of runs.keys()) {
      if (runs.size <= this.#max) break;
      runs.delete(oldest);
    }
    const end = () => {
      run.isOver = true;
    };
    run.result.then(end, () => {
      end();
      // Failures are not cached.
      if (runs.get(key) === run) runs.delete(key);
    });
    return run.result;
  }
}

const markOf = async (sql: Sql): Promise<string | undefined> => (await sql.get<{ mark: string }>(MARK))?.mark;
