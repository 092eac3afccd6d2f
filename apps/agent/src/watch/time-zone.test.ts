import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { timeZoneWatcher } from './time-zone.ts';

const { signal } = new AbortController();
const at = expect.any(Number);

it('reports another zone, a copied one and none', async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, 'etc'));
  const localtime = join(root, 'etc/localtime');
  const { look } = timeZoneWatcher(root);
  await symlink('/usr/share/zoneinfo/Europe/Amsterdam', localtime);
  const first = await look(undefined, signal);
  expect(first.changes).toEqual([]);

  await rm(localtime);
  await symlink('../usr/share/zoneinfo/Etc/UTC', localtime);
  const change = { kind: 'time_zone', field: '/etc/localtime' };
  const second = await look(first.observed, signal);
  expect(second.changes).toEqual([{ ...change, from: 'Europe/Amsterdam', to: 'Etc/UTC', atMs: at }]);

  await rm(localtime);
  await writeFile(localtime, 'TZif2');
  const third = await look(second.observed, signal);
  expect(third.changes).toEqual([
    { ...change, from: 'Etc/UTC', to: expect.stringMatching(/^sha256 [\da-f]{16}$/), atMs: at },
  ]);

  await rm(localtime);
  expect((await look(third.observed, signal)).changes).toMatchObject([{ to: 'UTC' }]);
});

it('reports TZ of the environment of all programs', async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, 'etc'));
  const { look } = timeZoneWatcher(root);
  const { observed } = await look(undefined, signal);
  await writeFile(join(root, 'etc/environment'), 'PATH=/bin\nTZ="Asia/Tokyo"\n');
  expect((await look(observed, signal)).changes).toEqual([
    { kind: 'time_zone', field: 'TZ in /etc/environment', from: '', to: 'Asia/Tokyo' },
  ]);
});
