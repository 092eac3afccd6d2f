import * as z from 'zod';
import { Identity, IdentityDraft } from '../domain/identity.ts';
import { pageOf } from '../domain/page.ts';
import { ById, PathId } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

/** People of providers who sign in as a user. */
export const identity = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/user/{id}/identity',
    summary: 'People of providers who sign in as a user',
    access: 'user:read',
    params: ById,
    data: pageOf(Identity),
    errors: ['not_found'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/admin-api/user/{id}/identity',
    summary: 'Let a person of a provider sign in as a user',
    access: 'confirmed user:write',
    params: ById,
    body: IdentityDraft,
    data: Identity,
    errors: ['not_found', 'conflict'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/admin-api/user/{id}/identity/{identity_id}',
    summary: 'End the link of a person of a provider to a user, and the sessions that it opened',
    access: 'confirmed user:write',
    params: ById.extend({ identity_id: PathId }),
    data: z.undefined(),
    errors: ['not_found'],
  }),
};
