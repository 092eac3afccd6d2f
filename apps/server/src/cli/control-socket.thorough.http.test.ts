// The control socket of a server that was killed.
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProcess } from '../../test/command-line.ts';
import { startServerProcess } from '../../test/server-process.ts';
import { DIALECT, newPlace, PASSWORD } from '../../test/start-api.ts';
import { CONTROL_SOCKET } from './control-protocol.ts';

const INTACT = { code: 0, err: '' };

it.skipIf(DIALECT === 'postgresql')('is replaced by the next server, and meanwhile no obstacle', async () => {
  await using place = await newPlace();
  const dataDir = place.sharing['DATA_DIR'] ?? '';
  const socketFile = join(dataDir, CONTROL_SOCKET);
  const settings = { QUARTERDECK_DATA_DIR: dataDir };
  const environment = { ...settings, QUARTERDECK_ADMIN_PASSWORD: PASSWORD };
  const verify = () => runProcess(['audit', 'verify'], settings);
  const killed = await startServerProcess(environment);
  expect(lstatSync(socketFile).mode & 0o777).toBe(0o600);
  expect(await verify()).toMatchObject(INTACT);
  await killed.kill();
  expect(existsSync(socketFile)).toBe(true);
  expect(await verify()).toMatchObject(INTACT);
  const again = await startServerProcess(environment);
  expect(await runProcess(['user', 'unlock', 'admin'], settings)).toMatchObject({ code: 0 });
  await again.stop();
  expect(existsSync(socketFile)).toBe(false);
});
