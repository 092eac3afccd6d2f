import * as z from 'zod';
import { PAGE_SIZE_DEFAULT, pageOf, pageQuery } from '../domain/page.ts';
import { ById, queryInt } from '../domain/primitives.ts';
import {
  DELIVERY_PAGE_MAX,
  DeliveryState,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDraft,
  WebhookRotation,
} from '../domain/webhook.ts';
import { endpoint } from './endpoint.ts';

/** Fields that people edit. The time of the last change stands for the parts that are not shown. */
const EDITED = ['name', 'url', 'to', 'types', 'filter', 'enabled', 'prefix', 'parts', 'chat', 'modified'];

export const webhook = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/webhook',
    summary: 'Channels, newest first',
    access: 'webhook:manage',
    query: z.object(pageQuery),
    data: pageOf(Webhook),
  }),
  get: endpoint({
    method: 'GET',
    path: '/admin-api/webhook/{id}',
    summary: 'One channel',
    access: 'webhook:manage',
    params: ById,
    data: Webhook,
    versioned: EDITED,
    errors: ['not_found'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/admin-api/webhook',
    summary: 'Create a channel; only this answer has its secret',
    access: 'webhook:manage',
    body: WebhookDraft,
    data: NewWebhook,
    carriesSecret: true,
    errors: ['webhook_address_not_allowed', 'conflict'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/admin-api/webhook/{id}',
    summary: 'Change a channel; what waits is tried again soon after',
    access: 'webhook:manage',
    params: ById,
    body: WebhookChange,
    data: Webhook,
    versioned: EDITED,
    errors: ['not_found', 'webhook_address_not_allowed', 'precondition_failed'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/admin-api/webhook/{id}',
    summary: 'Delete a channel with its deliveries',
    access: 'webhook:manage',
    params: ById,
    data: z.undefined(),
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/admin-api/webhook/{id}/rotate',
    summary: 'Replace the secret of a channel, optionally with a time in which both sign',
    access: 'webhook:manage',
    params: ById,
    body: WebhookRotation,
    data: NewWebhook,
    carriesSecret: true,
    errors: ['not_found', 'conflict'],
  }),
  test: endpoint({
    method: 'POST',
    path: '/admin-api/webhook/{id}/test',
    summary: 'Queue a test message to a channel, and try what waits now',
    access: 'webhook:manage',
    params: ById,
    data: WebhookDelivery,
    errors: ['not_found', 'conflict'],
  }),
  deliveries: endpoint({
    method: 'GET',
    path: '/admin-api/webhook/{id}/delivery',
    summary: 'Deliveries of a channel, newest first',
    access: 'webhook:manage',
    params: ById,
    query: z.object({
      ...pageQuery,
      page_size: queryInt(0, DELIVERY_PAGE_MAX)
        .default(PAGE_SIZE_DEFAULT)
        .meta({ description: `Default ${PAGE_SIZE_DEFAULT}; 0 returns the count alone` }),
      state: DeliveryState.optional(),
    }),
    data: pageOf(WebhookDelivery),
    errors: ['not_found'],
  }),
  delivery: endpoint({
    method: 'GET',
    path: '/admin-api/webhook/delivery/{id}',
    summary: 'A delivery with the outcome of its last attempt',
    access: 'webhook:manage',
    params: ById,
    data: WebhookDelivery,
    errors: ['not_found'],
  }),
  redeliver: endpoint({
    method: 'POST',
    path: '/admin-api/webhook/delivery/{id}/redeliver',
    summary: 'Send a delivered or dead message again, with the same message id',
    access: 'webhook:manage',
    params: ById,
    data: WebhookDelivery,
    errors: ['not_found', 'conflict'],
  }),
};
