// The server with a certificate of a private authority, and its clients.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Certificate, makeAuthority } from '../../../test/certificates.ts';
import { newFolder } from '../../../test/new-folder.ts';
import { findProgram } from '../../../test/programs.ts';
import { isBuilt, startPty } from '../../tui/test/terminal/pty.ts';
import { runHere } from './command-line.ts';
import { programEnvironment } from './program-environment.ts';
import { startServerProcess } from './server-process.ts';
import { PASSWORD } from './start-api.ts';

const openssl = findProgram('openssl');
const AGENT = fileURLToPath(new URL('../../agent/dist/main.js', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** A server with syslog, both over TLS, and files of its certificates. */
async function start() {
  const authority = makeAuthority(openssl ?? '');
  const dir = newFolder();
  const path = (name: string) => join(dir, name);
  const use = ({ cert, key }: Certificate) => {
    writeFileSync(path('cert.pem'), cert);
    writeFileSync(path('key.pem'), key);
  };
  use(authority.issue('server'));
  writeFileSync(path('authority.pem'), authority.cert);
  const server = await startServerProcess({
    QUARTERDECK_DATA_DIR: path('data'),
    QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
    QUARTERDECK_SYSLOG_PORT: '0',
    QUARTERDECK_SYSLOG_TLS_PORT: '0',
    QUARTERDECK_AGENT_INTERVAL: '1',
    QUARTERDECK_TLS_CERT_FILE: path('cert.pem'),
    QUARTERDECK_TLS_KEY_FILE: path('key.pem'),
    QUARTERDECK_SYSLOG_TLS_CERT_FILE: path('cert.pem'),
    QUARTERDECK_SYSLOG_TLS_KEY_FILE: path('key.pem'),
  });
  onTestFinished(async () => {
    await server.stop();
    authority[Symbol.dispose]();
  });
  return { server, authority, use, path };
}

/** Runs a module with the SDK in a process of its own and returns what it prints. */
async function runScript(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  const args = ['--conditions=@quarterdeck/source', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { cwd: HERE, env: { ...programEnvironment(), ...env } });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out.trim() === '' ? err : out.trim();
}

const CREATE_TOKEN = `import { signIn } from '@quarterdeck/sdk';
  const { client } = await signIn({ url: process.env.URL, username: 'admin', password: process.env.PASSWORD });
  console.log((await client.apiToken.create({ body: { name: 'enrollment' } })).token);`;

describe.skipIf(openssl === undefined || !isBuilt)('a server with a certificate of a private authority', () => {
  it('is trusted by the SDK, the agent and the dashboard, with NODE_EXTRA_CA_CERTS and not without', async () => {
    const { server, authority, path } = await start();
    const { url } = server;
    const trust = { NODE_EXTRA_CA_CERTS: path('authority.pem') };
    const credentials = { URL: url, PASSWORD };
    const runs = [runScript(CREATE_TOKEN, credentials), runScript(CREATE_TOKEN, { ...credentials, ...trust })] as const;
    const [refusal, token] = await Promise.all(runs);
    expect(refusal).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(token).toMatch(/^qd_t_/);

    const agent = spawn(process.execPath, ['--jitless', AGENT], {
      stdio: 'ignore',
      env: {
        ...programEnvironment(),
        ...trust,
        QUARTERDECK_URL: url,
        QUARTERDECK_ENROLL_TOKEN: token,
        QUARTERDECK_AGENT_DIR: path('agent'),
      },
    });
    try {
      const agents = async () => {
        const headers = { 'API-Token': token };
        const [response] = await once(
          get(`${url}/api/agents`, { ca: authority.cert, headers, agent: false }),
          'response',
        );
        return JSON.parse(await text(response)).data;
      };
      await expect.poll(agents).toMatchObject([{ hostname: hostname(), online: true }]);
    } finally {
      agent.kill('SIGTERM');
      await once(agent, 'exit');
    }

    await using terminal = startPty({ env: { ...trust, QUARTERDECK_URL: url } });
    await terminal.waitForText('Sign in');
    terminal.type(`admin\t${PASSWORD}\r`);
    await terminal.waitForText('● live');
  });

  it('is well for its own health check, which needs no authority', async () => {
    const { server, path } = await start();
    const settings = {
      QUARTERDECK_PORT: new URL(server.url).port,
      QUARTERDECK_TLS_CERT_FILE: path('cert.pem'),
      QUARTERDECK_TLS_KEY_FILE: path('key.pem'),
    };
    expect(await runHere(['health'], settings)).toMatchObject({
      code: 0,
      out: `the server at ${server.url} is ready\n`,
    });
    const named = await runHere(['health', '--url', server.url], settings);
    expect([named.code, named.err]).toEqual([1, expect.stringContaining('unable to verify the first certificate')]);
  });

  it('reads its certificates again on SIGHUP, for HTTP and for syslog', async () => {
    const { server, authority, use } = await start();
    const { port } = new URL(server.url);
    const dial = async (to: number): Promise<TLSSocket> => {
      const socket = connect({ port: to, host: '127.0.0.1', ca: authority.cert });
      onTestFinished(() => {
        socket.destroy();
      });
      await once(socket, 'secureConnect');
      return socket;
    };
    const serial = async (to: number) => (await dial(to)).getPeerX509Certificate()?.serialNumber;
    const ports = [Number(port), server.syslogTlsPort];
    const serials = () => Promise.all(ports.map(serial));
    const [first, other] = await serials();
    expect(other).toBe(first);

    use({ cert: authority.issue('one').cert, key: authority.issue('two').key });
    server.hangUp();
    const refusals = () => server.output().match(/the old one stays/g)?.length;
    await expect.poll(refusals).toBe(2);
    expect(await serials()).toEqual([first, first]);

    use(authority.issue('renewed'));
    server.hangUp();
    const renewals = () => server.output().match(/certificate read again/g)?.length;
    await expect.poll(renewals).toBe(2);
    const [renewed, same] = await serials();
    expect(renewed).not.toBe(first);
    expect(same).toBe(renewed);
    expect(server.output()).not.toContain('PRIVATE KEY');
  });
});
