import { expect, it } from 'vitest';
import { startChanges } from './agent.facts.ts';

const YEAR_S = 365 * 86_400;
const known = { bootTime: 1_000_000, started: 1_000_500 };

it('takes a clock that drifts or is set neither for a reboot nor for a restart', () => {
  for (const drift of [-10, -1, 1, 10]) {
    expect(startChanges(known, { boot_time: 1_000_000 + drift, started: 1_000_500 }).isNews).toBe(false);
  }
  for (const step of [-YEAR_S / 365, 11, YEAR_S]) {
    const { columns, history } = startChanges(known, { boot_time: 1_000_000 + step, started: 1_000_500 });
    expect([columns, history]).toEqual([{ bootTime: 1_000_000 + step }, []]);
  }
  // A restart stores the boot time again, so that drift does not add up.
  const { columns, history } = startChanges(known, { boot_time: 1_000_001, started: 1_009_000 });
  expect(columns).toEqual({ bootTime: 1_000_001, started: 1_009_000 });
  expect(history).toMatchObject([{ kind: 'restarted' }]);
});

it('takes another boot time for a reboot where the agent does not report its start', () => {
  const { history } = startChanges({ bootTime: 1_000_000, started: 0 }, { boot_time: 1_008_000 });
  expect(history).toMatchObject([{ kind: 'rebooted' }]);
});
