// Changes that are reported from outside, such as deployments: wire contract section 11.
import * as z from 'zod';
import { visibleName } from '../base/visible-text.ts';
import { AgentLabels } from './agent.ts';
import { queryInt, text, UnixFraction } from './primitives.ts';

/** Most hosts that a change names. */
export const CHANGE_HOSTS_MAX = 10_000;
/** Most hosts of a change that a list returns. */
export const CHANGE_HOSTS_LISTED = 100;

/** Text of one line. */
const line = (max: number) =>
  text(max)
    .refine((value) => !/\p{Cc}/u.test(value), { message: 'must not contain control characters' })
    .overwrite(visibleName);

function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

const WebAddress = line(2000).refine(isWebAddress, { message: 'must be an http or https URL without a password' });

/** A change to be reported. Without hosts and labels, it concerns all agents. */
export const ChangeDraft = z
  .object({
    time: UnixFraction.optional().meta({
      description: 'Default now; at most 5 minutes ahead of the server and 30 days back',
    }),
    kind: line(64).min(1).meta({ description: 'Kind of change in your own words, such as deploy' }),
    name: line(200).min(1).meta({ description: 'Name of the changed thing, such as a service' }),
    before: line(500).optional().meta({ description: 'Value or version before' }),
    after: line(500).optional().meta({ description: 'Value or version after' }),
    hosts: z
      .array(line(255).min(1))
      .min(1)
      .max(CHANGE_HOSTS_MAX)
      .optional()
      .meta({ description: 'Hostnames, node_ids or addresses of agents, or names of sources' }),
    labels: AgentLabels.optional().meta({ description: 'Concerns the agents with all of these labels' }),
    service: line(255).optional().meta({ description: 'Service that was changed, as in log lines' }),
    url: WebAddress.optional().meta({ description: 'Page about the change: http or https' }),
    author: line(200).optional().meta({ description: 'Person who made the change' }),
  })
  .meta({
    examples: [
      { kind: 'deploy', name: 'shop' },
      {
        kind: 'deploy',
        name: 'shop',
        before: '1.4.1',
        after: '1.4.2',
        hosts: ['web1.example.org', 'web2.example.org'],
        labels: { site: 'ams' },
        service: 'shop',
        url: 'https://ci.example.org/runs/1',
        author: 'Ada',
      },
    ],
  });
export type ChangeDraft = z.infer<typeof ChangeDraft>;

/** Answer to the report of a change. */
export const ChangeReceipt = z.object({
  id: z.int(),
  unknown_hosts: z
    .array(z.string())
    .meta({ description: 'Named hosts that are no agent and no source; they are kept' }),
});
export type ChangeReceipt = z.infer<typeof ChangeReceipt>;

const hostsListed = `the first ${CHANGE_HOSTS_LISTED} in lists`;

/** A change from outside. Texts that were not given are empty. */
export const Change = z.object({
  id: z.int(),
  time: UnixFraction,
  kind: z.string(),
  name: z.string(),
  before: z.string(),
  after: z.string(),
  hosts: z.array(z.string()).meta({ description: `Named hosts; ${hostsListed}` }),
  host_count: z.int().meta({ description: 'Number of named hosts' }),
  unknown_hosts: z
    .array(z.string())
    .meta({ description: `Names in \`hosts\` that were no agent and no source when it was reported; ${hostsListed}` }),
  labels: z.record(z.string(), z.string()),
  agents: z.int().meta({ description: 'Number of agents that it concerned when it was reported' }),
  service: z.string(),
  url: z.string(),
  author: z.string(),
  created: UnixFraction.meta({ description: 'Time of the report' }),
  created_by: z.string().meta({ description: 'User who reported it' }),
});
export type Change = z.infer<typeof Change>;

/** Filters of the list. */
export const changeFilters = {
  kind: text(64).optional().meta({ description: 'This kind exactly' }),
  name: text(200).optional().meta({ description: 'This name exactly' }),
  service: text(255).optional().meta({ description: 'This service exactly' }),
  host: text(255).optional().meta({
    description: 'Changes that concern the agent with this hostname, node_id or address, or that name this host',
  }),
  start_time: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'From, Unix seconds' }),
  end_time: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'Up to, Unix seconds' }),
  q: text(200).optional().meta({
    description: 'Part of the kind, the name, the values, the service or the author; letters in any case',
  }),
};
export const ChangeFilter = z.object(changeFilters);
export type ChangeFilter = z.infer<typeof ChangeFilter>;
