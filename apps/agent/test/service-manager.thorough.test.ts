// The agent as a service: the program, and the `systemd-notify` of the machine.
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { HAS_SYSTEMD, receiveNotifications } from '../../../test/notify-receiver.ts';
import { start } from './agent-process.ts';
import { startFakeConsole } from './fake-console.ts';
import { ENROLL_TOKEN } from './running-agent.ts';
import { temporaryFolder } from './temporary.ts';

const environment = async (url: string, socket: string) => ({
  QUARTERDECK_URL: url,
  QUARTERDECK_AGENT_DIR: await temporaryFolder(),
  QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN,
  NOTIFY_SOCKET: socket,
  WATCHDOG_USEC: '1000000',
});

describe.skipIf(!HAS_SYSTEMD)('as a service', () => {
  it('is ready after its first report, gives signs of life, and says that it stops', async () => {
    const server = await startFakeConsole();
    const receiver = await receiveNotifications();
    const agent = start(await environment(server.url, receiver.socket));
    await receiver.has('WATCHDOG=1');
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    await receiver.has('STOPPING=1');
    expect(receiver.messages[0]).toEqual(['READY=1', `STATUS=reports to ${server.url}`]);
  });

  it('says that it stops while another message is on its way', async () => {
    const server = await startFakeConsole();
    const folder = await temporaryFolder();
    const log = `${folder}/log`;
    await writeFile(`${folder}/systemd-notify`, `#!/bin/sh\necho "$@" >> ${log}\nsleep 0.5\n`, { mode: 0o755 });
    const agent = start({ ...(await environment(server.url, '/nowhere')), PATH: `${folder}:/usr/bin:/bin` });
    const sent = () => readFile(log, 'utf8');
    await vi.waitFor(async () => expect(await sent()).toContain('WATCHDOG=1'), { timeout: 50_000 });
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    expect(await sent()).toContain('STOPPING=1');
  });

  it('is ready without an answer of the server', async () => {
    const receiver = await receiveNotifications();
    start(await environment('http://127.0.0.1:9', receiver.socket));
    await receiver.has('READY=1');
    expect(receiver.messages[0]).toContain('STATUS=the server does not answer; retrying until it does');
    await receiver.has('WATCHDOG=1');
  });

  it('keeps the socket of the service manager from its commands', async () => {
    const server = await startFakeConsole();
    const receiver = await receiveNotifications();
    const settings = await environment(server.url, receiver.socket);
    const script = `${settings.QUARTERDECK_AGENT_DIR}/version`;
    await writeFile(script, `#!/bin/sh\nenv > ${script}.env\necho 1.0\n`, { mode: 0o755 });
    start({ ...settings, QUARTERDECK_AGENT_ODB_COMMAND: script });
    await receiver.has('READY=1');
    expect(await readFile(`${script}.env`, 'utf8')).not.toMatch(/NOTIFY_SOCKET|WATCHDOG/);
  });
});
