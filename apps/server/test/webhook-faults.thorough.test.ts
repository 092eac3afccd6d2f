// Messages to channels over `kill -9` of a server in a process of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { startServerProcess } from './server-process.ts';
import { PASSWORD } from './start-api.ts';
import { startReceiver } from './webhook-receiver.ts';

const MESSAGES = 10;

it('sends every message over kill -9, again only with the same id', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-test-'));
  await using receiver = await startReceiver();
  const settings = {
    QUARTERDECK_DATA_DIR: dataDir,
    QUARTERDECK_PORT: '0',
    QUARTERDECK_SYSLOG_PORT: 'off',
    QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
    QUARTERDECK_WEBHOOK_ALLOW: '127.0.0.0/8',
  };
  const start = async () => {
    const server = await startServerProcess(settings);
    return { server, admin: (await signIn({ url: server.url, username: 'admin', password: PASSWORD })).client };
  };
  const first = await start();
  const { id } = await first.admin.webhook.create({ body: { name: 'ops', url: receiver.url() } });
  // The third message is on its way when the server is killed.
  receiver.answer = () => (receiver.received.length === 3 ? undefined : 204);
  const queued: string[] = [];
  for (let n = 0; n < MESSAGES; n += 1) {
    queued.push((await first.admin.webhook.test({ params: { id } })).message_id);
  }
  await receiver.until(3);
  await first.server.kill();

  const second = await start();
  await receiver.until(MESSAGES + 1);
  const waiting = async () => (await second.admin.webhook.get({ params: { id } })).waiting;
  await expect.poll(waiting).toBe(0);
  const came = receiver.received.map(({ messageId }) => messageId);
  expect(came).toEqual([...queued.slice(0, 3), ...queued.slice(2)]);
  await second.server.stop();
  rmSync(dataDir, { recursive: true });
});
