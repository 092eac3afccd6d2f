// The page below a path of nginx, as the guide sets it up: a real browser, TLS, and the cookie that only TLS carries.
import { describe, expect, it } from 'vitest';
import { useAuthority } from '../../../test/certificates.ts';
import { freePort } from '../../../test/free-port.ts';
import { findProgram } from '../../../test/programs.ts';
import { exampleBelow } from '../../server/test/guide.ts';
import { startNginxWith } from '../../server/test/proxy-process.ts';
import { PASSWORD } from '../../server/test/start-api.ts';
import { fillWithDemo } from './demo-world.ts';
import { DESK, hasNoBrowser, startWithPage, useVisitors } from './visitor.ts';

const HOST = '127.0.0.1';
const nginx = findProgram('nginx');
const prepared = useAuthority();

describe.skipIf(hasNoBrowser || nginx === undefined || findProgram('openssl') === undefined)('below a path', () => {
  const { open } = useVisitors();

  /** Starts nginx with the example of the guide, with changes. */
  async function startProxy(port: number, upstream: number, changes: Readonly<Record<string, string>> = {}) {
    const here = {
      'listen 443 ssl': `listen ${HOST}:${port} ssl`,
      'http://127.0.0.1:7080/': `http://${HOST}:${upstream}/`,
      '/etc/ssl/quarterdeck/': '',
    };
    const { cert, key } = prepared().issue('server');
    const http = exampleBelow('## Behind a proxy', 'nginx', { ...here, ...changes }, 'how-to/page.md');
    return startNginxWith(nginx ?? '', port, http, { files: { 'cert.pem': cert, 'key.pem': key } });
  }

  it.each([
    ['as the guide says', {}],
    [
      'also where nginx calls the server by a loopback name and names no client',
      { 'proxy_set_header Host $host;': '', 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;': '' },
    ],
  ])('the page signs in, follows events, reads and signs out, %s', async (_, changes) => {
    await using api = await startWithPage({ TRUSTED_PROXIES: HOST });
    const { alertId } = await fillWithDemo(api);
    const port = await freePort();
    await using _proxy = await startProxy(port, api.server.port, changes);
    await using visitor = await open({ viewport: DESK, colorScheme: 'light' }, `https://${HOST}:${port}/quarterdeck`);
    const cookies = async () => (await visitor.page.context().cookies()).map(({ name, secure }) => ({ name, secure }));
    await visitor.goTo(`/a/${alertId}`);
    await visitor.type('User name', 'admin');
    await visitor.type('Password', PASSWORD);
    await visitor.press('Sign in');
    await visitor.sees('The newest');
    expect(visitor.place()).toBe(`/a/${alertId}`);
    await visitor.sees(/^Live$/);
    expect(await cookies()).toEqual([{ name: '__Host-quarterdeck', secure: true }]);
    // Another document, other assets: still signed in.
    await visitor.goTo('/account');
    await visitor.page.locator('main').getByRole('button', { name: 'Sign out' }).click();
    await visitor.page.getByLabel('Password', { exact: true }).waitFor();
    expect(await cookies()).toEqual([]);
    // The data of the session is gone, also on the way back.
    expect(await visitor.page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0]);
    await visitor.page.goBack();
    await visitor.page.getByLabel('Password', { exact: true }).waitFor();
    expect(await visitor.page.getByText('The newest').count()).toBe(0);
    // nginx adds the slash.
    await visitor.goTo('');
    await visitor.page.getByLabel('Password', { exact: true }).waitFor();
  });
});
