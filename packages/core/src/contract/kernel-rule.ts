import * as z from 'zod';
import { KernelRule, KernelRuleDraft } from '../domain/kernel-rule.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

export const kernelRule = {
  list: endpoint({
    method: 'GET',
    path: '/api/agents/kernel_rule',
    summary: 'Patterns of bad kernels, newest first',
    access: 'agent:read',
    query: z.object(pageQuery),
    data: pageOf(KernelRule),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/agents/kernel_rule',
    summary: 'Mark the kernels that match a pattern as bad',
    access: 'agent:write',
    body: KernelRuleDraft,
    data: KernelRule,
    errors: ['conflict'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/agents/kernel_rule/{id}',
    summary: 'Delete a pattern',
    access: 'agent:write',
    params: ById,
    data: z.undefined(),
    errors: ['not_found'],
  }),
};
