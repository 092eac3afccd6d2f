// Metrics of the lanes in which requests are admitted.
import type { Admission } from '../http/admission/admission.ts';
import type { LaneStats } from '../http/admission/lane.ts';
import { byLabel, type Family } from './family.ts';

/** Metrics of the lanes, each with one number for each lane. */
export function admissionFamilies(stats: Admission['stats']): readonly Family[] {
  const byLane = (type: 'counter' | 'gauge', name: string, help: string, read: (lane: LaneStats) => number) =>
    byLabel(type, name, help, 'lane', () =>
      Object.fromEntries(Object.entries(stats()).map(([lane, numbers]) => [lane, read(numbers)])),
    );
  return [
    byLane('counter', 'quarterdeck_admitted_total', 'Admitted requests by lane', ({ admitted }) => admitted),
    byLane(
      'counter',
      'quarterdeck_refused_total',
      'Requests by lane that were refused because too many were in progress',
      ({ refused }) => refused,
    ),
    byLane('gauge', 'quarterdeck_admission_limit', 'Requests by lane that may be in progress', ({ limit }) => limit),
    byLane('gauge', 'quarterdeck_admission_in_flight', 'Requests by lane in progress', ({ inFlight }) => inFlight),
    byLane(
      'gauge',
      'quarterdeck_admission_wait_seconds',
      'Mean time by lane from admission to answer, of the last measurement',
      ({ meanMs }) => meanMs / 1000,
    ),
  ];
}
