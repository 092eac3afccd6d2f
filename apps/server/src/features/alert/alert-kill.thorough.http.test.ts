// A server that is killed again and again sends one message for each alert, and has each new group in one.
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { createChannel } from '../../../test/alert-calls.ts';
import { startServerProcess } from '../../../test/server-process.ts';
import { newPlace, PASSWORD, startApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const KILLS = 6;

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
      // Each commit of a line wakes a round soon after.
      await delay(400 + 130 * i);
      await server.kill();
      isOver = true;
      stored.push(...(await appended));
    }
    await using api = await startApi(place.sharing);
    api.advance(60_000);
    await api.server.jobs.runAlerts();
    const { prisma } = api.server.deps.db.read;
    const deliveries = await prisma.webhookDelivery.findMany({ where: { webhookId: channel } });
    const fired = deliveries.filter(({ type }) => type === 'alert.firing').map(({ alertId }) => alertId);
    const alerts = await prisma.alert.findMany();
    expect(fired.toSorted()).toEqual(alerts.map(({ id }) => id).toSorted());
    const countOf = ({ key, detail }: (typeof alerts)[number]) =>
      key.startsWith('many:') ? (JSON.parse(detail) as { readonly count: number }).count : 1;
    const notified = alerts.reduce((sum, alert) => sum + countOf(alert), 0);
    const groups = await prisma.errlog.count();
    expect(notified).toBe(groups);
    expect(groups).toBeGreaterThanOrEqual(stored.length);
  });
});
