import { describe, expect, it } from 'vitest';
import { agent } from '../../../test/fake-server.ts';
import { lineWidth } from '../../theme/lines.ts';
import { compareDialog } from './agent-compare.ts';

const NOW = 1_800_000_000_000;
const web = agent(1, { hostname: 'web-1', labels: { site: 'north', tier: '' }, note: 'spare', ip: '10.0.0.1' });
const other = agent(2, {
  ...web,
  id: 2,
  labels: { site: 'south' },
  system_version: { ...web.system_version, kernel: '6.9\u001B[2J' },
  unknown: ['note', 'modified'],
});

const dialog = compareDialog({ name: 'web-1', agent: web }, { name: 'web\u0007-2', agent: other }, NOW);
const text = (width: number): string[] => dialog.lines(width).map((line) => line.map((run) => run.text).join(''));

describe('the comparison', () => {
  it('puts values beside each other where it is wide, and differences first', () => {
    expect(text(86).slice(0, 5)).toEqual([
      'Different (3)',
      `${' '.repeat(26)}${'web-1'.padEnd(30)}web␇-2${' '.repeat(24)}`,
      `${'Kernel'.padEnd(26)}${'6.1.0-25'.padEnd(30)}6.9␛[2J`,
      `${'Label site'.padEnd(26)}${'north'.padEnd(30)}south`,
      `${'Label tier'.padEnd(26)}${'set'.padEnd(30)}–`,
    ]);
    expect(text(86).join('\n')).toMatch(/Not known of that time \(1\)\nNote\n\nSame \(\d+\)\nState {21}● online\n/);
    expect(text(86).join('\n')).not.toContain('Last reported');
  });

  it('stacks the values where it is narrow', () => {
    expect(text(60).slice(0, 4)).toEqual(['Different (3)', 'Kernel', '  web-1   6.1.0-25', '  web␇-2  6.9␛[2J']);
    for (const width of [30, 60, 86]) {
      expect(Math.max(...dialog.lines(width).map(lineWidth))).toBeLessThanOrEqual(width);
    }
  });

  it('is copied as text', () => {
    expect(dialog.copy?.split('\n').slice(0, 3)).toEqual([
      '\tweb-1\tweb␇-2',
      'Kernel\t6.1.0-25\t6.9␛[2J',
      'Label site\tnorth\tsouth',
    ]);
  });

  it('says when nothing differs', () => {
    const [first = []] = compareDialog({ name: 'a', agent: web }, { name: 'b', agent: web }, NOW).lines(60);
    expect(first[0]?.text).toBe('No known fact differs');
  });
});
