// Suspected causes: changes of agents in the hour before an error began or became more frequent.
import * as z from 'zod';
import { AgentEventKind } from './agent-event.ts';
import { UnixSeconds } from './primitives.ts';
import { RESOURCES } from './vitals-limits.ts';

/** A part of a total. */
const Share = z.object({ with: z.int().meta({ description: 'Agents with the change' }), of: z.int() });

/**
 * Confidence that a change is the cause. `strong`: right in at least 95 of 100 cases; `likely`: in at least 85; `weak`:
 * no more than the best that is known.
 */
export const ChangeStrength = z.enum(['strong', 'likely', 'weak']);
export type ChangeStrength = z.infer<typeof ChangeStrength>;

/** A change by its names and values. */
const change = {
  kind: AgentEventKind,
  field: z.string().meta({ description: 'Such as system_version.kernel; empty when the kind is enough' }),
  name: z.string().meta({ description: 'Name of a change from outside; empty = none' }),
  from: z.string().meta({ description: 'Value on most of the affected agents; empty = different values, or none' }),
  to: z.string(),
};

/** A change that the same agents made together with another one. */
export const MergedChange = z.object(change);
export type MergedChange = z.infer<typeof MergedChange>;

/** A change, and its distribution over agents with and without the error. */
export const SuspectedChange = z.object({
  ...change,
  affected: Share.meta({ description: 'Affected agents, within the hour before the error began on each' }),
  unaffected: Share.meta({ description: 'Agents without the error, over the whole examined span' }),
  strength: ChangeStrength,
  score: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Probability that the change is the cause; the list is ordered by it' }),
  first: UnixSeconds.meta({ description: 'The earliest such change' }),
  last: UnixSeconds,
  before: z.int().meta({ description: 'Median seconds from the change to the error, over the affected agents' }),
  change_id: z.int().meta({ description: 'Id of the change from outside; 0 = none' }),
  url: z.string().meta({ description: 'Address of the change from outside; empty = none' }),
  has_diff: z.boolean().meta({ description: 'The changed lines are stored' }),
  with: z.array(MergedChange).meta({
    description: 'Changes that the same agents made together with it: one cause, named by its most specific change',
  }),
  agents: z.array(z.object({ id: z.int(), hostname: z.string(), time: UnixSeconds })).meta({
    description: 'Some of the affected agents, with the time of their change',
  }),
  explanation: z.string().meta({ description: 'The same as a sentence' }),
});
export type SuspectedChange = z.infer<typeof SuspectedChange>;

/** A label, and its distribution over agents with and without the error. */
export const SharedLabel = z.object({ name: z.string(), value: z.string(), affected: Share, unaffected: Share });
export type SharedLabel = z.infer<typeof SharedLabel>;

/** A resource of affected hosts that was over its usual limit when the error began. By itself it is no cause. */
export const OverLimit = z.object({
  resource: z.enum(RESOURCES),
  limit: z.int().meta({ description: 'Usual limit, percent' }),
  affected: z.object({ with: z.int().meta({ description: 'Affected agents over the limit' }), of: z.int() }),
  unaffected: z.object({ with: z.int(), of: z.int() }).meta({
    description:
      'The same of the agents without the error, over whole hours; both without agents that reported no vitals',
  }),
  agents: z
    .array(
      z.object({
        id: z.int(),
        hostname: z.string(),
        path: z.string().meta({ description: 'Mount point of the disk; empty for other resources' }),
        percent: z.number().meta({ description: 'Highest percentage in the minutes around the start of the error' }),
        since: UnixSeconds.meta({ description: 'It is over the limit since then, or since before' }),
      }),
    )
    .meta({ description: 'Some of the affected agents over the limit, the highest first' }),
  explanation: z.string().meta({ description: 'The same as a sentence' }),
});
export type OverLimit = z.infer<typeof OverLimit>;

/** A time at which the error began or became more frequent, and the changes before it. */
export const ChangeWindow = z.object({
  kind: z.enum(['first_seen', 'spike']),
  time: UnixSeconds.meta({ description: 'Time of the first occurrence, or start of the spike' }),
  from: UnixSeconds.meta({ description: 'Start of the examined span' }),
  count: z.int().meta({ description: 'Occurrences in the minute at `time`; after two days, in its hour' }),
  usual: z.number().meta({ description: 'Usual occurrences per minute before; 0 with first_seen' }),
  affected: z.int().meta({ description: 'Affected agents; in a spike, those on which the error became more frequent' }),
  unaffected: z.int().meta({ description: 'All other agents of that time' }),
  unknown: z.int().meta({ description: 'Affected sources without a known agent' }),
  label: SharedLabel.nullable().meta({
    description: 'Label that divides the affected agents from the others; null = none, or a change explains the error',
  }),
  vitals: z.array(OverLimit).meta({
    description: 'Resources of affected hosts over their usual limits at that time, where most other hosts were not',
  }),
  summary: z.string().meta({
    description:
      'The error, its hosts and its time, the change that explains it, and the next step, in a few sentences',
  }),
  changes: z.array(SuspectedChange),
});
export type ChangeWindow = z.infer<typeof ChangeWindow>;

/** Changes before a group of errors, latest window first. */
export const ErrlogChanges = z.object({
  windows: z.array(ChangeWindow),
  complete: z.boolean().meta({
    description:
      'false: not all changes were examined, the history is shorter, or the caller lacks agent:read, without which ' +
      'changes, labels and summaries are left out',
  }),
});
export type ErrlogChanges = z.infer<typeof ErrlogChanges>;
