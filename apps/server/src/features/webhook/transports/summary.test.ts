import { EVENTS, type EventType, WEBHOOK_TYPES } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { createSample } from '../../../../../../packages/sdk/src/testing/sample.ts';
import { nonEmpty } from '../../../../../../test/non-empty.ts';
import {
  alert,
  channelOf,
  HOSTILE_TEXT,
  hostileAlert,
  LINE,
  messageOf,
  messageTime,
  NO_LINKS,
} from '../../../../test/messages.ts';
import { readSummary, type Summary } from './summary.ts';
import type { OpenChannel } from './transport.ts';

const summaryOf = (type: string, data: unknown, channel: Partial<OpenChannel> = {}) =>
  readSummary(messageOf(type, data), channelOf('slack', channel));
const sample = createSample(1_795_421_300_000);
/** An alert that is not about errors. */
const plain = { ...alert, kind: 'agent.offline', what: null, counts: null, hosts: null, cause: null, links: NO_LINKS };
const factOf = (name: string, { facts, notes }: Summary) =>
  [...facts, ...notes].find((fact) => fact.name === name)?.value;

describe('readSummary of an alert about errors', () => {
  it('answers the questions of people in their order', () => {
    const lines = [{ ...LINE, log: 'upstream 10.0.0.7 timed out' }];
    const also = ['All errors'];
    const incomplete = ['2 of 4 sources have no agent.'];
    const vitals = ['The disk / of web-7 was 100 %, over 90 % since 07:02 UTC; none of 38 others was.'];
    expect(summaryOf('alert.firing', { ...alert, vitals, lines, also, incomplete })).toEqual({
      heading: 'FIRING: shop: 340 errors within 5 min',
      title: 'shop: 340 errors within 5 min',
      state: 'firing',
      severity: 'error',
      facts: [
        { name: 'Error', value: 'ERROR in shop: upstream <ip> timed out' },
        { name: 'Count', value: '340 since 08:08 UTC, 68 a minute, usually 0.4' },
        { name: 'Hosts', value: '2 of 40: web-7, web-8' },
        { name: 'Vitals', value: vitals[0] },
        { name: 'Suspected change', value: `${alert.cause?.sentence} (strong)` },
        { name: 'Rule', value: 'Shop errors' },
      ],
      lines: ['upstream 10.0.0.7 timed out'],
      notes: [
        { name: 'Incomplete', value: '2 of 4 sources have no agent.' },
        { name: 'Found by other rules too', value: 'All errors' },
      ],
      links: [
        { title: 'Alert', url: 'https://qd.example.org/a/7' },
        { title: 'Error', url: 'https://qd.example.org/e/17' },
        { title: 'Runbook', url: 'https://wiki.example.org/runbooks/shop' },
      ],
    });
  });

  it('says why no change is named, and when to look again', () => {
    const cause = { ...alert.cause, sentence: null, strength: null, change: null, why: 'Too early.' };
    const suspected = (data: object) => factOf('Suspected change', summaryOf('alert.firing', { ...alert, ...data }));
    const later = { ...cause, next_look: Date.parse(messageTime) / 1000 + 120 };
    expect(suspected({ cause: later })).toBe('None. Too early. Look again at 08:10 UTC.');
    expect(suspected({ cause: { ...cause, next_look: null } })).toBe('None. Too early.');
    expect(suspected({ cause: null })).toBeUndefined();
  });

  it('names the day of a time that is not that of the message', () => {
    const counts = { ...alert.counts, from: alert.since - 86_400 };
    expect(factOf('Count', summaryOf('alert.firing', { ...alert, counts }))).toContain('since 2026-11-22 08:08 UTC');
  });

  it('tells the story of an alert: who has seen it, who works on it, and when it ended', () => {
    const acknowledged = { time: alert.since + 60, by: 'ada', note: 'rolled back' };
    const assigned = { id: 2, username: 'bob' };
    const resolved = alert.since + 720;
    const ended = summaryOf('alert.resolved', { ...alert, acknowledged, assigned, resolved });
    expect(ended.facts.slice(1, 4)).toEqual([
      { name: 'Ended', value: '08:20 UTC, after 12 min' },
      { name: 'Acknowledged', value: '08:09 UTC by ada: rolled back' },
      { name: 'Assigned', value: 'bob' },
    ]);
    expect(ended).toMatchObject({ heading: 'RESOLVED: shop: 340 errors within 5 min', state: 'resolved' });
  });

  it('keeps in an amendment what the first message said', () => {
    const none = { what: null, counts: null, hosts: null, cause: null, lines: [] };
    const acknowledged = { time: alert.since + 60, by: 'ada', note: '' };
    const first = messageOf('alert.firing', { ...alert, lines: [{ ...LINE, log: 'down' }] });
    const message = messageOf('alert.acknowledged', { ...alert, ...none, acknowledged });
    const amended = readSummary({ ...message, earlier: { receipt: '1', body: first.body } }, channelOf('discord'));
    expect(amended.facts.map(({ name }) => name)).toEqual([
      'Error',
      'Acknowledged',
      'Count',
      'Hosts',
      'Suspected change',
      'Rule',
    ]);
    expect(amended.lines).toEqual(['down']);
  });

  it.each([
    [['cause'], ['Error', 'Suspected change'], 0, 0],
    [['counts', 'lines'], ['Error', 'Count'], 2, 0],
    [['hosts', 'facts', 'links'], ['Error', 'Hosts', 'Rule'], 0, 3],
    [[], ['Error', 'Count', 'Hosts', 'Suspected change', 'Rule'], 2, 3],
  ] as const)('has the parts %j of a channel', (parts, facts, lines, links) => {
    const summary = summaryOf('alert.firing', alert, { parts });
    expect(summary.facts.map(({ name }) => name)).toEqual(facts);
    expect([summary.lines.length, summary.links.length]).toEqual([lines, links]);
  });

  it('begins with the prefix of the channel', () => {
    expect(summaryOf('alert.firing', alert, { prefix: '[shop]' }).heading).toMatch(/^\[shop\] FIRING: /);
  });

  it('reads a message of before an upgrade', () => {
    const { what, counts, hosts, vitals, lines, incomplete, also, links, key, ...rest } = alert;
    const old = { ...rest, cause: key, url: 'https://qd.example.org/alert/7' };
    const { heading, facts, links: pages } = summaryOf('alert.firing', old);
    expect(heading).toBe('FIRING: shop: 340 errors within 5 min');
    expect(facts.map(({ name }) => name)).toEqual(['Rule', 'Kind', 'Service', 'Host', 'Level', 'Count', 'Since']);
    expect(pages).toEqual([{ title: 'Alert', url: 'https://qd.example.org/alert/7' }]);
  });
});

describe('readSummary', () => {
  it('has the facts of an alert about something else, and examples', () => {
    expect(summaryOf('alert.firing', plain)).toMatchObject({
      severity: 'warning',
      facts: [
        { name: 'Rule', value: 'Shop errors' },
        { name: 'Kind', value: 'agent.offline' },
        { name: 'Service', value: 'shop' },
        { name: 'Host', value: 'web-7' },
        { name: 'Level', value: 'ERROR' },
        { name: 'Count', value: '340' },
        { name: 'Since', value: '2026-11-23 08:08:00 UTC' },
      ],
      lines: ['disk is full', 'timed out'],
      notes: [],
      links: [],
    });
  });

  it('has the end of what is over', () => {
    const { facts } = summaryOf('alert.resolved', { ...plain, state: 'resolved', resolved: alert.since + 3600 });
    expect(facts[0]).toEqual({ name: 'Ended', value: '09:08 UTC, after 1 h' });
    expect(facts.map(({ name }) => name)).not.toContain('Until');
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
    expect(summaryOf('alert.firing', { ...plain, detail }).facts).toEqual(
      expect.arrayContaining([
        { name: 'Free', value: '3.0 GiB' },
        { name: 'Lines', value: '70' },
        { name: 'Count', value: '9' },
        { name: 'Away', value: '20 s' },
        { name: 'Accounts', value: 'ada, bob' },
        { name: 'ToString', value: 'x' },
      ]),
    );
    expect(JSON.stringify(summaryOf('alert.firing', { ...plain, detail }))).not.toMatch(/Token|Src/);
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
    [
      'token.expiring',
      { name: 'ci', expire: 1_795_421_280_000, last_used: 1_795_000_000, last_address: '192.0.2.7' },
      'API token ci expires on 2026-11-23 08:08:00 UTC, last used 2026-11-18 11:06:40 UTC from 192.0.2.7',
    ],
    [
      'token.expiring',
      { id: 7, expire: 1_795_421_280_000, last_used: null },
      'API token 7 expires on 2026-11-23 08:08:00 UTC, never used',
    ],
    ['alert.test', {}, 'TEST: Message of Quarterdeck'],
    ['alert.test', { rule: 'payments', by: 'ada' }, 'TEST: Test message of the rule payments'],
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
    const title = `${HOSTILE_TEXT}${'x'.repeat(50_000)}`;
    const text = title.slice(0, 5000);
    const names = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${text}${i}`, text]));
    const detail = { ...names, examples: Array(100).fill(text), hosts: Array(100).fill(text), service: text };
    for (const data of [{ ...plain, title, rule: text, detail }, hostileAlert(title)]) {
      const { facts, lines, ...summary } = summaryOf('alert.firing', data);
      const whole = JSON.stringify({ facts, lines, summary });
      expect(whole.length).toBeLessThan(8000);
      expect(whole).not.toMatch(/\\[rnu]|\p{Cc}|\p{Cf}/u);
      expect(facts.length).toBeLessThanOrEqual(12);
      expect(lines.length).toBeLessThanOrEqual(5);
    }
  });

  it('has no link but to Quarterdeck', () => {
    expect(summaryOf('change.created', { url: 'https://evil.example/' }).links).toEqual([]);
    for (const link of ['javascript:alert(1)', 'x', null, 7, `https://qd.example.org/${'x'.repeat(3000)}`]) {
      expect(summaryOf('alert.firing', { ...alert, links: { alert: link } }).links).toEqual([]);
    }
    expect(summaryOf('alert.firing', { ...alert, links: undefined }).links).toEqual([]);
  });
});
