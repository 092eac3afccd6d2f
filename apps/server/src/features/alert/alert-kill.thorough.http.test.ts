// A server that is killed again and again tells each new group exactly once.
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { createChannel } from '../../../test/alert-calls.ts';
import { startServerProcess } from '../../../test/server-process.ts';
import { newPlace, PASSWORD, startApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const KILLS = 3;

/** Stores groups until the server is gone; returns the texts of those that were stored. */
async function appendUntil(client: Client, isOver: () => boolean): Promise<string[]> {
  const stored: string[] = [];
  while (!isOver()) {
    const log = word();
    try {
      await client.errlog.append({ body: { level: 'error', log } });
      stored.push(log);
    } catch {
      return stored;
    }
    await delay(50);
  }
  return stored;
}

describe.skipIf(!IS_THOROUGH)('kill -9', () => {
  it('neither loses nor doubles a message', { timeout: 300_000 }, async () => {
    await using place = await newPlace();
    const settings = Object.entries({ PORT: '0', SYSLOG_PORT: 'off', ADMIN_PASSWORD: PASSWORD, ...place.sharing });
    const environment = Object.fromEntries(settings.map(([name, value]) => [`QUARTERDECK_${name}`, value]));
    let channel = 0;
    {
      await using api = await startApi(place.sharing);
      channel = await createChannel(api, true);
      await api.admin.alert.create({ body: { name: 'new', when: { kind: 'errlog.new' }, channels: [channel] } });
      await api.server.jobs.runAlerts();
    }
    const stored: string[] = [];
    for (let i = 0; i < KILLS; i += 1) {
      const server = await startServerProcess(environment);
      const { client } = await signIn({ url: server.url, username: 'admin', password: PASSWORD });
      let isOver = false;
      const appended = appendUntil(client, () => isOver);
      // The first round begins five seconds after the start.
      await delay(4_900 + 60 * i);
      await server.kill();
      isOver = true;
      stored.push(...(await appended));
    }
    await using api = await startApi(place.sharing);
    api.advance(60_000);
    await api.server.jobs.runAlerts();
    const { prisma } = api.server.deps.db.read;
    const deliveries = await prisma.webhookDelivery.findMany({ where: { webhookId: channel } });
    const data = deliveries.map(({ body }) => JSON.parse(body).data as { key: string; detail: { count?: number } });
    const causes = data.map(({ key }) => key);
    expect(new Set(causes).size).toBe(causes.length);
    const told = data.reduce((sum, { key, detail }) => sum + (key.startsWith('many:') ? (detail.count ?? 0) : 1), 0);
    const groups = await prisma.errlog.count();
    expect(told).toBe(groups);
    expect(groups).toBeGreaterThanOrEqual(stored.length);
  });
});
