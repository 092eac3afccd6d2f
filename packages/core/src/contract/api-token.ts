import * as z from 'zod';
import {
  ApiToken,
  ApiTokenChange,
  ApiTokenDraft,
  ApiTokenRevocation,
  ApiTokenRotation,
  ApiTokensRevoked,
  NewApiToken,
} from '../domain/api-token.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById, Detail } from '../domain/primitives.ts';
import { TokenExchange } from '../domain/trust.ts';
import { endpoint } from './endpoint.ts';

/** Fields that people edit. The time of the last change stands for those that are not shown. */
const EDITED = ['name', 'expire', 'scopes', 'allowed_cidrs', 'token_tail', '_modified_unix'];

/**
 * Fields that people write who mean `scopes`, `allowed_cidrs` or `expire`: without them the token has no limit. A
 * change has only the last, so the names of the others stand here too.
 */
const LIMIT_NAMES = ['scope*', 'cidr*', 'allowed*', 'expir*', 'exp', 'ttl'];

export const apiToken = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/api_token',
    summary: 'API tokens, newest first',
    unknownInput: 'ignored',
    access: 'api_token:read',
    query: z.object({ ...pageQuery, detail: Detail }),
    data: pageOf(ApiToken),
  }),
  self: endpoint({
    method: 'GET',
    path: '/admin-api/api_token/self',
    summary: 'The API token of this request, with all details',
    access: 'api_token',
    data: ApiToken,
    versioned: EDITED,
  }),
  removeSelf: endpoint({
    method: 'DELETE',
    path: '/admin-api/api_token/self',
    summary: 'Revoke the API token of this request',
    access: 'api_token',
    data: z.undefined(),
    versioned: EDITED,
    errors: ['precondition_failed'],
  }),
  revoke: endpoint({
    method: 'POST',
    path: '/admin-api/api_token/revoke',
    summary: 'Revoke leaked API tokens by their secrets',
    access: 'public',
    body: ApiTokenRevocation,
    data: ApiTokensRevoked,
    errors: ['too_many_requests'],
  }),
  exchange: endpoint({
    method: 'POST',
    path: '/admin-api/api_token/exchange',
    summary: 'Exchange the id token of a job for an API token of an hour, by a trust rule',
    access: 'public',
    body: TokenExchange,
    bodyLimit: 20_000,
    data: NewApiToken,
    carriesSecret: true,
    errors: ['credential_invalid', 'forbidden', 'token_limit_reached', 'too_many_requests', 'identity_unavailable'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/admin-api/api_token/{id}',
    summary: 'One API token',
    unknownInput: 'ignored',
    access: 'api_token:read',
    params: ById,
    query: z.object({ detail: Detail }),
    data: ApiToken,
    versioned: EDITED,
    errors: ['not_found'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/admin-api/api_token',
    summary: 'Create an API token; only this answer has its secret',
    unknownInput: 'ignored',
    limitNames: LIMIT_NAMES,
    access: 'api_token:write',
    body: ApiTokenDraft,
    data: NewApiToken,
    carriesSecret: true,
    errors: ['token_limit_reached'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/admin-api/api_token/{id}',
    summary: 'Rename an API token or change its expiry; extending an expired one reactivates it',
    unknownInput: 'ignored',
    limitNames: LIMIT_NAMES,
    access: 'api_token:write',
    params: ById,
    body: ApiTokenChange,
    data: z.undefined(),
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed', 'token_limit_reached'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/admin-api/api_token/{id}',
    summary: 'Revoke an API token',
    unknownInput: 'ignored',
    access: 'api_token:write',
    params: ById,
    data: z.undefined(),
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/admin-api/api_token/{id}/rotate',
    summary: 'Rotate the secret of an API token, optionally with a grace period for the old one',
    access: 'api_token:write',
    params: ById,
    body: ApiTokenRotation,
    data: NewApiToken,
    carriesSecret: true,
    errors: ['not_found'],
  }),
  disable: endpoint({
    method: 'POST',
    path: '/admin-api/api_token/{id}/disable',
    summary: 'Disable an API token',
    access: 'api_token:write',
    params: ById,
    data: z.undefined(),
    errors: ['not_found'],
  }),
  enable: endpoint({
    method: 'POST',
    path: '/admin-api/api_token/{id}/enable',
    summary: 'Enable a disabled API token',
    access: 'api_token:write',
    params: ById,
    data: z.undefined(),
    errors: ['not_found'],
  }),
};
