import * as z from 'zod';
import { Operation, OperationDraft, OperationState } from '../domain/agent-operation.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById, queryInt } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

export const agentOperation = {
  list: endpoint({
    method: 'GET',
    path: '/api/agents/operation',
    summary: 'Operations, newest first',
    access: 'agent:read',
    narrowed: true,
    query: z.object({
      ...pageQuery,
      agent_id: queryInt(1).optional(),
      state: OperationState.optional(),
    }),
    data: pageOf(Operation),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/agents/operation',
    summary: 'Request an operation from an agent, which receives it with its next report',
    access: 'agent:write',
    narrowed: true,
    body: OperationDraft,
    data: Operation,
    errors: ['not_found', 'conflict'],
  }),
  cancel: endpoint({
    method: 'DELETE',
    path: '/api/agents/operation/{id}',
    summary: 'Cancel an operation that the agent has not begun',
    access: 'agent:write',
    narrowed: true,
    params: ById,
    data: z.undefined(),
    errors: ['not_found', 'conflict'],
  }),
};
