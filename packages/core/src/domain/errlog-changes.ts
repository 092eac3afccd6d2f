// Suspected causes: changes of agents in the hour before an error began or became more frequent.
import { z } from 'zod';
import { AgentEventKind } from './agent-event.ts';
import { UnixSeconds } from './primitives.ts';

/** A part of a total. */
const Share = z.object({ with: z.int().meta({ description: 'Agents with the change' }), of: z.int() });

/** A change, and its distribution over agents with and without the error. */
export const SuspectedChange = z.object({
  kind: AgentEventKind,
  field: z.string().meta({ description: 'Such as system_version.kernel; empty where the kind says it all' }),
  from: z
    .string()
    .meta({ description: 'What it was on most of the affected agents; empty = not the same, or nothing' }),
  to: z.string(),
  affected: Share.meta({ description: 'Agents that have the error, within the hour before it began on each' }),
  unaffected: Share.meta({ description: 'Agents that do not have it, over the whole time looked at' }),
  score: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'How well the change explains the error; the order of the list' }),
  first: UnixSeconds.meta({ description: 'The earliest such change' }),
  last: UnixSeconds,
  before: z.int().meta({ description: 'Median seconds from the change to the error, over the affected agents' }),
  agents: z.array(z.object({ id: z.int(), hostname: z.string(), time: UnixSeconds })).meta({
    description: 'Some of the affected agents, and when each changed',
  }),
  explanation: z.string().meta({ description: 'The same as a sentence' }),
});
export type SuspectedChange = z.infer<typeof SuspectedChange>;

/** A time at which the error began or became more frequent, and the changes before it. */
export const ChangeWindow = z.object({
  kind: z.enum(['first_seen', 'spike']),
  time: UnixSeconds.meta({ description: 'When it first happened, or when the spike began' }),
  from: UnixSeconds.meta({ description: 'From when changes were looked at' }),
  count: z.int().meta({ description: 'Occurrences in the minute at `time`; after two days, in its hour' }),
  usual: z.number().meta({ description: 'Occurrences of a usual minute before; 0 with first_seen' }),
  affected: z
    .int()
    .meta({ description: 'Agents that have the error; in a spike, those on which it became more frequent' }),
  unaffected: z.int().meta({ description: 'All others that were there then' }),
  unknown: z.int().meta({ description: 'Sources of it that no agent of that time is known of' }),
  changes: z.array(SuspectedChange),
});
export type ChangeWindow = z.infer<typeof ChangeWindow>;

/** Changes before a group of errors, latest window first. */
export const ErrlogChanges = z.object({
  windows: z.array(ChangeWindow),
  complete: z
    .boolean()
    .meta({ description: 'false: more changed than was looked at, or history no longer reaches back' }),
});
export type ErrlogChanges = z.infer<typeof ErrlogChanges>;
