import { statement } from '@quarterdeck/core/db';
import { among, inJson } from '@quarterdeck/core/sql';
import { describe, expect, it } from 'vitest';
import { DIALECT, useApi } from '../start-api.ts';

const api = useApi();

const NUMBERS = '(SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) AS numbers';

describe('a condition on many ids', () => {
  it.each([
    ['[3,1,7]', [1, 3]],
    ['[2147483648]', []],
    ['[]', []],
  ])('matches those in %s', async (json, found) => {
    const numbers = statement(`SELECT n FROM ${NUMBERS} WHERE ${inJson(DIALECT, 'n')} ORDER BY n`);
    const rows = await api.server.deps.db.read.sql.all<{ n: number }>(numbers, json);
    expect(rows.map(({ n }) => n)).toEqual(found);
  });

  it('matches those of a subquery', async () => {
    const ids = `SELECT n FROM ${NUMBERS} WHERE n > ?`;
    const numbers = statement(`SELECT n FROM ${NUMBERS} WHERE ${among(DIALECT, 'n', ids)} ORDER BY n`);
    const rows = await api.server.deps.db.read.sql.all<{ n: number }>(numbers, 1);
    expect(rows.map(({ n }) => n)).toEqual([2, 3]);
  });
});
