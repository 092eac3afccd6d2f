// The dialogs of the API tokens as data: create, edit, extend, rotate, delete.

import { type Permission, permissionsOf } from '@quarterdeck/core/plain';
import type { ApiToken, NewApiToken } from '@quarterdeck/sdk';
import { doEach } from '../actions/each.ts';
import { confirmEach } from '../questions/confirm-each.ts';
import type { ConfirmDialog, Field, FormDialog, Problem, SecretDialog, Values } from '../questions/question.ts';
import type { QuestionContext } from '../questions/question-context.ts';
import { clean } from '../text/clean.ts';
import { plural } from '../text/format.ts';
import { createToken, narrowToken, removeToken, rotateToken, setTokenEnabled, updateToken } from './api-tokens.ts';
import { checkExpiry, EXPIRY_CHOICES, endText, expiryFields, expiryOf, expiryText } from './expiry.ts';
import { isInUse, tokenName } from './token-words.ts';

const NAME_MAX = 200;

function expiryPreview(values: Values, nowMs: number, current?: number): string {
  if (checkExpiry(values, nowMs) !== null) return '';
  const expire = expiryOf(values, nowMs) ?? current;
  if (expire === undefined) return '';
  return `It ${endText(expire, nowMs)}.`;
}

const checkName = ({ name = '' }: Values): Problem | null =>
  name.trim() === '' ? { field: 'name', text: 'Enter a name that says what it is for.' } : null;

/** The chosen permissions, in their order. */
const scopesOf = (values: Values): Permission[] =>
  Object.entries(values).flatMap(([name, value]) =>
    name.startsWith('scope ') && value === 'yes' ? [name.slice(6) as Permission] : [],
  );

const secretDialog = (token: NewApiToken, what: string): SecretDialog => ({
  kind: 'secret',
  title: `Secret of ${tokenName(token)}`,
  noun: 'token',
  lines: [what, 'It is shown only once. Store it before you close this dialog.'],
  secret: token.token,
});

export function createDialog({ client, me, now, refresh, select }: QuestionContext): FormDialog {
  const own = permissionsOf(me.role).filter((permission) => me.permissions.includes(permission));
  return {
    kind: 'form',
    title: 'New API token',
    submit: 'issue it',
    initial: { name: '', choice: '90', date: '', scoped: 'all', cidrs: '', sources: '' },
    fields: (values) => [
      { kind: 'text', name: 'name', label: 'Name', max: NAME_MAX, hint: 'what it is for' },
      ...expiryFields(values, EXPIRY_CHOICES),
      {
        kind: 'choice',
        name: 'scoped',
        label: 'Permissions',
        options: [
          { value: 'all', label: 'all of mine' },
          { value: 'some', label: 'selected ones' },
        ],
      },
      ...(values['scoped'] === 'some'
        ? own.map((permission): Field => ({ kind: 'check', name: `scope ${permission}`, label: '', text: permission }))
        : []),
      {
        kind: 'text',
        name: 'cidrs',
        label: 'Allowed from',
        max: 500,
        hint: 'any address; or 192.0.2.0/24, 2001:db8::/32',
      },
      {
        kind: 'text',
        name: 'sources',
        label: 'Sees sources',
        max: 4096,
        hint: 'all of mine; or host:web* label:site=north',
      },
    ],
    check: (values) =>
      checkName(values) ??
      checkExpiry(values, now()) ??
      (values['scoped'] === 'some' && scopesOf(values).length === 0
        ? { field: 'scoped', text: 'Choose at least one permission.' }
        : null),
    preview: (values) => [expiryPreview(values, now())],
    async run(values) {
      const cidrs = (values['cidrs'] ?? '').split(/[\s,]+/).filter((part) => part !== '');
      const sources = (values['sources'] ?? '').trim();
      const token = await createToken(client, {
        name: (values['name'] ?? '').trim(),
        expire: expiryOf(values, now()) ?? 0,
        ...(values['scoped'] === 'some' ? { scopes: scopesOf(values) } : {}),
        ...(cidrs.length === 0 ? {} : { allowed_cidrs: cidrs }),
        ...(sources === '' ? {} : { errlog_filter: sources }),
      });
      refresh();
      select(token.id);
      return secretDialog(token, 'The new token is ready.');
    },
  };
}

/** Renames a token or changes its expiry. */
export function editDialog(token: ApiToken, { client, now, refresh, recordUndo }: QuestionContext): FormDialog {
  return {
    kind: 'form',
    title: `Change ${tokenName(token)}`,
    submit: 'save it',
    initial: { name: token.name, choice: 'keep', date: '' },
    fields: (values) => [
      { kind: 'text', name: 'name', label: 'Name', max: NAME_MAX },
      ...expiryFields(values, [{ value: 'keep', label: 'unchanged' }, ...EXPIRY_CHOICES]),
    ],
    check: (values) => checkName(values) ?? checkExpiry(values, now()),
    preview: (values) => [expiryPreview(values, now(), token.expire)],
    async run(values) {
      const expire = expiryOf(values, now());
      const name = (values['name'] ?? '').trim();
      await updateToken(client, token.id, { name, ...(expire === undefined ? {} : { expire }) });
      refresh();
      const before = { name: token.name, ...(expire === undefined ? {} : { expire: token.expire }) };
      return recordUndo(`Changed ${clean(name)}.`, () => updateToken(client, token.id, before).finally(refresh));
    },
  };
}

export function extendDialog(tokens: readonly ApiToken[], { client, now, refresh }: QuestionContext): FormDialog {
  const names = tokens.map(tokenName).join(', ');
  return {
    kind: 'form',
    title: tokens.length === 1 ? `Extend ${names}` : `Extend ${plural(tokens.length, 'token')}`,
    submit: 'extend',
    initial: { choice: '90', date: '' },
    fields: (values) => expiryFields(values, EXPIRY_CHOICES),
    check: (values) => checkExpiry(values, now()),
    preview: (values) => [expiryPreview(values, now()), ...(tokens.length === 1 ? [] : [names])],
    async run(values) {
      const expire = expiryOf(values, now()) ?? 0;
      const result = await doEach(tokens, ({ id }) => updateToken(client, id, { expire }), {
        done: 'Extended',
        noun: 'token',
        name: tokenName,
      });
      refresh();
      return result;
    },
  };
}

const GRACES = [
  { value: '0', label: 'no' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

/** Rotates the secret of a token. */
export function rotateDialog(token: ApiToken, { client, me, now, refresh }: QuestionContext): FormDialog {
  return {
    kind: 'form',
    title: `New secret for ${tokenName(token)}`,
    submit: 'create it',
    initial: { grace: '86400' },
    fields: () => [{ kind: 'choice', name: 'grace', label: 'Keep old secret', options: GRACES }],
    preview: ({ grace = '0' }) => [
      grace === '0'
        ? 'The old secret stops working at once.'
        : `The old secret works until ${expiryText(now() + Number(grace) * 1000, now())}.`,
      ...(isInUse(token, me) ? ['This dashboard uses the token and will need the new secret.'] : []),
    ],
    async run({ grace = '0' }) {
      const rotated = await rotateToken(client, token.id, Number(grace));
      refresh();
      return secretDialog(rotated, 'The new secret is ready.');
    },
  };
}

/** Shows the permissions that a token does not use, and takes them away. */
export async function narrowDialog(token: ApiToken, context: QuestionContext): Promise<ConfirmDialog> {
  const { client } = context;
  const { scopes, removed } = await narrowToken(client, token.id, true);
  const words = { verb: 'Narrow', done: 'Narrowed', noun: 'token', kind: 'API token', name: tokenName };
  const list = (names: readonly string[]) => (names.length === 0 ? 'none' : clean(names.join(', ')));
  return {
    ...confirmEach([token], words, context, ({ id }) => narrowToken(client, id, false)),
    lines: [
      tokenName(token),
      `Keeps: ${list(scopes)}`,
      `Loses: ${list(removed)}`,
      'Calls that need a lost permission are refused at once. Scopes of a token do not grow again.',
    ],
  };
}

/** Disables tokens, or enables them. */
export function toggleDialog(tokens: readonly ApiToken[], enable: boolean, context: QuestionContext): ConfirmDialog {
  const { client, me } = context;
  const verbs = enable ? { verb: 'Enable', done: 'Enabled' } : { verb: 'Disable', done: 'Disabled' };
  const words = { ...verbs, noun: 'token', kind: 'API token', name: tokenName };
  const dialog = confirmEach(tokens, words, context, ({ id }) => setTokenEnabled(client, id, enable));
  return {
    ...dialog,
    typed: enable ? undefined : dialog.typed,
    lines: [
      ...tokens.map(tokenName),
      enable ? 'Requests with these secrets are accepted again.' : 'Requests with these secrets are refused at once.',
    ],
    warning:
      !enable && tokens.some((token) => isInUse(token, me))
        ? 'This dashboard uses it: you will be signed out.'
        : undefined,
  };
}

export function removeDialog(tokens: readonly ApiToken[], context: QuestionContext): ConfirmDialog {
  const { client, me, now } = context;
  const words = { verb: 'Delete', done: 'Deleted', noun: 'token', kind: 'API token', name: tokenName };
  return {
    ...confirmEach(tokens, words, context, ({ id }) => removeToken(client, id)),
    lines: [
      ...tokens.map((token) => {
        const owner = token.username === undefined ? '' : ` of ${clean(token.username)}`;
        return `${tokenName(token)}${owner}, ${endText(token.expire, now())}.`;
      }),
      `${tokens.length === 1 ? 'It stops' : 'They stop'} working at once. This cannot be undone.`,
    ],
    warning: tokens.some((token) => isInUse(token, me)) ? 'This dashboard uses it: you will be signed out.' : undefined,
  };
}
