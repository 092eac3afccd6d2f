// The command that gives unused space back, on the data of a server.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { keepUnusedPages } from '../../../../packages/core/test/old-database.ts';
import { runHere } from '../../test/command-line.ts';
import { DIALECT, newPlace, startApi } from '../../test/start-api.ts';

const ADD = statement('INSERT INTO setting (name, value) VALUES (?, ?)');
const REMOVE = statement("DELETE FROM setting WHERE name LIKE 'large %'");
const LARGE = 'x'.repeat(100_000);

describe.skipIf(DIALECT === 'postgresql')('quarterdeckd compact', () => {
  it('refuses beside a server, and says how many bytes it freed', async () => {
    await using api = await startApi();
    const dataDir = api.sharing['DATA_DIR'] ?? '';
    const env = { QUARTERDECK_DATA_DIR: dataDir, QUARTERDECK_DATABASE_URL: '' };
    const { db } = api.server.deps;
    await db.write(async (tx) => {
      for (let i = 0; i < 50; i += 1) await tx.sql.run(ADD, `large ${i}`, LARGE);
    });
    await db.write((tx) => tx.sql.run(REMOVE));
    const refused = await runHere(['compact'], env);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toMatch(
      /^quarterdeckd: a server is running on \S+; stop it first, then run this command again\n$/,
    );
    await api.server.stop();
    const { size } = statSync(join(dataDir, 'quarterdeck.db'));
    const done = await runHere(['compact'], env);
    const { size: after } = statSync(join(dataDir, 'quarterdeck.db'));
    expect(size - after).toBeGreaterThan(4_500_000);
    expect(done).toMatchObject({
      code: 0,
      out: '',
      err: `the database had ${size} bytes and has ${after}: ${size - after} bytes were freed\n`,
    });
    await using again = await startApi({ DATA_DIR: dataDir });
    expect((await again.admin.user.me()).username).toBe('admin');
  });

  it('is what a server asks for that has a bound, and a file from before', async () => {
    await using place = await newPlace();
    const dataDir = place.sharing['DATA_DIR'] ?? '';
    keepUnusedPages(dataDir);
    const asks = async () => {
      await using api = await startApi({ ...place.sharing, ERRLOG_MAX_MB: '10' });
      return api.logged.some((line) => line.includes('quarterdeckd compact'));
    };
    expect(await asks()).toBe(true);
    const env = { QUARTERDECK_DATA_DIR: dataDir, QUARTERDECK_DATABASE_URL: '' };
    expect((await runHere(['compact'], env)).code).toBe(0);
    expect(await asks()).toBe(false);
  });
});

it.skipIf(DIALECT === 'sqlite')('refuses on PostgreSQL, and names VACUUM FULL', async () => {
  await using api = await startApi();
  const { code, err } = await runHere(['compact'], {
    QUARTERDECK_DATA_DIR: api.sharing['DATA_DIR'] ?? '',
    QUARTERDECK_DATABASE_URL: api.sharing['DATABASE_URL'] ?? '',
  });
  expect([code, err]).toEqual([
    1,
    'quarterdeckd: the data is on PostgreSQL: its VACUUM FULL gives unused space back\n',
  ]);
});
