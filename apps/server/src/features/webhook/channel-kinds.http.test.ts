// Each kind of channel through the real sender, with a service that checks as the real one does.
import type { AlertMessage, WebhookDraft, WebhookKind } from '@quarterdeck/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { discordRules } from '../../../test/channel-services/discord.ts';
import { loopbackTransports } from '../../../test/channel-services/loopback.ts';
import { ntfyRules } from '../../../test/channel-services/ntfy.ts';
import { opsgenieRules } from '../../../test/channel-services/opsgenie.ts';
import { pagerdutyRules } from '../../../test/channel-services/pagerduty.ts';
import { pushoverRules } from '../../../test/channel-services/pushover.ts';
import { type Judge, type ServiceAnswer, startService } from '../../../test/channel-services/service.ts';
import { telegramRules } from '../../../test/channel-services/telegram.ts';
import { alert, HOSTILE_TEXT, hostileAlert, SETTINGS } from '../../../test/messages.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { queueMessages } from './queue-messages.ts';

const api = useSteadyApi({}, { transports: loopbackTransports() });

const DISCORD_TOKEN = 'discord-secret-0123456789';
const of = (kind: WebhookKind, name: 'token' | 'chat' | 'key' | 'user') => SETTINGS[kind]?.[name] ?? '';

const RULES = {
  ntfy: () => ntfyRules(of('ntfy', 'token')),
  telegram: () => telegramRules(of('telegram', 'token'), of('telegram', 'chat')),
  discord: () => discordRules(DISCORD_TOKEN),
  pagerduty: () => pagerdutyRules(of('pagerduty', 'key')),
  pushover: () => pushoverRules(of('pushover', 'token'), of('pushover', 'user')),
  opsgenie: () => opsgenieRules(of('opsgenie', 'key')),
} as const satisfies Partial<Record<WebhookKind, () => Judge>>;
type Kind = keyof typeof RULES;
const KINDS = Object.keys(RULES) as Kind[];

/** Starts the service of a kind, and creates a channel that sends to it. */
async function startChannel(kind: Kind, more: Partial<WebhookDraft> = {}) {
  const service = await startService(RULES[kind]());
  const { id } = await api.admin.webhook.create({
    body: { name: kind, kind, url: service.url, ...SETTINGS[kind], ...more },
  });
  onTestFinished(async () => {
    await api.admin.webhook.remove({ params: { id } });
    await service[Symbol.asyncDispose]();
  });
  return { id, service };
}

let lastAlert = 1000;
const newAlert = () => {
  lastAlert += 1;
  return { ...alert, id: lastAlert };
};

/** Queues messages about an alert, and sends what is due. */
async function send(id: number, type: string, data: AlertMessage) {
  await api.server.deps.db.write((tx) =>
    queueMessages(tx, [id], [{ type, timestampMs: api.now(), data, alertId: data.id }], api.now()),
  );
  await api.server.sender.settle();
}

const newest = async (id: number) => (await api.admin.webhook.deliveries({ params: { id } })).data[0];
const deliveries = async (id: number) => (await api.admin.webhook.deliveries({ params: { id } })).data.toReversed();

const acknowledged = { time: alert.since + 60, by: 'ada', note: 'rolled back' };
const noEvidence = { what: null, counts: null, hosts: null, cause: null, lines: [] };

describe.each(nonEmpty(KINDS))('a channel of kind %s', (kind) => {
  it('is taken by the service with everything that a message has', async () => {
    const { id, service } = await startChannel(kind);
    await send(id, 'alert.firing', newAlert());
    expect(await newest(id)).toMatchObject({ state: 'delivered', error: '' });
    expect(service.shown).toHaveLength(1);
    const text = service.shown[0]?.text.replaceAll('\\', '') ?? '';
    for (const part of ['340 errors', 'usually 0.4', 'web-7, web-8', '4 min before', 'disk is full']) {
      expect(text).toContain(part);
    }
  });

  it.each([
    ['hostile', HOSTILE_TEXT],
    ['long', '漢"<&*_@everyone '.repeat(2000)],
  ])('is taken with %s text in each part', async (_, text) => {
    const { id, service } = await startChannel(kind, { prefix: 'P'.repeat(60) });
    const { id: alertId } = newAlert();
    await send(id, 'alert.firing', hostileAlert(text, { id: alertId }));
    expect(await newest(id)).toMatchObject({ state: 'delivered', error: '' });
    expect(service.shown[0]?.text).not.toMatch(/[^\P{Cc}\n]|[^\P{Cf}\u2060]/u);
    await send(
      id,
      'alert.resolved',
      hostileAlert(text, { id: alertId, state: 'resolved', resolved: alert.since + 60 }),
    );
    expect(await newest(id)).toMatchObject({ state: 'delivered', error: '' });
  });

  it('shows what came back to a test', async () => {
    const { id, service } = await startChannel(kind);
    await api.admin.webhook.test({ params: { id } });
    await api.server.sender.settle();
    expect(service.shown[0]?.text).toContain(`Test message of the channel ${kind}`);
    const delivery = await newest(id);
    expect(delivery).toMatchObject({ state: 'delivered', error: '', answer: expect.stringMatching(/\w/) });
    // The answer to a message about an alert is not kept: it may repeat the message.
    await send(id, 'alert.firing', newAlert());
    expect(await newest(id)).toMatchObject({ answer: '' });
  });

  it('waits as the service asks, and is shown once', async () => {
    const { id, service } = await startChannel(kind);
    const again: Partial<Record<Kind, ServiceAnswer>> = {
      telegram: {
        status: 429,
        body: {
          ok: false,
          error_code: 429,
          description: 'Too Many Requests: retry after 45',
          parameters: { retry_after: 45 },
        },
      },
      discord: {
        status: 429,
        headers: { 'x-ratelimit-scope': 'shared' },
        body: { message: 'You are being rate limited.', retry_after: 44.3, global: false },
      },
    };
    service.next.push(again[kind] ?? { status: 429, headers: { 'retry-after': '45' }, body: { message: 'Too many' } });
    await send(id, 'alert.firing', newAlert());
    const { status, next_attempt: next, last_attempt: last } = (await newest(id)) ?? {};
    expect(status).toBe(429);
    expect((next ?? 0) - (last ?? 0)).toBeCloseTo(45, -0.5);
    api.advance(46_000);
    await api.server.sender.settle();
    expect(await newest(id)).toMatchObject({ state: 'delivered', attempts: 2 });
    expect(service.shown).toHaveLength(1);
  });

  it('says why the service refuses it, without a secret', async () => {
    const { id } = await startChannel(kind);
    const wrong = { ntfy: 'token', telegram: 'token', pagerduty: 'key', pushover: 'token', opsgenie: 'key' } as const;
    const other = (text: string) => text.replace(/0(?=[^0]*$)|n(?=[^n]*$)|t(?=[^t]*$)/, '1');
    if (kind === 'discord') {
      const url = (await startService(discordRules('another-secret-0123456789'))).url.replace('another', 'wrongone');
      await api.admin.webhook.update({ params: { id }, body: { url } });
    } else {
      await api.admin.webhook.update({ params: { id }, body: { [wrong[kind]]: other(of(kind, wrong[kind])) } });
    }
    await send(id, 'alert.firing', newAlert());
    const { error = '', state } = (await newest(id)) ?? {};
    expect(error).toMatch(/^The receiver answers 40[01]: \w/);
    // Pushover forbids to repeat what it has refused.
    expect(state).toBe(kind === 'pushover' ? 'dead' : 'waiting');
    expect(`${error}${api.logged.join('\n')}`).not.toMatch(/secret/i);
  });
});

describe.each(['ntfy', 'telegram', 'discord'] as const)('an alert at %s', (kind) => {
  it('is one message, which says what became of it', async () => {
    const { id, service } = await startChannel(kind);
    const one = newAlert();
    await send(id, 'alert.firing', one);
    const named = { ...one, cause: { ...(one.cause as object), sentence: 'kernel changed on web-7' } } as AlertMessage;
    await send(id, 'alert.updated', named);
    const textOf = () => service.shown[0]?.text.replaceAll('\\', '');
    expect(textOf()).toContain('kernel changed on web-7');
    await send(id, 'alert.acknowledged', { ...one, ...noEvidence, acknowledged });
    expect(textOf()).toMatch(/by ada: rolled back/);
    // It keeps what the earlier messages said.
    expect(textOf()).toContain('kernel changed on web-7');
    expect(textOf()).toContain('usually 0.4');
    await send(id, 'alert.resolved', {
      ...one,
      ...noEvidence,
      acknowledged,
      state: 'resolved',
      resolved: one.since + 720,
    });
    expect(textOf()).toMatch(/RESOLVED: .*after 12 min/s);
    expect(service.shown).toHaveLength(1);
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(Array(4).fill('delivered'));
    // The next alert is another message.
    await send(id, 'alert.firing', newAlert());
    expect(service.shown).toHaveLength(2);
  });

  it('is amended while its first message waits, once both are sent', async () => {
    const { id, service } = await startChannel(kind);
    service.next.push({ status: 503 });
    const one = newAlert();
    await send(id, 'alert.firing', one);
    await send(id, 'alert.resolved', { ...one, state: 'resolved', resolved: one.since + 60 });
    expect(service.shown).toHaveLength(0);
    api.advance(10_000);
    await api.server.sender.settle();
    expect(service.shown.map(({ text }) => text)).toEqual([expect.stringContaining('RESOLVED')]);
  });

  it('is sent anew where somebody has deleted its message', async () => {
    const { id, service } = await startChannel(kind);
    const one = newAlert();
    await send(id, 'alert.firing', one);
    service.shown.length = 0;
    await send(id, 'alert.acknowledged', { ...one, ...noEvidence, acknowledged });
    expect(service.shown.map(({ text }) => text)).toEqual([expect.stringContaining('usually 0')]);
    expect(await newest(id)).toMatchObject({ state: 'delivered', attempts: 1 });
    await send(id, 'alert.resolved', { ...one, state: 'resolved', resolved: one.since + 60 });
    expect(service.shown).toHaveLength(1);
  });

  it('reports the end of a new error in its message, and nothing of one that it does not have', async () => {
    const { id, service } = await startChannel(kind);
    const one = { ...newAlert(), kind: 'errlog.new' as const };
    const ended = { state: 'resolved' as const, resolved: one.since + 600 };
    await send(id, 'alert.resolved', { ...newAlert(), kind: 'errlog.new', ...ended });
    expect(service.shown).toHaveLength(0);
    await send(id, 'alert.firing', one);
    await send(id, 'alert.resolved', { ...one, ...ended });
    expect(service.shown.map(({ text }) => text)).toEqual([expect.stringMatching(/RESOLVED/)]);
  });
});

describe.each(['pagerduty', 'opsgenie'] as const)('an alert at %s', (kind) => {
  it('has one name, under which it is acknowledged and ended', async () => {
    const { id, service } = await startChannel(kind);
    const one = { ...newAlert(), kind: 'errlog.new' as const };
    await send(id, 'alert.firing', one);
    // A reminder is no second alert, also where the start of the cause was corrected.
    await send(id, 'alert.firing', one);
    await send(id, 'alert.updated', { ...one, since: one.since - 5 });
    await send(id, 'alert.acknowledged', { ...one, ...noEvidence, acknowledged });
    expect(service.shown.map(({ state }) => state)).toEqual([expect.stringMatching(/^acknowledged$/)]);
    await send(id, 'alert.resolved', { ...one, ...noEvidence, state: 'resolved', resolved: one.since + 720 });
    expect(service.shown.map(({ state }) => state)).toEqual([expect.stringMatching(/^(?:resolved|closed)$/)]);
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(Array(5).fill('delivered'));
  });

  it('gets no other events', async () => {
    const { id } = await startChannel(kind);
    const types = ['agent.outage' as const];
    await expect(api.admin.webhook.update({ params: { id }, body: { types } })).rejects.toMatchObject({ status: 400 });
  });
});

describe('an alert at pushover', () => {
  it('has one follow-up, and its end only where its kind has one', async () => {
    const { id, service } = await startChannel('pushover');
    const one = { ...newAlert(), kind: 'errlog.new' as const };
    const ended = { state: 'resolved' as const, resolved: one.since + 720 };
    await send(id, 'alert.firing', one);
    await send(id, 'alert.updated', one);
    await send(id, 'alert.updated', one);
    await send(id, 'alert.acknowledged', { ...one, acknowledged });
    await send(id, 'alert.resolved', { ...one, ...ended });
    expect(service.shown.map(({ text }) => text.split(':', 1)[0])).toEqual(['FIRING', 'UPDATED']);
    const lasting = newAlert();
    await send(id, 'alert.firing', lasting);
    await send(id, 'alert.resolved', { ...lasting, ...ended });
    expect(service.shown.map(({ text }) => text.split(':', 1)[0])).toEqual(['FIRING', 'UPDATED', 'FIRING', 'RESOLVED']);
  });

  it('waits for the messages of the next month where those of this one are used up', async () => {
    const { id, service } = await startChannel('pushover');
    const reset = String(Math.floor(Date.now() / 1000) + 1800);
    const errors = ['application is over its quota'];
    service.next.push({ status: 429, headers: { 'x-limit-app-reset': reset }, body: { status: 0, errors } });
    await send(id, 'alert.firing', newAlert());
    const { next_attempt: next, last_attempt: last, error } = (await newest(id)) ?? {};
    expect(error).toContain('over its quota');
    expect((next ?? 0) - (last ?? 0)).toBeGreaterThan(1700);
  });
});

describe('messages at discord', () => {
  it('wait until the limit of the webhook is reset', async () => {
    const { id, service } = await startChannel('discord');
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '7.5' };
    service.next.push({ status: 200, headers, body: { id: '12' } });
    const messages = [newAlert(), newAlert()].map((data) => ({
      type: 'alert.firing',
      timestampMs: api.now(),
      data,
      alertId: data.id,
    }));
    await api.server.deps.db.write((tx) => queueMessages(tx, [id], messages, api.now()));
    await api.server.sender.settle();
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'waiting']);
    api.advance(7_000);
    await api.server.sender.settle();
    expect(service.requests).toHaveLength(1);
    api.advance(1_000);
    await api.server.sender.settle();
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });
});
