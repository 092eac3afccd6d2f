import type { ChangeWindow, SuspectedChange } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { causeOf, windowOf } from './suspected-cause.ts';

const change = (more: Partial<SuspectedChange> = {}): SuspectedChange => ({
  kind: 'config',
  field: '/etc/nginx/up.conf',
  name: '',
  from: '',
  to: '',
  affected: { with: 2, of: 2 },
  unaffected: { with: 0, of: 38 },
  strength: 'strong',
  score: 0.99,
  first: 1_000,
  last: 1_010,
  before: 240,
  change_id: 0,
  url: '',
  has_diff: false,
  with: [],
  agents: [
    { id: 1, hostname: 'gw-1', time: 1_000 },
    { id: 2, hostname: 'gw-2', time: 1_010 },
  ],
  explanation: '',
  ...more,
});
const around = (more: Partial<ChangeWindow> = {}): ChangeWindow => ({
  kind: 'first_seen',
  time: 1_240,
  from: 0,
  count: 2,
  usual: 0,
  affected: 2,
  unaffected: 38,
  unknown: 0,
  label: null,
  vitals: [],
  summary: '',
  changes: [change()],
  ...more,
});
const look = { sinceS: 1_240, firedMs: 1_241_000, looks: 0, publicUrl: 'https://qd.example.org' };
const late = { ...look, looks: 3 };

describe('the suspected change of an alert', () => {
  it('is a sentence with the failing hosts, the time before, and the others', () => {
    expect(causeOf(around(), look)).toMatchObject({
      sentence:
        '2 of 2 failing hosts changed the file /etc/nginx/up.conf, 4 min before (gw-1, gw-2); none of 38 others did',
      strength: 'strong',
      why: null,
      link: null,
      settled: false,
      next_look: 1_271,
    });
    const clock = change({ kind: 'clock', field: 'clock', to: 'set forward by 60 s', before: 0 });
    expect(causeOf(around({ changes: [clock] }), late)).toMatchObject({
      sentence:
        '2 of 2 failing hosts had the clock set forward by 60 s, as it began (gw-1, gw-2); none of 38 others did',
      settled: true,
      next_look: null,
    });
  });

  it('has the page of a change from outside, else its own address', () => {
    const link = (more: Partial<SuspectedChange>) => causeOf(around({ changes: [change(more)] }), look).link;
    expect(link({ change_id: 7, url: 'https://ci.example.org/7' })).toBe('https://qd.example.org/changes?id=7');
    expect(
      causeOf(around({ changes: [change({ change_id: 7, url: 'https://ci.example.org/7' })] }), {
        ...look,
        publicUrl: undefined,
      }).link,
    ).toBe('https://ci.example.org/7');
  });

  it('is none where nothing stands out, with the reason', () => {
    const why = (more: Partial<ChangeWindow>, at = late) => causeOf(around(more), at).why;
    expect(why({ changes: [] }, look)).toBe('Too early: hosts report their changes within a minute or two.');
    expect(why({ changes: [], unknown: 3 })).toBe(
      'No change stands out in the hour before. 3 of 5 sources have no agent.',
    );
    expect(why({ changes: [], affected: 0, unknown: 1 })).toContain('The source has no agent');
    expect(why({ changes: [], affected: 0, unknown: 4 })).toBe('No source has an agent.');
    const share = { affected: { with: 2, of: 2 }, unaffected: { with: 1, of: 38 } };
    expect(why({ changes: [], label: { name: 'version', value: '2', ...share } })).toContain('have version=2');
  });

  it('is not a weak one that most other hosts made, too', () => {
    const weak = { strength: 'weak', score: 0.3 } as const;
    const common = change({ ...weak, unaffected: { with: 30, of: 38 } });
    expect(causeOf(around({ changes: [common] }), late)).toMatchObject({ sentence: null, change: null });
    expect(causeOf(around({ changes: [change(weak)] }), late)).toMatchObject({ strength: 'weak' });
  });
});

it('is looked for before the window that began nearest to the alert', () => {
  const windows = [around({ time: 5_000, kind: 'spike' }), around({ time: 1_240 })];
  expect(windowOf({ windows, complete: true }, 4_000)?.kind).toBe('spike');
  expect(windowOf({ windows, complete: true }, 1_300)?.kind).toBe('first_seen');
  expect(windowOf({ windows: [], complete: true }, 1_300)).toBeUndefined();
});
