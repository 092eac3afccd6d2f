// The metrics of `/metrics` as data of OpenTelemetry: one source for both. Names lose `_total`, which OpenTelemetry
// does not write and its exporter to Prometheus adds again.
import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { CollectedMetric } from '../metrics/create-metrics.ts';
import type { Sample } from '../metrics/family.ts';

/** Times of all points of one message. */
interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

export function metricProducer(collect: () => Promise<CollectedMetric[]>, version: string): MetricProducer {
  const startTime = millisToHrTime(performance.timeOrigin);
  return {
    async collect() {
      const collected = await collect();
      const times = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = collected.filter(({ values }) => values.length > 0).map((metric) => dataOf(metric, times));
      const scopeMetrics = [{ scope: { name: 'quarterdeck', version }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

const UNITS = { _seconds: 's', _bytes: 'By' } as const;

function dataOf({ name, help, type, values }: CollectedMetric, times: Times): MetricData {
  const base = name.replace(/_total$/, '');
  const [, unit = ''] = Object.entries(UNITS).find(([suffix]) => base.endsWith(suffix)) ?? [];
  const common = {
    descriptor: { name: base, description: help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () => values.map(({ value, labels }) => ({ ...times, attributes: { ...labels }, value }));
  if (type === 'histogram') {
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(name, values, times) };
  }
  if (type === 'counter') {
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
  }
  return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() };
}

/** Points of a histogram, whose values come bucket by bucket, each with those below it, then the sum and the count. */
function histogramPoints(name: string, values: readonly Sample[], times: Times): DataPoint<Histogram>[] {
  const points: DataPoint<Histogram>[] = [];
  let buckets: Sample[] = [];
  let sum = 0;
  for (const one of values) {
    if (one.metricName === `${name}_bucket`) buckets.push(one);
    else if (one.metricName === `${name}_sum`) sum = one.value;
    else {
      const boundaries = buckets.slice(0, -1).map(({ labels }) => Number(labels?.['le']));
      const counts = buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0));
      points.push({
        ...times,
        attributes: { ...one.labels },
        value: { buckets: { boundaries, counts }, sum, count: one.value },
      });
      buckets = [];
    }
  }
  return points;
}
