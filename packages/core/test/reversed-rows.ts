// Has SQLite return rows that have no order in the reverse of the usual one: what depends on that order fails at once,
// not once in a thousand runs of PostgreSQL. Threads keep the usual order.
import BetterSqlite3, { type Database } from 'better-sqlite3';

const { prepare } = BetterSqlite3.prototype;
const NAME = 'prepareReversed';
if (prepare.name !== NAME) {
  const reversed = new WeakSet<Database>();
  BetterSqlite3.prototype.prepare = {
    [NAME](this: Database, source: string) {
      if (!reversed.has(this)) {
        reversed.add(this);
        this.pragma('reverse_unordered_selects = ON');
      }
      return prepare.call(this, source);
    },
  }[NAME] as typeof prepare;
}
