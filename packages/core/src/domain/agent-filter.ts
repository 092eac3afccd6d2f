// Filters of the agent list, and changes of many agents (wire contract sections 7 and 10).
import * as z from 'zod';
import { AGENT_STATES } from '../base/agent-states.ts';
import { AgentState, agentChangeFields, hasAgentChange, LabelName, LabelValue } from './agent.ts';
import { OperationKind, OperationParams, paramsDoNotFit, paramsFit } from './agent-operation.ts';
import { AgentFilterText } from './filter.ts';
import { ById, queryFlag, text } from './primitives.ts';

const isState = (word: string): word is AgentState => (AGENT_STATES as readonly string[]).includes(word);

const StateList = z
  .string()
  .max(100)
  .refine((value) => value.split(',').every(isState), {
    message: `must be one or more of ${AGENT_STATES.join(', ')}, comma-separated`,
  })
  .transform((value) => [...new Set(value.split(',').filter(isState))].sort());

const LABELS_MAX = 10;

/** Matches agents that have the label, with any value or with this one. */
export interface LabelFilter {
  readonly name: string;
  /** undefined = any value. */
  readonly value: string | undefined;
}

/** Parses `name` or `name=value`. */
function readLabel(part: string): LabelFilter {
  const at = part.indexOf('=');
  return at < 0 ? { name: part, value: undefined } : { name: part.slice(0, at), value: part.slice(at + 1) };
}

function isLabel(part: string): boolean {
  const { name, value } = readLabel(part);
  return LabelName.safeParse(name).success && LabelValue.safeParse(value ?? '').success;
}

const LabelList = text(3000)
  .refine((list) => list.split(',').every(isLabel), { message: 'must be name or name=value, comma-separated' })
  .refine((list) => list.split(',').length <= LABELS_MAX, { message: `at most ${LABELS_MAX} labels` })
  .transform((list) => list.split(',').map(readLabel));

/** Filters of the agent list, as in a query. */
export const agentFilters = {
  include_deleted: queryFlag()
    .default(false)
    .meta({ description: 'Default 0; 1 includes deleted agents, as does `state` with deleted' }),
  online: queryFlag().optional(),
  state: StateList.optional().meta({ description: `One or more of ${AGENT_STATES.join(', ')}, comma-separated` }),
  env: text(32).optional().meta({ description: 'This environment exactly' }),
  label: LabelList.optional().meta({ description: '`name` or `name=value`, comma-separated; all must match' }),
  kernel: text(200).optional().meta({ description: 'This kernel exactly' }),
  bad_kernel: queryFlag().optional(),
  maintenance: queryFlag().optional(),
  cloned: queryFlag().optional(),
  q: text(200).optional().meta({
    description:
      'Part of the hostname, the node_id, the address, the note or a label; taken literally, letters in any case',
  }),
  filter: AgentFilterText.optional(),
};

/** Filter of agents as JSON. An unknown field is refused: a misspelled one would match everything. */
export const AgentFilter = z.strictObject({
  ...agentFilters,
  include_deleted: z.boolean().default(false),
  online: z.boolean().optional(),
  bad_kernel: z.boolean().optional(),
  maintenance: z.boolean().optional(),
  cloned: z.boolean().optional(),
});
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

/** Maximum number of values per kind; rarer ones are omitted. */
export const AGENT_TOTALS_MAX = 1000;

/**
 * Totals of the agents of a filter: their number, and the numbers by kind. The most frequent come first, at most 1000
 * of a kind.
 */
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

const CHANGE_NAMES = Object.keys(agentChangeFields) as (keyof typeof agentChangeFields)[];

const ACTIONS = ['update', 'delete', 'restore', 'purge', 'operate'] as const;

/**
 * Change of many agents: those of `ids`, or all that match `filter`; for `restore` and `purge` among deleted ones.
 * `operate` requests an operation from each of them.
 */
export const AgentBulk = z
  .object({
    ids: z.array(ById.shape.id).min(1).max(10_000).optional(),
    filter: AgentFilter.optional(),
    action: z.enum(ACTIONS),
    ...agentChangeFields,
    kind: OperationKind.optional().meta({ description: 'With operate' }),
    params: OperationParams.optional().meta({ description: 'With operate' }),
    dry_run: z.boolean().default(false).meta({ description: 'Report the result without a change' }),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), { message: 'give either ids or filter' })
  .refine((body) => body.action !== 'update' || hasAgentChange(body), { message: 'give what to update' })
  .superRefine((body, context) => {
    if (body.action === 'update') return;
    const given = CHANGE_NAMES.filter((name) => body[name] !== undefined);
    for (const name of given)
      context.addIssue({ code: 'custom', path: [name], message: 'is allowed with update only' });
  })
  .refine(({ action, kind, params }) => action === 'operate' || (kind === undefined && params === undefined), {
    path: ['kind'],
    message: 'is allowed with operate only',
  })
  .refine(({ action, kind }) => action !== 'operate' || kind !== undefined, {
    path: ['kind'],
    message: 'is required with operate',
  })
  .refine(paramsFit, paramsDoNotFit)
  .meta({
    examples: [
      { ids: [1], action: 'delete', dry_run: true },
      { filter: { q: 'gw', label: 'site=north' }, action: 'operate', kind: 'collect_facts', dry_run: true },
    ],
  });
export type AgentBulk = z.infer<typeof AgentBulk>;
