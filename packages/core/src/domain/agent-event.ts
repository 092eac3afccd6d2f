// History of an agent, and outages of many agents at once.
import * as z from 'zod';
import { HOST_CHANGE_KINDS } from './host-change-kinds.ts';
import { UnixFraction, UnixSeconds } from './primitives.ts';

/**
 * Kind of an event in the life of an agent. `changed`: a fact changed. `restarted`: the agent started again.
 * `rebooted`: its host booted. `cloned`: two live hosts have its node_id. `settings`, `note`, `labels`, `maintenance`:
 * a person changed them. `change`: something outside reported a change, such as a deployment. The others are changes on
 * its host.
 */
export const AGENT_EVENT_KINDS = [
  'registered',
  'online',
  'offline',
  'inactive',
  'changed',
  'restarted',
  'rebooted',
  'cloned',
  'settings',
  'note',
  'labels',
  'maintenance',
  'operation',
  'deleted',
  'restored',
  'change',
  ...HOST_CHANGE_KINDS,
] as const;
export const AgentEventKind = z.enum(AGENT_EVENT_KINDS);
export type AgentEventKind = z.infer<typeof AgentEventKind>;

/** One entry of an agent's history. */
export const AgentEvent = z.object({
  id: z.int(),
  time: UnixFraction.meta({ description: "By the server's clock" }),
  since: UnixFraction.nullable().meta({
    description:
      'Of a change while the agent was down or its host off: it happened between `since` and `time`; null = at `time`',
  }),
  kind: AgentEventKind,
  field: z.string().meta({
    description:
      'Changed field, such as system_version.kernel, a path or a package; the reason with offline; with change its kind, such as deploy',
  }),
  name: z.string().meta({ description: 'Name of a change from outside, such as that of a service; empty = none' }),
  from: z.string(),
  to: z.string(),
  actor: z.string().meta({ description: 'User who did it; empty = the agent or the server' }),
  change_id: z.int().meta({ description: 'Id of the change from outside; 0 = none' }),
  has_diff: z.boolean().meta({ description: 'The changed lines are stored' }),
});
export type AgentEvent = z.infer<typeof AgentEvent>;

/** An outage: many agents that went silent together, reported as one incident. */
export const Outage = z.object({
  id: z.int(),
  started: UnixSeconds,
  ended: UnixSeconds.nullable().meta({ description: 'Time at which enough of them reported again; null = not yet' }),
  lost: z.int().meta({ description: 'Agents that went silent' }),
  returned: z.int().meta({ description: 'Agents of these that report again' }),
  sample: z
    .array(z.object({ id: z.int(), hostname: z.string() }))
    .meta({ description: 'Some of the agents that are still silent' }),
});
export type Outage = z.infer<typeof Outage>;
