// The server as a service: the program, and the `systemd-notify` of the machine.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startPostgres } from '../../../packages/core/test/postgres.ts';
import { newFolder } from '../../../test/new-folder.ts';
import { HAS_SYSTEMD, receiveNotifications } from '../../../test/notify-receiver.ts';
import { startServerProcess } from './server-process.ts';

describe.skipIf(!HAS_SYSTEMD)('as a service', () => {
  it('is ready when it answers, gives signs of life, and says that it stops', async () => {
    const dataDir = newFolder();
    const receiver = await receiveNotifications();
    const server = await startServerProcess({
      QUARTERDECK_DATA_DIR: dataDir,
      NOTIFY_SOCKET: receiver.socket,
      WATCHDOG_USEC: '1000000',
    });
    await receiver.has('READY=1');
    expect(receiver.messages[0]).toEqual(['READY=1', `STATUS=answers at ${server.url}; syslog: off; sqlite`]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await receiver.has('WATCHDOG=1');
    // `systemctl reload` without a certificate.
    server.hangUp();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.stop();
    await receiver.has('STOPPING=1');
    expect(server.output()).not.toContain('could not tell');
  });

  it('gives signs of life while its database is away', { timeout: 120_000 }, async () => {
    const postgres = await startPostgres();
    const dataDir = newFolder();
    const receiver = await receiveNotifications();
    const server = await startServerProcess({
      QUARTERDECK_DATA_DIR: dataDir,
      QUARTERDECK_DATABASE_URL: await postgres.createDatabase(),
      NOTIFY_SOCKET: receiver.socket,
      WATCHDOG_USEC: '1000000',
    });
    onTestFinished(() => server.kill());
    await receiver.has('WATCHDOG=1');
    await postgres.stop();
    await vi.waitUntil(async () => (await fetch(`${server.url}/readyz`)).status === 503, { timeout: 50_000 });
    const before = receiver.messages.length;
    // The time of the watchdog passes three times.
    await vi.waitUntil(() => receiver.messages.length >= before + 6, { timeout: 50_000 });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});
