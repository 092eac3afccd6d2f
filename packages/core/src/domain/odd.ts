// Differences of failing hosts from healthy ones of the same sort.
import * as z from 'zod';
import { UnixSeconds } from './primitives.ts';

/** Sort of a difference. `fact`: what agents report of their hosts. The others are those of changes, and vitals. */
export const OddKind = z.enum([
  'config',
  'package',
  'program',
  'fact',
  'certificate',
  'container',
  'unit',
  'dns',
  'time_zone',
  'vitals',
]);
export type OddKind = z.infer<typeof OddKind>;

/** Hosts that a difference names at most. */
export const ODD_HOSTS_MAX = 20;

/** One difference of failing hosts from their twins. */
export const OddOne = z.object({
  kind: OddKind,
  field: z.string().meta({ description: 'Such as system_version.kernel, a package, a path, or disk' }),
  value: z.string().meta({ description: 'Value of the failing hosts' }),
  twins: z.string().meta({ description: 'Most frequent other value of their twins; empty = none is known' }),
  score: z.number().min(0).max(1).meta({ description: 'How well it separates: 1 = all failing hosts, and no twin' }),
  agents: z
    .array(z.object({ id: z.int(), hostname: z.string() }))
    .meta({ description: `Failing hosts with the value, at most ${ODD_HOSTS_MAX}` }),
});
export type OddOne = z.infer<typeof OddOne>;

/** Differences of failing hosts from their twins, those that separate best first. */
export const OddList = z.object({
  data: z.array(OddOne),
  meta: z.object({
    count: z.int(),
    time: UnixSeconds.meta({ description: 'The hosts are compared as they were then' }),
    failing: z.int().meta({ description: 'Failing hosts with an agent' }),
    twins: z.int().meta({ description: 'Healthy hosts that they are compared with' }),
    twins_by: z.string().meta({ description: 'The labels or the service that makes them twins; empty = all hosts' }),
    complete: z.boolean().meta({ description: 'false: agents may not be read, or some hosts were left out' }),
  }),
});
export type OddList = z.infer<typeof OddList>;
