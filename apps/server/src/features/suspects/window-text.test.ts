import type { SharedLabel, SuspectedChange } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { type DescribedWindow, describeWindow } from './window-text.ts';

const change = (over: Partial<SuspectedChange> = {}): SuspectedChange => ({
  kind: 'config',
  field: '/etc/nginx/nginx.conf',
  name: '',
  from: '',
  to: '',
  affected: { with: 4, of: 4 },
  unaffected: { with: 0, of: 16 },
  strength: 'strong',
  score: 0.99,
  first: 0,
  last: 0,
  before: 60,
  change_id: 0,
  url: '',
  has_diff: false,
  with: [],
  agents: [{ id: 1, hostname: 'web-1', time: 0 }],
  explanation: '4 of 4 agents did it.',
  ...over,
});
const LABEL: SharedLabel = {
  name: 'site',
  value: 'ams',
  affected: { with: 4, of: 4 },
  unaffected: { with: 0, of: 16 },
};

function linesOf(over: Partial<DescribedWindow> & { label?: SharedLabel; affected?: number } = {}): string[] {
  const { label = null, affected = 4, ...others } = over;
  const window = { kind: 'first_seen' as const, affected, label };
  const described = { log: 'it broke\nat a.lua:1', hostnames: ['web-1', 'web-2', 'web-3'] };
  return describeWindow({
    window,
    changes: [change()],
    vitals: [],
    span: [0, 90],
    silent: 0,
    ...described,
    ...others,
  }).split('\n');
}

describe('describeWindow', () => {
  it('names the error, its hosts and its time, the change and the next step', () => {
    expect(linesOf()).toEqual([
      '“it broke” began on 4 hosts (web-1, web-2, web-3, 1 more) between 1970-01-01 00:00:00 and 1970-01-01 00:01:30 UTC.',
      '4 of 4 agents did it.',
      'A strong cause. Next: look at web-1.',
    ]);
    const [first] = linesOf({ affected: 1, hostnames: ['web-1'], span: [0, 0] });
    expect(first).toBe('“it broke” began on 1 host (web-1) at 1970-01-01 00:00:00 UTC.');
  });

  it('says which resources were over their limits beside the change', () => {
    const vitals = [{ explanation: 'The disk / of web-1 was 100 %, over 90 % since 03:02 UTC; none of 9 others was.' }];
    expect(linesOf({ vitals }).slice(1)).toEqual([
      '4 of 4 agents did it.',
      vitals[0]?.explanation,
      'A strong cause. Next: look at web-1.',
    ]);
  });

  it('offers the address of a deploy, or the changed lines', () => {
    expect(linesOf({ changes: [change({ url: 'https://ci.example.com/7' })] }).at(-1)).toContain(
      'Next: open https://ci.example.com/7.',
    );
    expect(linesOf({ changes: [change({ has_diff: true })] }).at(-1)).toContain(
      'Next: read the changed lines of /etc/nginx/nginx.conf on web-1.',
    );
  });

  it('says where a label covers the affected hosts and no change explains the error', () => {
    const changes = [change({ strength: 'weak', score: 0.4 })];
    expect(linesOf({ label: LABEL, changes })[1]).toBe('All on site=ams; no change explains it.');
    const most = { ...LABEL, affected: { with: 3, of: 4 } };
    expect(linesOf({ label: most, changes: [] })[1]).toBe('3 of 4 on site=ams; no change explains it.');
  });

  it('says where two changes cannot be distinguished', () => {
    const changes = [
      change({ strength: 'weak', score: 0.5 }),
      change({ strength: 'weak', score: 0.45, kind: 'package', field: 'openssl', to: '3.1' }),
    ];
    expect(linesOf({ changes })[2]).toContain(
      'Two changes cannot be distinguished: changed the file /etc/nginx/nginx.conf, and installed the package openssl 3.1.',
    );
    expect(linesOf({ changes: changes.slice(0, 1) })[2]).toBe('Weak evidence. Next: look at web-1.');
  });

  it('says how many hosts have been silent since before it began', () => {
    expect(linesOf({ changes: [], silent: 3 })[2]).toBe(
      '3 of 4 hosts have not reported since before it began: changes there are not known yet. Next: look at web-1.',
    );
    expect(linesOf({ affected: 1, silent: 1 })[2]).toContain('1 of 1 host has not reported');
  });

  it('says where nothing stands out, or no agent is known', () => {
    expect(linesOf({ changes: [] })[1]).toBe('Nothing stands out.');
    expect(linesOf({ changes: [change({ strength: 'weak', score: 0.1 })] })[1]).toBe('Nothing stands out.');
    expect(linesOf({ affected: 0, changes: [] })).toEqual(['“it broke” began.']);
  });
});
