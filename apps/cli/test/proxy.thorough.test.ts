// The program through a proxy, to a server with a private authority.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeAuthority } from '../../../test/certificates.ts';
import { startConnectProxy } from '../../../test/connect-proxy.ts';
import { findProgram } from '../../../test/programs.ts';
import { programEnvironment } from '../../server/test/program-environment.ts';

const openssl = findProgram('openssl');
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

it.skipIf(openssl === undefined)('reaches its server through HTTPS_PROXY, with QUARTERDECK_CA_FILE', async () => {
  using authority = makeAuthority(openssl ?? '');
  const proxy = await startConnectProxy();
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-proxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.cert);
  const server = createServer(authority.issue('server'), (_request, response) => {
    response.setHeader('content-type', 'application/json').setHeader('x-total-count', '0');
    response.end(JSON.stringify({ status: 0, time: 1, data: [] }));
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const host = `receiver.test:${(server.address() as AddressInfo).port}`;
  const run = async (env: Record<string, string>) => {
    const own = { XDG_CONFIG_HOME: folder, QUARTERDECK_URL: `https://${host}`, QUARTERDECK_TOKEN: 'qd_t_x' };
    const child = spawn(process.execPath, ['--conditions=@quarterdeck/source', MAIN, 'agents', '-o', 'json'], {
      env: { ...programEnvironment(), ...own, HTTPS_PROXY: proxy.url, ...env },
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { out, err, code };
  };
  expect(await run({ QUARTERDECK_CA_FILE: ca })).toEqual({ code: 0, out: '[]\n', err: '' });
  expect(proxy.asked).toContain(`CONNECT ${host}`);
  expect(await run({})).toMatchObject({ code: 69 });
  expect(await run({ QUARTERDECK_CA_FILE: '/nowhere.pem' })).toMatchObject({
    code: 2,
    err: 'quarterdeck: QUARTERDECK_CA_FILE names a file that cannot be read\n',
  });
});
