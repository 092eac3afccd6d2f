// The thread of `thread.ts` on a database, and what tests of it write beside it.
import { type Database, statement, type Tx, type WritingThread } from '../../src/db/open/index.ts';
import type { ThreadMessage } from './thread.ts';

export type { ThreadMessage };

export const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');
const list = statement('SELECT type FROM event ORDER BY id');

export const addNamed = (type: string) => (tx: Tx) => tx.sql.run(add, type, '');

/** Types of all events, oldest first. */
export const typesIn = async ({ read }: Database): Promise<string[]> =>
  (await read.sql.all<{ type: string }>(list)).map(({ type }) => type);

/** Opens a thread that stores each name with the prefix `t:`; `lost` collects the ends of its threads. */
export function openTestThread(database: Database, lost: Error[] = []): WritingThread<ThreadMessage, string[]> {
  const thread = database.openThread?.<ThreadMessage, string[]>({
    file: new URL('./thread.ts', import.meta.url),
    settings: { prefix: 't:' },
    onLost: (error) => lost.push(error),
  });
  if (thread === undefined) throw new Error('SQLite has threads');
  return thread;
}
