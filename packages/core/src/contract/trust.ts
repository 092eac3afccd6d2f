import * as z from 'zod';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById } from '../domain/primitives.ts';
import { TrustRule, TrustRuleChange, TrustRuleDraft } from '../domain/trust.ts';
import { endpoint } from './endpoint.ts';

/** Fields that people edit. */
const EDITED = ['name', 'issuer', 'audience', 'subject', 'scopes', 'allowed_cidrs', 'modified'];

/** Trust rules: who gets an API token for an id token. */
export const trust = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/trust',
    summary: 'Trust rules, newest first',
    access: 'api_token:manage',
    query: z.object(pageQuery),
    data: pageOf(TrustRule),
  }),
  create: endpoint({
    method: 'POST',
    path: '/admin-api/trust',
    summary: 'Let jobs of an issuer of OpenID Connect exchange their id tokens for API tokens',
    access: 'api_token:manage',
    body: TrustRuleDraft,
    data: TrustRule,
  }),
  get: endpoint({
    method: 'GET',
    path: '/admin-api/trust/{id}',
    summary: 'One trust rule',
    access: 'api_token:manage',
    params: ById,
    data: TrustRule,
    versioned: EDITED,
    errors: ['not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/admin-api/trust/{id}',
    summary: 'Change a trust rule; the tokens that it has given end',
    access: 'api_token:manage',
    params: ById,
    body: TrustRuleChange,
    data: TrustRule,
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/admin-api/trust/{id}',
    summary: 'Delete a trust rule; the tokens that it has given end',
    access: 'api_token:manage',
    params: ById,
    data: z.undefined(),
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
};
