// Names of users without case, whatever the locale of the database.
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { DIALECT, newPlace, PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';

const create = (api: TestApi, username: string) =>
  api.admin.user.create({ body: { username, password: PASSWORD, role: 'viewer' } });
const taken = expect.objectContaining({ code: 'username_taken' });

describe('usernames that differ only in case', () => {
  it('of an earlier version stay as they are, are logged, and let no third one in', async () => {
    await using place = await newPlace();
    {
      await using earlier = await startApi(place.sharing);
      const times = { createdMs: 1, modifiedMs: 1 };
      for (const username of ['ASA', 'asa']) {
        await earlier.server.deps.db.write((tx) =>
          tx.prisma.user.create({ data: { username, passwordHash: '', role: 'viewer', ...times } }),
        );
      }
    }
    await using api = await startApi(place.sharing);
    const warning = api.logged.map((line) => JSON.parse(line)).filter(({ username }) => username !== undefined);
    expect(warning).toMatchObject([{ level: 40, username: 'asa', other: 'ASA' }]);
    await expect(create(api, 'Asa')).rejects.toEqual(taken);
    const idOf = async (name: string) => (await api.admin.user.search({ query: { name } })) as { id: number };
    await api.admin.user.remove({ params: { id: (await idOf('ASA')).id } });
    await expect(create(api, 'Asa')).rejects.toEqual(taken);
    await api.admin.user.update({ params: { id: (await idOf('asa')).id }, body: { username: 'asa2' } });
    await create(api, 'Asa');
  });

  it.runIf(DIALECT === 'postgresql')('are refused by a database whose locale is Turkish', async () => {
    await using place = await newPlace();
    const client = new pg.Client({ connectionString: inject('postgresUrl') });
    await client.connect();
    try {
      await client.query(
        "CREATE DATABASE turkish TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'tr'",
      );
      const url = Object.assign(new URL(inject('postgresUrl')), { pathname: '/turkish' }).href;
      {
        await using api = await startApi({ ...place.sharing, DATABASE_URL: url });
        await create(api, 'ISIL');
        await expect(create(api, 'isil')).rejects.toEqual(taken);
      }
      await client.query('DROP DATABASE turkish WITH (FORCE)');
    } finally {
      await client.end();
    }
  });
});
