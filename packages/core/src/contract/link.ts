import * as z from 'zod';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById, PathId } from '../domain/primitives.ts';
import { NewSharedLink, SharedLink, SharedLinkDraft } from '../domain/shared-link.ts';
import { endpoint } from './endpoint.ts';

const Query = z.object(pageQuery);
const ByLink = z.object({ id: PathId, link: PathId });

/** Read-only links to one alert or to one group of errors. */
export const link = {
  createForAlert: endpoint({
    method: 'POST',
    path: '/admin-api/alert/instance/{id}/link',
    summary: 'Make a link that shows this alert to whoever has it, and nothing else',
    access: 'alert:write',
    narrowed: true,
    params: ById,
    body: SharedLinkDraft,
    data: NewSharedLink,
    carriesSecret: true,
    errors: ['not_found', 'conflict'],
  }),
  ofAlert: endpoint({
    method: 'GET',
    path: '/admin-api/alert/instance/{id}/link',
    summary: 'Links to an alert that have not ended, newest first',
    access: 'alert:write',
    narrowed: true,
    params: ById,
    query: Query,
    data: pageOf(SharedLink),
    errors: ['not_found'],
  }),
  removeOfAlert: endpoint({
    method: 'DELETE',
    path: '/admin-api/alert/instance/{id}/link/{link}',
    summary: 'Revoke a link to an alert',
    access: 'alert:write',
    narrowed: true,
    params: ByLink,
    data: z.undefined(),
    errors: ['not_found'],
  }),
  createForError: endpoint({
    method: 'POST',
    path: '/admin-api/log_server/errlog/{id}/link',
    summary: 'Make a link that shows this group of errors, with its lines and the changes before it, to whoever has it',
    access: 'errlog:manage',
    narrowed: true,
    params: ById,
    body: SharedLinkDraft,
    data: NewSharedLink,
    carriesSecret: true,
    errors: ['not_found', 'conflict'],
  }),
  ofError: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/{id}/link',
    summary: 'Links to a group of errors that have not ended, newest first',
    access: 'errlog:manage',
    narrowed: true,
    params: ById,
    query: Query,
    data: pageOf(SharedLink),
    errors: ['not_found'],
  }),
  removeOfError: endpoint({
    method: 'DELETE',
    path: '/admin-api/log_server/errlog/{id}/link/{link}',
    summary: 'Revoke a link to a group of errors',
    access: 'errlog:manage',
    narrowed: true,
    params: ByLink,
    data: z.undefined(),
    errors: ['not_found'],
  }),
};
