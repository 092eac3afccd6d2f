// What costs much to find is found once for all who ask while nothing is written.
import { type Database, type Sql, statement } from '@quarterdeck/core/db';

/** The same twice: nothing was committed in between. (SQLite tells of other connections; the one that reads never writes.) */
const MARK = statement({
  sqlite: 'SELECT CAST(data_version AS TEXT) AS mark FROM pragma_data_version',
  postgresql: 'SELECT pg_current_snapshot()::text AS mark',
});

/** One finding of a result. */
interface Run<Result> {
  /** Read before everything else. */
  readonly mark: Promise<string | undefined>;
  readonly result: Promise<Result>;
  isOver: boolean;
  /** The run that begins when this one is over, for those who came too late for it. */
  next?: Promise<Result>;
}

/** Results by a key, each of the database as it is when somebody asks for it, or later. */
export class CommitCache<Result> {
  readonly #max: number;
  readonly #runsOf = new WeakMap<Sql, Map<string, Run<Result>>>();

  /** Keeps the last `max` results of a database. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * What `find` finds, which only reads; it is for all who ask, and must not be changed. While it is at work for a key it is
   * not called for that one again.
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
      // A failure is not kept.
      if (runs.get(key) === run) runs.delete(key);
    });
    return run.result;
  }
}

const markOf = async (sql: Sql): Promise<string | undefined> => (await sql.get<{ mark: string }>(MARK))?.mark;
