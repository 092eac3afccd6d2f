// The schema of kinds of channels. Apart from the channels, because rules name them and events name alerts.
import * as z from 'zod';
import { WEBHOOK_KINDS } from './webhook-kinds.ts';

/** Kind of a channel: the form of its messages. */
export const WebhookKind = z.enum(WEBHOOK_KINDS);
export type WebhookKind = z.infer<typeof WebhookKind>;
