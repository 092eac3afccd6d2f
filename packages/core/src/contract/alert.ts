import * as z from 'zod';
import {
  Alert,
  AlertChannel,
  AlertPreview,
  AlertRule,
  AlertRuleChange,
  AlertRuleDraft,
  AlertRuleTrial,
  AlertTest,
  alertFilters,
} from '../domain/alert.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

/** Fields that people edit. */
const EDITED = ['name', 'enabled', 'when', 'filter', 'for', 'cooldown', 'channels', 'modified'];

export const alert = {
  instances: endpoint({
    method: 'GET',
    path: '/admin-api/alert/instance',
    summary: 'Alerts that rules have found and that the caller may read, newest first',
    access: 'alert:read',
    query: z.object({ ...pageQuery, ...alertFilters }),
    data: pageOf(Alert),
  }),
  channels: endpoint({
    method: 'GET',
    path: '/admin-api/alert/channel',
    summary: 'Channels that rules can name, by name',
    access: 'alert:read',
    query: z.object(pageQuery),
    data: pageOf(AlertChannel),
  }),
  preview: endpoint({
    method: 'POST',
    path: '/admin-api/alert/preview',
    summary: 'Count the times a rule would have fired in the last 24 hours',
    access: 'alert:write',
    body: AlertRuleTrial,
    data: AlertPreview,
  }),
  list: endpoint({
    method: 'GET',
    path: '/admin-api/alert',
    summary: 'Rules of alerts, newest first',
    access: 'alert:read',
    query: z.object(pageQuery),
    data: pageOf(AlertRule),
  }),
  create: endpoint({
    method: 'POST',
    path: '/admin-api/alert',
    summary: 'Create a rule; it tells what happens from now on',
    access: 'alert:write',
    body: AlertRuleDraft,
    data: AlertRule,
    errors: ['conflict'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/admin-api/alert/{id}',
    summary: 'One rule',
    access: 'alert:read',
    params: ById,
    data: AlertRule,
    versioned: EDITED,
    errors: ['not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/admin-api/alert/{id}',
    summary: 'Change a rule',
    access: 'alert:write',
    params: ById,
    body: AlertRuleChange,
    data: AlertRule,
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/admin-api/alert/{id}',
    summary: 'Delete a rule with its alerts; no messages are sent of their ends',
    access: 'alert:write',
    params: ById,
    data: z.undefined(),
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
  test: endpoint({
    method: 'POST',
    path: '/admin-api/alert/{id}/test',
    summary: 'Send a test message to the channels of a rule',
    access: 'alert:write',
    params: ById,
    data: AlertTest,
    errors: ['not_found', 'conflict'],
  }),
};
