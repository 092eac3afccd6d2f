import { z } from 'zod';
import { Agent, AgentEnrolled, AgentFacts, AgentOrders, AgentRegistration } from '../domain/agent.ts';
import { agentPageQuery } from '../domain/page.ts';
import { ById, Detail, queryFlag } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

export const agent = {
  list: endpoint({
    method: 'GET',
    path: '/api/agents',
    summary: 'Agents, newest first; the total is in X-Total-Count',
    access: 'agent:read',
    query: z.object({ ...agentPageQuery, include_deleted: queryFlag().default(false), detail: Detail }),
    data: z.array(Agent),
    bareList: true,
  }),
  register: endpoint({
    method: 'POST',
    path: '/api/agents/register',
    summary: 'Enrol an agent; the same node_id again gives the same id and a new secret',
    access: 'agent:enroll',
    body: AgentRegistration,
    data: AgentEnrolled,
  }),
  heartbeat: endpoint({
    method: 'POST',
    path: '/api/agents/{id}/heartbeat',
    summary: 'Report that the agent is alive, and what changed',
    access: 'agent',
    params: ById,
    body: AgentFacts,
    data: AgentOrders,
    errors: ['not_found'],
  }),
  shutdown: endpoint({
    method: 'POST',
    path: '/api/agents/{id}/shutdown',
    summary: 'Say goodbye: the agent is offline from now on',
    access: 'agent',
    params: ById,
    data: z.undefined(),
    errors: ['not_found'],
  }),
};
