import type { LedgerGap } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { gapText, incompleteText, isIncomplete } from './completeness.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const AT = NOW / 1000 - 7_200;
const gap = (over: Partial<LedgerGap> = {}): LedgerGap => ({
  src: 3,
  stage: 'quota',
  start_time: AT,
  end_time: AT + 180,
  lines: 31,
  ...over,
});
const nameOf = (src: number): string => `web-${src}`;

describe('the completeness of an answer', () => {
  it('is silent for complete answers', () => {
    expect(isIncomplete([{}, undefined, { complete: true }])).toBe(false);
    expect(isIncomplete([{ complete: true }, { complete: false }])).toBe(true);
    expect(isIncomplete([{ capped: true }])).toBe(true);
  });

  it('names gaps by their time, lines and stage', () => {
    expect(gapText(gap(), NOW)).toMatch(/^\d\d:\d\d–\d\d:\d\d, 31 lines: turned away by the quota$/);
    expect(gapText(gap({ end_time: AT, lines: 1 }), NOW)).toMatch(/^\d\d:\d\d, 1 line: /);
    expect(gapText(gap({ stage: 'down', lines: null }), NOW)).toMatch(
      /^\d\d:\d\d–\d\d:\d\d: no server received syslog$/,
    );
    // Nobody has read the lines of a deleted file.
    expect(gapText(gap({ stage: 'rotation', lines: 1 }), NOW)).toContain('an unknown number of lines');
  });

  it('has a reason in words', () => {
    const lost = incompleteText([{ complete: false }], [gap({ lines: 2 }), gap()], nameOf, NOW);
    expect(lost).toMatch(/^Incomplete: lost on web-3, \d\d:\d\d–\d\d:\d\d, 31 lines: .* quota; 1 earlier gap\.$/);
    const down = incompleteText([{ complete: false }], [gap({ src: 0, stage: 'down', lines: null })], nameOf, NOW);
    expect(down).toMatch(/^Incomplete: \d\d:\d\d–\d\d:\d\d: no server received syslog\.$/);
    expect(incompleteText([{ complete: false }], [], nameOf, NOW)).toContain('the search ran out of time');
    expect(incompleteText([{ complete: false }], undefined, nameOf, NOW)).toContain('lines were lost in this time, or');
    expect(incompleteText([{ capped: true }], [], nameOf, NOW)).toContain('before all groups were found');
  });
});
