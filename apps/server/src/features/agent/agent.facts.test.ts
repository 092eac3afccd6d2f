import { describe, expect, it } from 'vitest';
import { startChanges } from './agent.facts.ts';

const YEAR_S = 365 * 86_400;
const known = { bootTime: 1_000_000, started: 1_000_500 };

const kinds = (row: Parameters<typeof startChanges>[0], facts: Parameters<typeof startChanges>[1]) =>
  startChanges(row, facts).history.map(({ kind }) => kind);

describe('a reported start', () => {
  it('is no news if it is stored already or missing', () => {
    for (const facts of [{}, { boot_time: 1_000_000, started: 1_000_500 }, { started: 1_000_500 }]) {
      expect(startChanges(known, facts)).toEqual({ columns: {}, isNews: false, restartedAt: undefined, history: [] });
    }
  });

  it('has no history the first time', () => {
    const nothing = { bootTime: 0, started: 0 };
    expect(startChanges(nothing, { boot_time: 5_000, started: 6_000 })).toEqual({
      columns: { bootTime: 5_000, started: 6_000 },
      isNews: true,
      restartedAt: undefined,
      history: [],
    });
  });

  it('is a restart if the agent started again', () => {
    const { columns, history } = startChanges(known, { boot_time: 1_000_001, started: 1_009_000 });
    // The boot time is stored again too, so that drift does not add up over restarts.
    expect(columns).toEqual({ bootTime: 1_000_001, started: 1_009_000 });
    expect(history).toEqual([{ kind: 'restarted', field: 'started', before: '1000500', after: '1009000' }]);
  });

  it('is a reboot if the host started again too', () => {
    const { history } = startChanges(known, { boot_time: 1_008_000, started: 1_009_000 });
    expect(history).toEqual([
      { kind: 'rebooted', field: 'boot_time', before: '1000000', after: '1008000' },
      { kind: 'restarted', field: 'started', before: '1000500', after: '1009000' },
    ]);
    // An agent that does not report its start.
    expect(kinds({ bootTime: 1_000_000, started: 0 }, { boot_time: 1_008_000 })).toEqual(['rebooted']);
  });

  it('is neither if the clock of the host drifts or is set', () => {
    for (const drift of [-10, -1, 1, 10]) {
      expect(startChanges(known, { boot_time: 1_000_000 + drift, started: 1_000_500 }).isNews).toBe(false);
    }
    for (const step of [-YEAR_S / 365, 11, YEAR_S]) {
      const { columns, history } = startChanges(known, { boot_time: 1_000_000 + step, started: 1_000_500 });
      expect([columns, history]).toEqual([{ bootTime: 1_000_000 + step }, []]);
    }
  });
});
