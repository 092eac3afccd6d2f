import { z } from 'zod';
import { ApiToken, ApiTokenChange, ApiTokenDraft, NewApiToken } from '../domain/api-token.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById, Detail } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

export const apiToken = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/api_token',
    summary: 'API tokens, newest first',
    access: 'api_token:read',
    query: z.object({ ...pageQuery, detail: Detail }),
    data: pageOf(ApiToken),
  }),
  get: endpoint({
    method: 'GET',
    path: '/admin-api/api_token/{id}',
    summary: 'One API token',
    access: 'api_token:read',
    params: ById,
    query: z.object({ detail: Detail }),
    data: ApiToken,
    errors: ['not_found'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/admin-api/api_token',
    summary: 'Issue an API token; its secret is in this answer and nowhere else',
    access: 'api_token:write',
    body: ApiTokenDraft,
    data: NewApiToken,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/admin-api/api_token/{id}',
    summary: 'Rename an API token or change its expiry; extending an expired one revives it',
    access: 'api_token:write',
    params: ById,
    body: ApiTokenChange,
    data: z.undefined(),
    errors: ['not_found'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/admin-api/api_token/{id}',
    summary: 'Revoke an API token',
    access: 'api_token:write',
    params: ById,
    data: z.undefined(),
    errors: ['not_found'],
  }),
};
