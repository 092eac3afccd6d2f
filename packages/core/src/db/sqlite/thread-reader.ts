// A reader of a thread on SQLite.
import type { ThreadReader } from '../thread-reader.ts';
import { openReader } from './connection.ts';
import { ReadSql, StatementCache } from './statements.ts';

/** Opens a reading connection. */
export function openSqliteReader(file: string): ThreadReader {
  const connection = openReader(file);
  const [begin, commit] = [connection.prepare('BEGIN'), connection.prepare('COMMIT')];
  // The transaction of the snapshot holds: there is nothing to begin before a read.
  const sql = new ReadSql(new StatementCache(connection), { hold() {} });
  return {
    dialect: 'sqlite',
    async snapshot(work) {
      begin.run();
      try {
        return await work(sql);
      } finally {
        // After some errors SQLite has ended the transaction itself.
        if (connection.inTransaction) commit.run();
      }
    },
    async close() {
      connection.close();
    },
  };
}
