import type { Change, ChangeEffects } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { type Line, lineWidth } from '../../theme/lines.ts';
import { changeFacts, effectsLines } from '../shared/change-lines.ts';
import { changeHosts } from './changes-view.ts';

const AT = 1_763_000_000;
const change = (over: Partial<Change> = {}): Change =>
  build.change({ kind: 'deploy', name: 'shop', hosts: [], host_count: 0, labels: {}, unknown_hosts: [], ...over });
const textOf = (lines: readonly Line[]): string =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n');

describe('a change from outside', () => {
  it('counts the hosts that a list leaves out', () => {
    const hosts = Array.from({ length: 60 }, (_, index) => `web-${index}`);
    expect(textOf(changeHosts(change({ hosts, host_count: 900 })))).toContain('and 860 more');
  });

  it('keeps hostile and long texts within its width', () => {
    const hostile = `\u001B[2J\u202E${'残高'.repeat(90)}`;
    const hosts = [hostile.slice(0, 40)];
    const one = change({ name: hostile, before: hostile, url: hostile, author: hostile, hosts, host_count: 1 });
    const effects: ChangeEffects = build.changeEffects({
      complete: false,
      errors: [build.changeEffect({ log: hostile, service: 'nginx', before: 1_234_567, after: 7_654_321 })],
    });
    for (const width of [40, 76, 120]) {
      const query = { status: 'ready', data: effects, atMs: 0 } as const;
      const lines = [...effectsLines(query, AT * 1000, width), ...changeFacts(one, AT * 1000, width)];
      const text = textOf([...lines, ...changeHosts(one)]);
      for (const control of ['\u001B', '\u202E']) expect(text).not.toContain(control);
      for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
    }
  });
});
