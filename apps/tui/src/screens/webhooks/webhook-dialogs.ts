// The dialogs of the channels as data: create, edit, rotate, test, toggle, delete.
import type { NewWebhook, Webhook } from '@quarterdeck/core';
import { confirmEach, type QuestionContext, type SecretDialog } from '@quarterdeck/views/questions';
import { clean, grouped, momentText, plural } from '@quarterdeck/views/text';
import type { ConfirmDialog, FormDialog } from '../../context/dialog.ts';
import {
  NEW_WEBHOOK,
  readWebhook,
  readWebhookChange,
  webhookFields,
  webhookMeaning,
  webhookValues,
} from './webhook-form.ts';
import { webhookName } from './webhooks-view.ts';

/** Shows the secret of a channel; a sentence for a kind without one. */
function secretDialog(webhook: NewWebhook, done: string): SecretDialog | string {
  if (webhook.secret === null) return `${done} ${webhookName(webhook)}.`;
  return {
    kind: 'secret',
    title: `Secret of ${webhookName(webhook)}`,
    noun: 'secret',
    lines: [
      'The receiver verifies the signature of each message with it (Standard Webhooks).',
      'It is shown only once. Store it before you close this dialog.',
    ],
    secret: webhook.secret,
  };
}

export const createDialog = ({ client, refresh, select }: QuestionContext): FormDialog => ({
  kind: 'form',
  title: 'New channel',
  submit: 'create it',
  initial: NEW_WEBHOOK,
  fields: (values) => webhookFields(values, true),
  check(values) {
    const draft = readWebhook(values);
    return 'field' in draft ? draft : null;
  },
  preview: webhookMeaning,
  async run(values) {
    const draft = readWebhook(values);
    if ('field' in draft) return undefined;
    const webhook = await client.webhook.create({ body: draft });
    refresh();
    select(webhook.id);
    return secretDialog(webhook, 'Created');
  },
});

export const editDialog = (webhook: Webhook, { client, refresh }: QuestionContext): FormDialog => ({
  kind: 'form',
  title: `Change ${webhookName(webhook)} (${webhook.kind})`,
  submit: 'save it',
  initial: webhookValues(webhook),
  fields: (values) => webhookFields(values, false),
  check(values) {
    const change = readWebhookChange(values);
    return 'field' in change ? change : null;
  },
  preview: webhookMeaning,
  async run(values) {
    const change = readWebhookChange(values);
    if ('field' in change) return undefined;
    await client.webhook.update({ params: { id: webhook.id }, body: change });
    refresh();
    return `Changed ${clean(change.name ?? webhook.name)}.`;
  },
});

const GRACES = [
  { value: '0', label: 'no' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

/** Gives a channel a new secret. */
export const rotateDialog = (webhook: Webhook, { client, now, refresh }: QuestionContext): FormDialog => ({
  kind: 'form',
  title: `New secret for ${webhookName(webhook)}`,
  submit: 'create it',
  initial: { grace: '86400' },
  fields: () => [{ kind: 'choice', name: 'grace', label: 'Keep old secret', options: GRACES }],
  preview: ({ grace = '0' }) => [
    grace === '0'
      ? 'Messages are signed with the new secret only, at once.'
      : `Messages are signed with both secrets until ${momentText(now() / 1000 + Number(grace), now())}.`,
  ],
  async run({ grace = '0' }) {
    const rotated = await client.webhook.rotate({ params: { id: webhook.id }, body: { grace: Number(grace) } });
    refresh();
    return secretDialog(rotated, 'Rotated');
  },
});

/** Disables channels, or enables them. */
export function toggleDialog(webhooks: readonly Webhook[], enable: boolean, context: QuestionContext): ConfirmDialog {
  const verbs = enable ? { verb: 'Enable', done: 'Enabled' } : { verb: 'Disable', done: 'Disabled' };
  return {
    ...confirmEach(webhooks, { ...verbs, noun: 'channel', name: webhookName }, context, ({ id }) =>
      context.client.webhook.update({ params: { id }, body: { enabled: enable } }),
    ),
    typed: undefined,
    lines: [
      ...webhooks.map(webhookName),
      enable ? 'It gets the messages from now on.' : 'It gets no messages while it is disabled.',
    ],
  };
}

export function removeDialog(webhooks: readonly Webhook[], context: QuestionContext): ConfirmDialog {
  const rules = webhooks.reduce((sum, webhook) => sum + webhook.rules, 0);
  return {
    ...confirmEach(
      webhooks,
      { verb: 'Delete', done: 'Deleted', noun: 'channel', name: webhookName },
      context,
      ({ id }) => context.client.webhook.remove({ params: { id } }),
    ),
    lines: [
      ...webhooks.map((webhook) => `${webhookName(webhook)}, ${grouped(webhook.waiting)} waiting.`),
      'Its deliveries are deleted too, also those that wait. This cannot be undone.',
    ],
    warning: rules > 0 ? `${plural(rules, 'rule')} will no longer send to it.` : undefined,
  };
}
