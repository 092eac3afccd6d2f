// What the agent list can be narrowed by, and changes of many agents (wire contract sections 7 and 10).
import { z } from 'zod';
import { AGENT_STATES, AgentState, agentChangeFields, hasAgentChange } from './agent.ts';
import { OperationKind, OperationParams } from './agent-operation.ts';
import { ById, queryFlag, text } from './primitives.ts';

const isState = (word: string): word is AgentState => (AGENT_STATES as readonly string[]).includes(word);

const StateList = z
  .string()
  .max(100)
  .refine((value) => value.split(',').every(isState), {
    message: `must be of ${AGENT_STATES.join(', ')}, with commas between`,
  })
  .transform((value) => [...new Set(value.split(',').filter(isState))].sort());

/** Filters of the agent list, as a query has them. */
export const agentFilters = {
  include_deleted: queryFlag().default(false).meta({ description: 'Default 0; 1 shows deleted agents too' }),
  online: queryFlag().optional(),
  state: StateList.optional().meta({ description: `Of ${AGENT_STATES.join(', ')}: one, or several with commas` }),
  env: text(32).optional().meta({ description: 'This environment exactly' }),
  label: text(300).optional().meta({ description: '`name`, or `name=value`; several with commas: all of them' }),
  kernel: text(200).optional().meta({ description: 'This kernel exactly' }),
  bad_kernel: queryFlag().optional(),
  maintenance: queryFlag().optional(),
  cloned: queryFlag().optional(),
  q: text(200).optional().meta({
    description:
      'Part of the hostname, the node_id, the address, the note or a label; taken literally, letters in any case',
  }),
};

/** A filter of agents as JSON. Unlike elsewhere an unknown field is refused: misspelt, it would match everything. */
export const AgentFilter = z.strictObject(agentFilters);
export type AgentFilter = z.infer<typeof AgentFilter>;

/** Orders of the list; a minus sign is descending. `id` breaks ties, in the same direction. */
export const AGENT_SORTS = [
  '-created',
  'created',
  'hostname',
  '-hostname',
  '-last_reported',
  'last_reported',
  '-state_since',
  'state_since',
  'kernel',
  '-kernel',
  '-package',
  'package',
] as const;
export const AgentSort = z.enum(AGENT_SORTS).default('-created').meta({ description: 'Default -created' });
export type AgentSort = z.infer<typeof AgentSort>;

const Counted = z.array(z.object({ value: z.string(), count: z.int() }));

/** What the agents of a filter are made of: how many there are, and of which kinds. The most frequent come first. */
export const AgentTotals = z.object({
  count: z.int(),
  online: z.int(),
  bad_kernel: z.int(),
  maintenance: z.int(),
  cloned: z.int(),
  states: z.array(z.object({ state: AgentState, count: z.int() })),
  envs: Counted,
  kernels: Counted,
  packages: Counted,
  systems: Counted,
  labels: Counted.meta({ description: '`name=value`' }),
});
export type AgentTotals = z.infer<typeof AgentTotals>;

const ACTIONS = ['update', 'delete', 'restore', 'purge', 'operate'] as const;

/** A change of many agents: those of `ids`, or all that `filter` matches. `operate` asks each of them for an operation. */
export const AgentBulk = z
  .object({
    ids: z.array(ById.shape.id).min(1).max(10_000).optional(),
    filter: AgentFilter.optional(),
    action: z.enum(ACTIONS),
    ...agentChangeFields,
    kind: OperationKind.optional().meta({ description: 'With operate' }),
    params: OperationParams.optional().meta({ description: 'With operate' }),
    dry_run: z.boolean().default(false).meta({ description: 'Says what it would do, and does nothing' }),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), { message: 'give either ids or filter' })
  .refine((body) => body.action !== 'update' || hasAgentChange(body), { message: 'give what to update' })
  .refine((body) => body.action === 'update' || !hasAgentChange(body), {
    path: ['action'],
    message: 'only update changes fields',
  })
  .refine(({ action, kind, params }) => action === 'operate' || (kind === undefined && params === undefined), {
    path: ['kind'],
    message: 'goes with operate only',
  })
  .refine(({ action, kind }) => action !== 'operate' || kind !== undefined, {
    path: ['kind'],
    message: 'is needed with operate',
  })
  .meta({
    examples: [
      { ids: [1], action: 'delete' },
      { filter: { q: 'gw', label: 'site=north' }, action: 'operate', kind: 'collect_facts', dry_run: true },
    ],
  });
export type AgentBulk = z.infer<typeof AgentBulk>;
