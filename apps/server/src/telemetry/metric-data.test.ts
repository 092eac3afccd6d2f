import { DataPointType } from '@opentelemetry/sdk-metrics';
import { Durations } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { type Family, histogram, single } from '../metrics/family.ts';
import { metricProducer } from './metric-data.ts';

async function collect(...families: readonly Family[]) {
  const all = families.map(({ read, ...family }) => ({ ...family, values: Array.from(read()) }));
  const { resourceMetrics } = await metricProducer(async () => all, '1.2.3').collect();
  return resourceMetrics.scopeMetrics[0]?.metrics ?? [];
}

describe('metrics as data of OpenTelemetry', () => {
  it('are sums without _total, and gauges with their unit', async () => {
    const metrics = await collect(
      single('counter', 'quarterdeck_things_total', 'Things', () => 7),
      single('gauge', 'quarterdeck_size_bytes', 'Size', () => 42),
      single('gauge', 'quarterdeck_unknown', 'Not known now', () => undefined),
    );
    expect(metrics).toHaveLength(2);
    expect(metrics[0]).toMatchObject({
      descriptor: { name: 'quarterdeck_things', description: 'Things', unit: '' },
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [{ attributes: {}, value: 7 }],
    });
    expect(metrics[1]).toMatchObject({
      descriptor: { name: 'quarterdeck_size_bytes', unit: 'By' },
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ value: 42 }],
    });
  });

  it('are histograms with the number of each bucket alone', async () => {
    const [quick, slow] = [new Durations([0.1, 1]), new Durations([0.1, 1])];
    for (const ms of [50, 60, 500, 5_000]) quick.add(ms);
    slow.add(2_000);
    const all = () => [[{ route: '/a' }, quick] as const, [{ route: '/b' }, slow] as const];
    const [metric] = await collect(histogram('quarterdeck_wait_seconds', 'Waits', all));
    expect(metric).toMatchObject({ descriptor: { unit: 's' }, dataPointType: DataPointType.HISTOGRAM });
    expect(metric?.dataPoints).toMatchObject([
      {
        attributes: { route: '/a' },
        value: { buckets: { boundaries: [0.1, 1], counts: [2, 1, 1] }, sum: 5.61, count: 4 },
      },
      { attributes: { route: '/b' }, value: { buckets: { counts: [0, 0, 1] }, sum: 2, count: 1 } },
    ]);
  });
});
