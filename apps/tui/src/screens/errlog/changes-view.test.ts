import type { ChangeWindow, ErrlogChanges, SuspectedChange } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { changeText } from '@quarterdeck/views/changes';
import type { Query } from '@quarterdeck/views/reads';
import { describe, expect, it } from 'vitest';
import { lineWidth } from '../../theme/lines.ts';
import { agentChoices, changesLines, hostOf } from './changes-view.ts';

const AT = 1_763_000_000;

const change = (over: Partial<SuspectedChange> = {}): SuspectedChange =>
  build.suspectedChange({
    kind: 'changed',
    field: 'system_version.kernel',
    from: '6.1',
    to: '6.2',
    affected: { with: 38, of: 40 },
    unaffected: { with: 2, of: 960 },
    first: AT - 1_800,
    last: AT - 600,
    before: 720,
    with: [{ kind: 'rebooted', field: '', name: '', from: '', to: '' }],
    agents: [{ id: 7, hostname: 'web-\u0007', time: AT - 900 }],
    ...over,
  });

const window = (over: Partial<ChangeWindow> = {}): ChangeWindow => {
  const summary = '“it broke” began on 40 hosts. 38 of 40 agents with this error changed system_version.kernel.';
  const times = { time: AT, from: AT - 3_600 };
  return build.changeWindow({ ...times, affected: 40, unaffected: 960, summary, changes: [change()], ...over });
};

const ready = (changes: ErrlogChanges): Query<ErrlogChanges> => ({ status: 'ready', data: changes, atMs: 0 });
const context = { name: 'web-1 nginx', keyOf: () => 'g c', nowMs: AT * 1000 };
const text = (changes: ErrlogChanges, width = 100): string[] =>
  changesLines(ready(changes), context, width).map((line) => line.map((run) => run.text).join(''));

describe('what changed before an error', () => {
  it('is ranked, with counts on both sides as bars', () => {
    const lines = text({ windows: [window()], complete: true });
    expect(lines[0]).toMatch(/^This error on all of its 40 sources\. Times are in \S+\.$/);
    expect(lines[1]).toMatch(/^Before it began, \d{4}/);
    expect(lines[2]).toMatch(/^Changes from .*\d\d:\d\d to .*\d\d:\d\d, the hour before it began\.$/);
    expect(lines[3]).toBe('40 agents affected, 960 not.');
    expect(lines.find((line) => line.includes('kernel: 6.1 → 6.2'))).toMatch(/^ 1 .* strong$/);
    const shares = lines.find((line) => line.includes('38 of 40') && line.includes('others')) ?? '';
    expect(shares).toMatch(/affected\s+━{22,}╸? *38 of 40\s+others\s+╸\s+2 of 960/);
    expect(lines.join('\n')).not.toContain('%');
    expect(lines.join('\n')).toContain('with it · host rebooted');
    expect(lines.join('\n')).toContain('12m before it');
    expect(lines.join('\n')).toContain('38 of 40 agents with this error changed');
  });

  it('says what it looks at: the only source of an error, and another length of time', () => {
    const lines = text({ windows: [window({ affected: 1, from: AT - 7_200 })], complete: true });
    expect(lines[0]).toMatch(/^This error on web-1 nginx, its only source\./);
    expect(lines.join(' ')).toContain('the 2h00m before it began.');
  });

  it('leaves out the line of the summary that repeats the error', () => {
    const summary =
      '“it broke” began on 2 hosts at 2025-11-13 02:13:20 UTC.\n2 of 2 agents changed it.\nA strong cause.';
    const lines = text({ windows: [window({ summary })], complete: true });
    expect(lines).toContain('2 of 2 agents changed it.');
    expect(lines).toContain('A strong cause.');
    expect(lines.join(' ')).not.toContain('it broke');
  });

  it('does not claim that a change reported after the beginning came before it', () => {
    const counted = { ...change(), before: 0, first: AT + 5, last: AT + 5 };
    const lines = text({ windows: [window({ changes: [counted] })], complete: true }).join('\n');
    expect(lines).toContain('reported as it began');
    expect(lines).not.toContain('0s before it');
  });

  it('shows the increase and the sources without an agent', () => {
    const lines = text({ windows: [window({ kind: 'spike', count: 900, usual: 4.25, unknown: 2 })], complete: false });
    expect(lines).toContainEqual(expect.stringMatching(/^Before it became more frequent/));
    expect(lines.join(' ')).toContain('the hour before it became more frequent.');
    expect(lines.join(' ')).toContain('900 in a minute, usually 4.3.');
    expect(lines.join(' ')).toContain('2 affected sources have no agent.');
    expect(lines.join(' ')).toMatch(/▲ Incomplete: .* the history of an agent does not reach back to .*\d\d:\d\d\./);
  });

  it('shows a resource over its limit where nothing changed', () => {
    const sentence = 'The disk / of web-1 was 100 %, over 90 % since 02:10 UTC; none of 9 others was.';
    const vitals = [build.overLimit({ resource: 'disk', explanation: sentence })];
    const summary = `“it broke” began on 1 host.\nNothing stands out.\n${sentence}\nNext: look at web-1.`;
    expect(text({ windows: [window({ changes: [], vitals, summary })], complete: true })).toContain(sentence);
  });

  it('has a text for no change, no agent, a read in progress and a failed read', () => {
    expect(text({ windows: [window({ changes: [] })], complete: true })).toContain(
      'Nothing changed on its 40 agents in this time. Press g c to read the lines of the error.',
    );
    expect(text({ windows: [window({ changes: [], affected: 0, unknown: 3 })], complete: true })).toContain(
      'Cannot tell: its 3 sources have no agent. Press g c to enroll an agent.',
    );
    const unknown = window({ changes: [], affected: 0, unknown: 3 });
    const twice = text({ windows: [unknown, { ...unknown, kind: 'spike' }], complete: true });
    expect(twice.filter((line) => line.startsWith('Cannot tell'))).toHaveLength(1);
    expect(twice.filter((line) => line.startsWith('Changes from'))).toHaveLength(2);
    expect(text({ windows: [], complete: true }).join()).toContain('no known beginning');
    expect(changesLines({ status: 'loading' }, context, 60)[0]?.[0]?.text).toBe('Reading the changes…');
    const failure = { kind: 'refused', message: 'Not now.', fields: {} } as const;
    expect(changesLines({ status: 'failed', failure }, context, 60)[0]?.[0]?.text).toBe('Not now.');
  });

  it('fits long names into its width', () => {
    const long = change({ from: 'x'.repeat(90), to: '残高'.repeat(40), explanation: 'y'.repeat(300) });
    for (const width of [34, 40, 60, 76, 100, 160]) {
      for (const line of changesLines(
        ready({ windows: [window({ changes: [long, long] })], complete: false }),
        context,
        width,
      )) {
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('names a change in a few words', () => {
    expect(changeText(change({ kind: 'rebooted', field: 'boot_time' }))).toBe('host rebooted');
    expect(changeText(change({ kind: 'offline', field: 'lost' }))).toBe('offline: went silent');
  });

  it('lists each named agent once', () => {
    const changes = {
      windows: [window({ changes: [change(), change({ kind: 'rebooted', field: '' })] })],
      complete: true,
    };
    expect(agentChoices(changes, AT * 1000)).toMatchObject([{ id: '7', text: 'web-␇', group: 'kernel: 6.1 → 6.2' }]);
    expect(hostOf(changes, '7')).toBe('web-\u0007');
    expect(hostOf(changes, '8')).toBeUndefined();
  });
});
