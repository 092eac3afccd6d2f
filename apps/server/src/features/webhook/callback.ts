// Acknowledgements that come back from PagerDuty by its V3 webhooks
// (https://developer.pagerduty.com/docs/webhooks-overview), signed with the signing secret of the subscription.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@quarterdeck/core';
import { z } from 'zod';
import { wasSentAs } from './delivery.repo.ts';
import type { CallbackNeeds } from './needs.ts';
import { alertOfKey } from './transports/message-data.ts';
import { oneLine } from './transports/message-text.ts';
import { findWebhook } from './webhook.repo.ts';
import { openSettings } from './webhook.secrets.ts';

/** An event of PagerDuty, as far as it matters here. */
const Callback = z.object({
  event: z.object({
    event_type: z.string(),
    occurred_at: z.iso.datetime({ offset: true }),
    agent: z.object({ summary: z.string().nullish() }).nullish(),
    data: z.object({ incident_key: z.string().nullish() }).nullish(),
  }),
});

/** PagerDuty repeats an event for less than this time. An older one was recorded by somebody, and is sent again. */
const FRESH_MS = 86_400_000;
const BY_MAX = 80;
const SIGNATURE = /^v1=([0-9a-f]{64})$/;

/** A request to the callback of a channel. */
export interface CallbackRequest {
  readonly id: number;
  /** Header `X-PagerDuty-Signature`: one signature for each secret of a rotation. */
  readonly signature: string | undefined;
  readonly body: Buffer;
}

export type ReceiveCallback = (request: CallbackRequest) => Promise<void>;

/** True where one of the signatures of a header is that of the body. */
function isSigned(body: Buffer, header: string, secret: string): boolean {
  const own = createHmac('sha256', secret).update(body).digest();
  return header.split(',').some((part) => {
    const [, hex] = SIGNATURE.exec(part.trim()) ?? [];
    return hex !== undefined && timingSafeEqual(Buffer.from(hex, 'hex'), own);
  });
}

/** Creates the function that receives requests. */
export function createCallback({ db, key, now, acknowledgeAlert }: CallbackNeeds): ReceiveCallback {
  return async ({ id, signature = '', body }) => {
    const row = await findWebhook(db.read, id);
    const { callback_secret: secret } = row === undefined ? {} : openSettings(key, row);
    // One answer for all of them: it says nothing about the channels that there are.
    if (row === undefined || secret === undefined || !isSigned(body, signature, secret)) {
      throw new AppError('not_found', { message: 'There is no channel with this id and this signature.' });
    }
    const parsed = Callback.safeParse(readJson(body));
    if (!parsed.success || !row.enabled) return;
    const { event_type: type, occurred_at: occurred, agent, data } = parsed.data.event;
    const isFresh = Math.abs(now() - Date.parse(occurred)) < FRESH_MS;
    if (type !== 'incident.acknowledged' || !isFresh) return;
    const incident = data?.incident_key ?? '';
    const alertId = alertOfKey(incident);
    if (alertId === undefined || !(await wasSentAs(db.read, id, alertId, incident))) return;
    const name = oneLine(agent?.summary ?? '', BY_MAX);
    await acknowledgeAlert(db, alertId, name === '' ? 'PagerDuty' : `${name} (PagerDuty)`, now());
  };
}

/** JSON of a signed body; undefined where it is none. */
function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
