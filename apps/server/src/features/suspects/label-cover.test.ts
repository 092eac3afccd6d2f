import type { AgentEventKind } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { HistoryLines } from './history-lines.ts';
import { dividingLabel, withoutNewLabels } from './label-cover.ts';

const label = (name: string, value: string, n: number) => ({ name, value, n });

describe('dividingLabel', () => {
  it('finds none where the others have it as well, or few agents are affected', () => {
    const all = [label('site', 'ams', 60), label('site', 'fra', 40)];
    expect(dividingLabel({ all, ofAffected: [label('site', 'ams', 6)], affected: 10, unaffected: 90 })).toBeUndefined();
    expect(dividingLabel({ all, ofAffected: [label('site', 'ams', 1)], affected: 1, unaffected: 99 })).toBeUndefined();
  });
});

describe('withoutNewLabels', () => {
  it('leaves out labels that were set in the time examined', () => {
    const lines = new HistoryLines();
    const add = (kind: AgentEventKind, field: string, after: string) =>
      lines.add({ id: 1, agent_id: 1, time_ms: 1, what: JSON.stringify([kind, field, '', '', after, 0, false]) });
    add('labels', '', 'site=ams, tier=2');
    add('labels', 'rack', '7');
    add('changed', 'ip', 'web');
    const rows = [label('site', 'ams', 3), label('rack', '7', 3), label('role', 'web', 3)];
    expect(withoutNewLabels(rows, lines)).toEqual([label('role', 'web', 3)]);
  });
});
