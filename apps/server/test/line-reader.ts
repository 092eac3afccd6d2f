// A database with lines and groups of tests, without a server, and a reader of its lines.
import { openThreadReader, type Sql, type Statement, type ThreadReader } from '@quarterdeck/core/db';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { LinePage, LineQuery } from '../../../packages/store/src/lines/line-reads.ts';
import { readLines } from '../../../packages/store/src/lines/read-lines.ts';
import { openStore, type TestStore } from './open-store.ts';
import { DIALECT } from './start-api.ts';
import { addGroups, NOW_S, removeLines } from './stored-lines.ts';

/** Opens a database for the tests of a file. It has no lines when a test begins. */
export function useLineReader() {
  let store: TestStore;
  let reader: ThreadReader;
  beforeAll(async () => {
    store = await openStore();
    await addGroups(store.db);
    reader = await openThreadReader(store.db.readerSettings);
  });
  afterAll(async () => {
    await reader.close();
    await store[Symbol.asyncDispose]();
  });
  beforeEach(() => removeLines(store.db));
  return {
    get db() {
      return store.db;
    },
    /** Reads a page in one snapshot. Returns the ids of its lines, damaged segments and the statements. */
    async readPage(query: LineQuery, limit = 1_000) {
      const statements: { readonly statement: Statement; readonly params: readonly unknown[] }[] = [];
      const { value, damaged } = await reader.snapshot((inner) => {
        const sql: Sql = {
          all(asked, ...params) {
            statements.push({ statement: asked, params });
            return inner.all(asked, ...params);
          },
          get(asked, ...params) {
            statements.push({ statement: asked, params });
            return inner.get(asked, ...params);
          },
          run: (asked, ...params) => inner.run(asked, ...params),
        };
        const budget = { isOver: false };
        return readLines({ sql, dialect: DIALECT, budget, nowS: NOW_S }, { kind: 'page', query, slice: { limit } });
      });
      return { ids: (value as LinePage).data.map(({ id }) => Number(id)), damaged, statements };
    },
  };
}
