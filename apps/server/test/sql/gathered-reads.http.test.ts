import { type Statement, statement } from '@quarterdeck/core/db';
import { gatherReads } from '@quarterdeck/core/sql';
import { expect, it } from 'vitest';
import { DIALECT, useApi } from '../start-api.ts';

const api = useApi();

const BY_HASH = statement('SELECT t.id, t.name FROM api_token t WHERE t.token_hash = ?');
const BROKEN = statement('SELECT nothing FROM api_token t WHERE t.token_hash = ?');

/** Reads, and the statements that were sent for them. */
function counted() {
  const sent: Statement[] = [];
  const { sql } = api.server.deps.db.read;
  const all: typeof sql.all = (one, ...params) => {
    sent.push(one);
    return sql.all(one, ...params);
  };
  const get: typeof sql.get = (one, ...params) => {
    sent.push(one);
    return sql.get(one, ...params);
  };
  const { db } = api.server.deps;
  return { sent, ...gatherReads({ dialect: db.dialect, read: { ...db.read, sql: { ...sql, all, get } } }) };
}

it('finds the row of each key, or none, with one statement on PostgreSQL', async () => {
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) => api.admin.apiToken.create({ body: { name: `${n}` } })),
  );
  const { key } = api.server.deps;
  const { get, sent } = counted();
  const keys = [...made.map(({ token }) => key.digest(token)), key.digest('nothing'), key.digest(made[3]?.token ?? '')];
  const rows = await Promise.all(keys.map((hash) => get<{ id: number; name: string }>(BY_HASH, hash)));
  expect(rows.slice(0, 20).map((row) => row?.id)).toEqual(made.map(({ id }) => id));
  expect(rows.slice(0, 20).map((row) => row?.name)).toEqual(made.map((_, n) => `${n}`));
  expect(rows[20]).toBeUndefined();
  expect(rows[21]?.id).toBe(made[3]?.id);
  expect(sent).toHaveLength(DIALECT === 'sqlite' ? 22 : 1);
});

it('rejects every call of a statement that fails, and no others', async () => {
  const { get } = counted();
  const { key } = api.server.deps;
  const calls = [get(BROKEN, key.digest('a')), get(BROKEN, key.digest('b')), get(BY_HASH, key.digest('c'))];
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
