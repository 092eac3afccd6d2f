// The secrets of every kind of channel are write-only.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { settingsOf, WEBHOOK_KINDS, type WebhookKind, webhookKind } from '@quarterdeck/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { loopbackTransports } from '../../../test/channel-services/loopback.ts';
import { SETTINGS } from '../../../test/messages.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const api = useSteadyApi({}, { transports: loopbackTransports() });

/** Starts a receiver that refuses everything, and repeats all of the request. */
async function startEcho() {
  const server = createServer(async (req, res) => {
    const { url = '', headers } = req;
    const parts = `${url} ${url.replace('/bot', ' ')} ${encodeURIComponent(url).replace('%2Fbot', ' ')}`;
    const body = await text(req);
    res
      .writeHead(400)
      .end(JSON.stringify({ description: parts, errors: [`${JSON.stringify(headers)} ${body}`], body, url }));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PATHS: Partial<Readonly<Record<WebhookKind, string>>> = {
  slack: '/services/T0/slack-secret-0123456789',
  teams: '/workflows/teams-secret-0123456789',
  ntfy: '/ntfy-secret-topic',
  discord: '/api/webhooks/1/discord-secret-0123456789',
};

const secretsOf = (kind: WebhookKind): string[] => [
  ...(PATHS[kind]?.split('/').slice(-1) ?? []),
  ...settingsOf(kind).flatMap(([name, { isShown }]) => (isShown ? [] : (SETTINGS[kind]?.[name] ?? []))),
];

describe('the secrets of a channel', () => {
  it.each(nonEmpty(WEBHOOK_KINDS.filter((kind) => secretsOf(kind).length > 0)))(
    'of kind %s are in no answer, no error, no audit log and no log',
    async (kind) => {
      const url = `${await startEcho()}${PATHS[kind] ?? ''}`;
      const seen: unknown[] = [];
      const made = await api.admin.webhook.create({ body: { name: kind, kind, url, ...SETTINGS[kind] } });
      const params = { id: made.id };
      seen.push(made, await api.admin.webhook.get({ params }), await api.admin.webhook.list());
      seen.push(await api.admin.webhook.update({ params, body: { name: 'renamed', ...SETTINGS[kind] } }));
      expect(made.secrets.toSorted()).toEqual(
        settingsOf(kind)
          .flatMap(([name, { isShown }]) => (isShown ? [] : name))
          .toSorted(),
      );
      await api.admin.webhook.test({ params });
      await api.server.sender.settle();
      const { data } = await api.admin.webhook.deliveries({ params });
      expect(data[0]).toMatchObject({ status: 400, error: expect.stringMatching(/^The receiver answers 400: ./) });
      seen.push(data);
      for (const [name] of settingsOf(kind)) {
        const wrong = `${SETTINGS[kind]?.[name]} wrong`;
        const refusal = api.admin.webhook.update({ params, body: { [name]: wrong } });
        seen.push(await refusal.catch((error: unknown) => [String(error), JSON.stringify(error)]));
      }
      await api.admin.webhook.remove({ params });
      seen.push(await api.admin.audit.list({ query: { page_size: 10 } }), api.logged);
      const whole = JSON.stringify(seen);
      for (const secret of secretsOf(kind)) expect(whole).not.toContain(secret);
      // Only the host of an address that is a secret is shown.
      if (webhookKind(kind).isSecretUrl) expect(made.url).toBe(new URL(url).origin);
    },
  );

  it('stay in a change of something else, and of an address that comes back as it was shown', async () => {
    const url = `${await startEcho()}/topic-of-mine`;
    const body = { name: 'n', kind: 'ntfy' as const, url, ...SETTINGS.ntfy };
    const { id, url: shown } = await api.admin.webhook.create({ body });
    const params = { id };
    const changed = await api.admin.webhook.update({ params, body: { name: 'm', url: shown ?? '' } });
    expect(changed).toMatchObject({ name: 'm', secrets: ['token'] });
    // An empty one removes a setting that is optional, and no other.
    expect(await api.admin.webhook.update({ params, body: { token: '' } })).toMatchObject({ secrets: [] });
    const telegram = await api.admin.webhook.create({ body: { name: 't', kind: 'telegram', ...SETTINGS.telegram } });
    expect(telegram).toMatchObject({ url: 'https://api.telegram.org', chat: '-1001234567890', secrets: ['token'] });
    const refusal = api.admin.webhook.update({ params: { id: telegram.id }, body: { token: '' } });
    await expect(refusal).rejects.toMatchObject({ status: 400, code: 'validation_failed' });
  });

  it.each([
    ['telegram', { token: 'not a token', chat: '-100' }, 'token'],
    ['telegram', { token: '123456:telegram-secret-0123456789', chat: 'somewhere' }, 'chat'],
    ['pagerduty', { key: 'short' }, 'key'],
    ['pushover', { token: 'pushovertokensecret00000000000' }, 'user'],
    ['opsgenie', {}, 'key'],
    ['ntfy', { url: 'https://ntfy.sh/' }, 'url'],
    ['discord', { url: 'https://discord.com/api/webhooks/x' }, 'url'],
    ['slack', { url: 'https://hooks.slack.com/x', key: 'x' }, 'key'],
  ] as const)('of kind %s are checked: %j', async (kind, fields, path) => {
    const refusal = api.admin.webhook.create({ body: { name: 'x', kind, ...fields } });
    await expect(refusal).rejects.toMatchObject({ status: 400, fields: [{ path: `body.${path}` }] });
  });
});
