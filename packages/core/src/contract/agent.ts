import * as z from 'zod';
import {
  Agent,
  AgentChange,
  AgentEnrolled,
  AgentFacts,
  AgentRegistration,
  HeartbeatResponse,
} from '../domain/agent.ts';
import { AgentEvent, AgentEventKind } from '../domain/agent-event.ts';
import { AgentBulk, AgentSort, AgentTotals, agentFilters } from '../domain/agent-filter.ts';
import { BulkQuery, BulkResult } from '../domain/bulk.ts';
import { HostChangeDiff } from '../domain/host-change.ts';
import { agentPageQuery, pageOf, pageQuery } from '../domain/page.ts';
import { ById, Detail, queryFlag, queryInt } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

const at = queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({
  description: 'The fleet as it was at this time, Unix seconds; `unknown` names the fields that are not known of it',
});

/** Fields that people edit. */
const EDITED = ['note', 'labels', 'catch_transient_event', 'autorun_tools', 'maintenance', 'is_deleted'];

export const agent = {
  list: endpoint({
    method: 'GET',
    path: '/api/agents',
    summary: 'Agents, newest first; the total is in X-Total-Count',
    unknownInput: 'ignored',
    access: 'agent:read',
    query: z.object({ ...agentPageQuery, ...agentFilters, sort: AgentSort, detail: Detail, at }),
    data: z.array(Agent),
    bareList: true,
  }),
  totals: endpoint({
    method: 'GET',
    path: '/api/agents/totals',
    summary: 'Numbers of agents that a filter matches, by kind',
    access: 'agent:read',
    query: z.object({ ...agentFilters, at }),
    data: AgentTotals,
  }),
  bulk: endpoint({
    method: 'POST',
    path: '/api/agents/bulk',
    summary: 'Update, delete, restore, purge or operate many agents',
    access: 'agent:write',
    query: BulkQuery,
    body: AgentBulk,
    bodyLimit: 128 * 1024,
    data: BulkResult,
  }),
  register: endpoint({
    method: 'POST',
    path: '/api/agents/register',
    summary: 'Enroll an agent; the same node_id again gives the same id and a new secret, unless its agent is online',
    unknownInput: 'open_body',
    access: 'agent:enroll',
    body: AgentRegistration,
    data: AgentEnrolled,
    carriesSecret: true,
    errors: ['enrollment_used_up', 'conflict'],
  }),
  heartbeat: endpoint({
    method: 'POST',
    path: '/api/agents/{id}/heartbeat',
    summary: 'Send a heartbeat with the changed facts of an agent',
    unknownInput: 'open_body',
    access: 'agent',
    params: ById,
    body: AgentFacts,
    bodyOptional: true,
    bodyLimit: 512 * 1024,
    uncounted: true,
    data: HeartbeatResponse,
    errors: ['not_found'],
  }),
  shutdown: endpoint({
    method: 'POST',
    path: '/api/agents/{id}/shutdown',
    summary: 'Report that the agent stops; it is offline from now on',
    access: 'agent',
    params: ById,
    data: z.undefined(),
    errors: ['not_found'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/agents/{id}',
    summary: 'One agent',
    access: 'agent:read',
    params: ById,
    query: z.object({ include_deleted: queryFlag().default(false), detail: Detail, at }),
    data: Agent,
    versioned: EDITED,
    errors: ['not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/agents/{id}',
    summary: 'Change the note, the labels, the settings or the maintenance of an agent',
    access: 'agent:write',
    params: ById,
    body: AgentChange,
    data: Agent,
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/agents/{id}',
    summary: 'Delete an agent: its secret stops working, and it is hidden; it can be restored for thirty days',
    access: 'agent:write',
    params: ById,
    data: z.undefined(),
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
  restore: endpoint({
    method: 'POST',
    path: '/api/agents/{id}/restore',
    summary: 'Restore a deleted agent: its secret works again',
    access: 'agent:write',
    params: ById,
    data: Agent,
    errors: ['not_found', 'conflict'],
  }),
  purge: endpoint({
    method: 'POST',
    path: '/api/agents/{id}/purge',
    summary: 'Purge a deleted agent with its history',
    access: 'agent:write',
    params: ById,
    data: z.undefined(),
    errors: ['not_found', 'conflict'],
  }),
  events: endpoint({
    method: 'GET',
    path: '/api/agents/{id}/events',
    summary: 'History of an agent, newest first; also of a deleted one',
    access: 'agent:read',
    params: ById,
    query: z.object({ ...pageQuery, kind: AgentEventKind.optional() }),
    data: pageOf(AgentEvent),
    errors: ['not_found'],
  }),
  diff: endpoint({
    method: 'GET',
    path: '/api/agents/{id}/events/{event}/diff',
    summary: 'Changed lines of a configuration file, with secrets masked by the agent',
    access: 'agent:write',
    params: ById.extend({ event: queryInt(1, Number.MAX_SAFE_INTEGER) }),
    data: HostChangeDiff,
    errors: ['not_found'],
  }),
};
