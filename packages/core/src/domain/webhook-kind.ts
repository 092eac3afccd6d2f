// Kinds of channels. Apart from the channels, because rules name them and events name alerts.
import * as z from 'zod';

/**
 * Form of the messages. `standard`: Standard Webhooks, signed. `slack`, `teams`: their incoming webhooks.
 * `alertmanager`: the API of Prometheus Alertmanager, version 2. `email`: SMTP.
 */
export const WEBHOOK_KINDS = ['standard', 'slack', 'teams', 'alertmanager', 'email'] as const;
export const WebhookKind = z.enum(WEBHOOK_KINDS);
export type WebhookKind = z.infer<typeof WebhookKind>;

/** Kinds whose whole address is a secret: who knows it may post. Answers have its origin alone. */
export const SECRET_ADDRESSES: readonly WebhookKind[] = ['slack', 'teams'];
