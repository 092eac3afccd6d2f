import BetterSqlite3 from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';

it('rows without an order come in the reverse of the usual one', () => {
  const connection = new BetterSqlite3(':memory:');
  onTestFinished(() => void connection.close());
  connection.exec('CREATE TABLE t (n INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)');
  const numbersOf = (query: string) => connection.prepare(query).pluck().all();
  expect(numbersOf('SELECT n FROM t')).toEqual([3, 2, 1]);
  expect(numbersOf('SELECT n FROM t ORDER BY n')).toEqual([1, 2, 3]);
});
