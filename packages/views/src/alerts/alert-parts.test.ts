import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { alertParts, type KnownAlert } from './alert-parts.ts';

const NOW_S = 1_780_000_000;

const alert = (over: Partial<KnownAlert> = {}): KnownAlert => ({
  ...build.alertInstance({
    id: 7,
    kind: 'errlog.count',
    state: 'firing',
    title: '412 in 5m: boom',
    since: NOW_S - 1_560,
    fired: NOW_S - 1_550,
    what: { level: 4, service: 'checkout', source: 'api-1', text: 'boom \u001B[31m<n>' },
    counts: { count: 4_120, from: NOW_S - 1_860, per_minute: 132.9, usual: 0.257 },
    hosts: { failing: 5, of: 42, names: ['api-1', 'api-2'] },
    lines: [build.line({ time: NOW_S - 5, host: 'api-1', log: 'boom 5' })],
    incomplete: ['3 of 5 sources have no agent.'],
    also: ['new errors'],
    links: { alert: 'https://q.example.org/a/7', error: null, change: null, runbook: null, issue: null },
  }),
  cause: null,
  ...over,
});

const cause = {
  ...{ sentence: null, strength: null, change: null, link: null },
  ...{ why: 'Too early.', settled: false, next_look: (NOW_S + 60) as number | null },
};

/** `label: value` of each value. */
const shown = (over: Partial<KnownAlert> = {}): string[] =>
  alertParts(alert(over), NOW_S * 1000).flatMap(({ label, values }) => values.map((value) => `${label}: ${value}`));

const shownAs = (label: string, over: Partial<KnownAlert>): string | undefined =>
  shown(over).find((text) => text.startsWith(`${label}: `));

describe('the parts of an alert', () => {
  it('have the order of a message, and no control characters', () => {
    const parts = shown({ cause: { ...cause, sentence: '5 of 5 rebooted', strength: 'likely', why: null } });
    expect(
      parts.map((text) => text.replace(/\d{4}-\d\d-\d\d |\d\d:\d\d:\d\d/g, (time) => (time.length > 8 ? '' : 'TIME'))),
    ).toEqual([
      'Error: ERROR in checkout: boom ␛[31m<n>',
      'Since: TIME (26m ago)',
      'Count: 4,120 since TIME, 133 a minute, usually 0.26',
      'Hosts: 5 of 42: api-1, api-2, 3 more',
      'Suspected change: 5 of 5 rebooted (likely)',
      'Suspected change: Look again at TIME.',
      'Newest lines: TIME api-1 boom 5',
      'Incomplete: 3 of 5 sources have no agent.',
      'Also found by: new errors',
      'Alert page: https://q.example.org/a/7',
    ]);
  });

  it('name the title where the alert is about no error', () => {
    expect(shown({ what: null, title: 'The disk is full' })[0]).toBe('Alert: The disk is full');
    expect(shown({ what: null, title: '', key: 'disk' })[0]).toBe('Alert: disk');
  });

  it('say why no change is named, and whether that is looked at again', () => {
    const texts = (over: Partial<typeof cause>) =>
      shown({ cause: { ...cause, ...over } }).filter((text) => text.startsWith('Suspected change'));
    expect(texts({})).toEqual([
      'Suspected change: None. Too early.',
      expect.stringMatching(/^Suspected change: Look again at /),
    ]);
    expect(texts({ next_look: NOW_S - 1 })).toEqual(['Suspected change: None. Too early.']);
    expect(texts({ settled: true, next_look: null })).toEqual(['Suspected change: None. Too early.']);
  });

  it('say who acknowledged it, who works on it, and until when it is muted', () => {
    const acknowledged = { time: NOW_S - 180, by: 'anna', note: '' };
    expect(shownAs('Acknowledged', { acknowledged })).toBe('Acknowledged: by anna 3m ago');
    expect(shownAs('Acknowledged', { acknowledged: { ...acknowledged, note: 'rolled back' } })).toMatch(
      /ago: rolled back$/,
    );
    expect(shownAs('Assigned', { assigned: { id: 2, username: 'bob' } })).toBe('Assigned: to bob');
    expect(shownAs('Muted', { muted_until: NOW_S + 3_600 })).toMatch(/^Muted: until \d{4}-/);
    expect(shownAs('Muted', { muted_until: NOW_S + 3e9 })).toBe('Muted: until somebody ends it');
  });

  it('have the newest lines, as many as a message', () => {
    const lines = Array.from({ length: 20 }, (_, n) => build.line({ id: `${n}`, log: `line ${n}`, host: 'a' }));
    const texts = alertParts(alert({ lines }), NOW_S * 1000).find(({ id }) => id === 'lines')?.values ?? [];
    expect(texts.map((text) => text.replace(/^.* a /, ''))).toEqual(
      [0, 1, 2, 3, 4].map((n) => `line ${n}`).concat('and 15 more'),
    );
  });

  it('have the end of an alert, but none of a kind without an end', () => {
    expect(shownAs('Since', { state: 'resolved', resolved: NOW_S - 960 })).toMatch(/, ended \S+ after 10m$/);
    expect(shownAs('Since', { state: 'resolved', resolved: NOW_S - 1_550 })).toMatch(/ago\)$/);
    expect(shownAs('Count', { counts: { count: 1, from: NOW_S, per_minute: 1, usual: 0 } })).toMatch(/usually none$/);
    expect(shownAs('Hosts', { hosts: { failing: 3, of: null, names: [] } })).toBe('Hosts: 3');
  });
});
