import * as z from 'zod';
import { Change, ChangeDraft, ChangeReceipt, changeFilters } from '../domain/change.ts';
import { ChangeEffects } from '../domain/change-effects.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById, queryInt } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

export const change = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/change',
    summary: 'Changes from outside, such as deployments, latest first',
    access: 'agent:read',
    narrowed: true,
    query: z.object({ ...pageQuery, ...changeFilters }),
    data: pageOf(Change),
  }),
  create: endpoint({
    method: 'POST',
    path: '/admin-api/change',
    summary: 'Report a change of hosts; with Idempotency-Key a repeated report counts once',
    access: 'change:write',
    body: ChangeDraft,
    bodyLimit: 1024 * 1024,
    data: ChangeReceipt,
    errors: ['idempotency_conflict'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/admin-api/change/{id}',
    summary: 'One change from outside, with all of its hosts',
    access: 'agent:read',
    narrowed: true,
    params: ById,
    data: Change,
    errors: ['not_found'],
  }),
  effects: endpoint({
    method: 'GET',
    path: '/admin-api/change/{id}/effects',
    summary: 'Errors that became new, more or less frequent on the hosts that made a change, but not on the others',
    access: 'errlog:read',
    params: ById,
    query: z.object({
      within: queryInt(600, 86_400)
        .default(3600)
        .meta({ description: 'Seconds to compare before and after the change; default 3600' }),
      wait: queryInt(0, 60)
        .default(0)
        .meta({ description: 'Longest wait for a settled verdict in seconds; default 0' }),
    }),
    data: ChangeEffects,
    errors: ['not_found'],
  }),
};
