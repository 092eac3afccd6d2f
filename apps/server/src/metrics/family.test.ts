import { Durations } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { countEventLoopRounds } from '../../test/count-event-loop-rounds.ts';
import { byLabel, histogram, single, textOf } from './family.ts';

describe('families as text', () => {
  it('have their help, their type and their numbers', async () => {
    const durations = new Durations([0.1, 1]);
    for (const ms of [50, 500, 5_000]) durations.add(ms);
    const text = await textOf([
      single('gauge', 'a_size_bytes', 'Size', () => 1e21),
      single('gauge', 'unknown', 'Not known now', () => undefined),
      byLabel('counter', 'b_total', 'Things', 'kind', () => ({ x: 1, 'a "b" \\ c\n': 2 })),
      histogram('c_seconds', 'Waits', () => [[{ route: '/a' }, durations]]),
    ]);
    expect(text.split('\n')).toEqual([
      ...['# HELP a_size_bytes Size', '# TYPE a_size_bytes gauge', 'a_size_bytes 1e+21', ''],
      ...['# HELP unknown Not known now', '# TYPE unknown gauge', ''],
      ...['# HELP b_total Things', '# TYPE b_total counter', 'b_total{kind="x"} 1'],
      ...['b_total{kind="a \\"b\\" \\\\ c\\n"} 2', ''],
      ...['# HELP c_seconds Waits', '# TYPE c_seconds histogram'],
      ...['c_seconds_bucket{route="/a",le="0.1"} 1', 'c_seconds_bucket{route="/a",le="1"} 2'],
      ...[
        'c_seconds_bucket{route="/a",le="+Inf"} 3',
        'c_seconds_sum{route="/a"} 5.55',
        'c_seconds_count{route="/a"} 3',
      ],
      ...['', ''],
    ]);
  });

  it('let the event loop handle other events between their lines', async () => {
    const all = Array.from({ length: 3_000 }, (_, i) => [{ route: `/${i}` }, new Durations([0.1, 1])] as const);
    const rounds = await countEventLoopRounds(() => textOf([histogram('c_seconds', 'Waits', () => all)]));
    expect(rounds).toBeGreaterThan(1);
  });
});
