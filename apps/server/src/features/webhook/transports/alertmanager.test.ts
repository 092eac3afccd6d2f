import { describe, expect, it } from 'vitest';
import { alert, channelOf, messageOf } from '../../../../test/messages.ts';
import { alertmanager } from './alertmanager.ts';

const NOW_MS = (alert.since + 60) * 1000;

const alertOf = (type: string, data: unknown, nowMs = NOW_MS) =>
  JSON.parse(alertmanager.post(channelOf('alertmanager'), messageOf(type, data), nowMs).body)[0];

describe('alertmanager', () => {
  it('has labels that stay the same until the end', () => {
    const firing = alertOf('alert.firing', alert);
    expect(firing.labels).toEqual({
      alertname: 'QuarterdeckErrlogCount',
      kind: 'errlog.count',
      cause: 'service:shop',
      severity: 'warning',
      rule: '3',
    });
    const changed = { ...alert, rule: 'renamed', title: 'shop: 900 errors', detail: { level: 1 }, state: 'resolved' };
    expect(alertOf('alert.resolved', { ...changed, resolved: alert.since + 30 }).labels).toEqual(firing.labels);
  });

  it('has the label of an alert that a message of before an upgrade has begun', () => {
    const { key, ...rest } = alert;
    expect(alertOf('alert.firing', { ...rest, cause: key }).labels).toEqual(alertOf('alert.firing', alert).labels);
  });

  it.each([
    ['alert.test', alert, 'QuarterdeckAlertTest'],
    ['webhook.test', { webhook: { id: 1 }, text: 'Test message of the channel ops' }, 'QuarterdeckWebhookTest'],
  ])('takes %s for no alert of a rule', (type, data, alertname) => {
    const { labels, endsAt } = alertOf(type, data);
    expect(labels).toMatchObject({ alertname, kind: type, severity: 'info' });
    expect(Date.parse(endsAt) - NOW_MS).toBe(60_000);
  });

  it('describes the alert', () => {
    expect(alertOf('alert.firing', alert)).toMatchObject({
      annotations: {
        summary: 'shop: 340 errors within 5 min',
        description: expect.stringContaining('Hosts: 2 of 40: web-7, web-8\n'),
        examples: 'disk is full\ntimed out',
        suspected_change: `${alert.cause?.sentence} (strong)`,
        runbook_url: alert.links.runbook,
      },
      generatorURL: alert.links.alert,
    });
  });

  it.each([
    ['a cause that lasts', 'alert.firing', {}, 365 * 86_400],
    ['a new error', 'alert.firing', { kind: 'errlog.new' }, 365 * 86_400],
    ['news about it', 'alert.updated', { kind: 'errlog.new' }, 365 * 86_400],
    ['a new error of before an upgrade', 'alert.firing', { kind: 'errlog.new', resolved: alert.since }, 3600],
    ['a cause of a moment', 'alert.firing', { kind: 'agent.back' }, 3600],
    ['a test', 'alert.test', {}, 60],
    ['the end of a cause', 'alert.resolved', { resolved: alert.since + 30 }, -30],
    ['an end in the future', 'alert.resolved', { resolved: alert.since + 9999 }, 0],
    ['an end at the beginning', 'alert.resolved', { resolved: alert.since }, -60],
    ['an end before the beginning', 'alert.resolved', { resolved: alert.since - 60 }, -120],
  ])('lets %s fire until its end', (_, type, fields, seconds) => {
    const { startsAt, endsAt } = alertOf(type, { ...alert, ...fields });
    expect((Date.parse(endsAt) - NOW_MS) / 1000).toBe(seconds);
    expect(Date.parse(startsAt)).toBe(Math.min(alert.since * 1000, Date.parse(endsAt)));
  });

  it.each([
    ['https://am.example.org', 'https://am.example.org/api/v2/alerts'],
    ['https://am.example.org/', 'https://am.example.org/api/v2/alerts'],
    ['https://am.example.org/prefix/', 'https://am.example.org/prefix/api/v2/alerts'],
    ['https://am.example.org/api/v2/alerts', 'https://am.example.org/api/v2/alerts'],
    ['https://am.example.org/?tenant=1', 'https://am.example.org/api/v2/alerts?tenant=1'],
  ])('is sent for %s to %s', (url, href) => {
    const post = alertmanager.post(channelOf('alertmanager', { url }), messageOf('alert.firing', alert), NOW_MS);
    expect(post.url.href).toBe(href);
  });
});
