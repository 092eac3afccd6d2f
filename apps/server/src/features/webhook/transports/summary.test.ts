import { EVENTS, type EventType, WEBHOOK_TYPES } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { createSample } from '../../../../../../packages/sdk/src/testing/sample.ts';
import { nonEmpty } from '../../../../../../test/non-empty.ts';
import { alert, HOSTILE_TEXT, messageOf } from '../../../../test/messages.ts';
import { readSummary } from './summary.ts';

const summaryOf = (type: string, data: unknown) => readSummary(messageOf(type, data).body);
const sample = createSample(1_795_421_300_000);

describe('readSummary', () => {
  it('has what happened, since when, where, how many, and examples', () => {
    expect(summaryOf('alert.firing', alert)).toEqual({
      heading: 'FIRING: shop: 340 errors within 5 min',
      title: 'shop: 340 errors within 5 min',
      facts: [
        { name: 'Rule', value: 'Shop errors' },
        { name: 'Kind', value: 'errlog.count' },
        { name: 'Service', value: 'shop' },
        { name: 'Host', value: 'web-7' },
        { name: 'Level', value: 'ERROR' },
        { name: 'Count', value: '340' },
        { name: 'Since', value: '2026-11-23 08:08:00 UTC' },
      ],
      examples: ['disk is full', 'timed out'],
      url: alert.url,
    });
  });

  it('has the end of what is over only', () => {
    const { heading, facts } = summaryOf('alert.resolved', { ...alert, state: 'resolved', resolved: 1_795_424_880 });
    expect(heading).toBe('RESOLVED: shop: 340 errors within 5 min');
    expect(facts).toContainEqual({ name: 'Until', value: '2026-11-23 09:08:00 UTC' });
    // A cause without an end has ended as soon as it is told.
    const moment = summaryOf('alert.firing', {
      ...alert,
      kind: 'errlog.new',
      state: 'resolved',
      resolved: alert.since,
    });
    expect(moment.facts.map(({ name }) => name)).not.toContain('Until');
  });

  it('names a source only beside another host', () => {
    const namesOf = (data: object) => summaryOf('errlog.new', data).facts.map(({ name }) => name);
    expect(namesOf({ host: 'web-7', source: 'web-7' })).toEqual(['Host']);
    expect(namesOf({ host: 'web-7', source: 'web-7 (10.0.0.7)' })).toEqual(['Host', 'Source']);
  });

  it('shows details that it does not know, but no ids', () => {
    const detail = {
      free_bytes: 3 * 1024 ** 3,
      away_s: 20,
      lines: 70,
      n: 9,
      src: 1,
      token_id: 4,
      accounts: ['ada', 'bob'],
      toString: 'x',
    };
    expect(summaryOf('alert.firing', { ...alert, detail }).facts).toEqual(
      expect.arrayContaining([
        { name: 'Free', value: '3.0 GiB' },
        { name: 'Lines', value: '70' },
        { name: 'Count', value: '9' },
        { name: 'Away', value: '20 s' },
        { name: 'Accounts', value: 'ada, bob' },
        { name: 'ToString', value: 'x' },
      ]),
    );
    expect(JSON.stringify(summaryOf('alert.firing', { ...alert, detail }))).not.toMatch(/Token|Src/);
  });

  it('names a few of many hosts', () => {
    const hosts = Array.from({ length: 40 }, (_, i) => ({ id: i, hostname: `web-${i}` }));
    expect(summaryOf('agent.outage', { lost: 40, ended: null, sample: hosts })).toMatchObject({
      heading: '40 agents stopped reporting at once',
      facts: [
        { name: 'Hosts', value: 'web-0, web-1, web-2, web-3, web-4 and 35 more' },
        { name: 'Lost', value: '40' },
      ],
    });
  });

  it.each(nonEmpty(WEBHOOK_TYPES))('makes a title for %s', (type) => {
    const { heading } = summaryOf(type, sample(EVENTS[type as EventType]));
    expect(heading).not.toMatch(/undefined|null|\[object/);
    expect(heading).not.toBe(type);
  });

  it.each([
    ['errlog.new', { level: 2, log: 'disk\nis full', host: 'db-1' }, 'New error on db-1: ALERT disk is full'],
    ['agent.offline', { hostname: 'web-7' }, 'Agent web-7 stopped reporting'],
    ['agent.removed', { id: 12 }, 'Agent 12 was deleted'],
    ['change.created', { kind: 'deploy', name: 'shop', before: '1', after: '2' }, 'Change: deploy of shop 1 → 2'],
    ['token.expiring', { name: 'ci', expire: 1_795_421_280_000 }, 'API token ci expires on 2026-11-23 08:08:00 UTC'],
    ['alert.test', {}, 'TEST: Message of Quarterdeck'],
    ['webhook.test', { text: 'Test message of the channel ops' }, 'TEST: Test message of the channel ops'],
    ['of.tomorrow', { log: 'x' }, 'of.tomorrow'],
    ['toString', {}, 'toString'],
  ])('writes %s as one line', (type, data, heading) => {
    expect(summaryOf(type, data).heading).toBe(heading);
  });

  it.each([{ cut: true }, null, [], 'text', 7, { detail: 7, since: 1e300, hosts: [null, [], {}], resolved: 'x' }])(
    'reads data that was cut: %j',
    (data) => {
      for (const type of ['alert.firing', 'errlog.new', 'agent.outage']) {
        expect(summaryOf(type, data).heading).not.toContain('undefined');
      }
    },
  );

  it('bounds and cleans each part', () => {
    const title = `${HOSTILE_TEXT}${'x'.repeat(1_000_000)}`;
    const text = title.slice(0, 5000);
    const names = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${text}${i}`, text]));
    const detail = { ...names, examples: Array(100).fill(text), hosts: Array(100).fill(text), service: text };
    const summary = summaryOf('alert.firing', { ...alert, title, rule: text, detail });
    const whole = JSON.stringify(summary);
    expect(whole.length).toBeLessThan(5000);
    expect(whole).not.toMatch(/\\[rnu]|\p{Cc}|\p{Cf}/u);
    expect(summary.facts.length).toBeLessThanOrEqual(12);
    expect(summary.examples).toHaveLength(1);
  });

  it('has no link but to Quarterdeck', () => {
    expect(summaryOf('change.created', { url: 'https://evil.example/' }).url).toBeUndefined();
    expect(summaryOf('alert.firing', { ...alert, url: 'javascript:alert(1)' }).url).toBeUndefined();
    expect(summaryOf('alert.firing', { ...alert, url: undefined }).url).toBeUndefined();
  });
});
