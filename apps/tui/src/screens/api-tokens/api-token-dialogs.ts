// The dialogs of the API tokens: a new one, a change, a new secret, the end. As data; the dialogs ask.
import { type Permission, permissionsOf } from '@quarterdeck/core';
import type { ApiToken, Client, Me, NewApiToken } from '@quarterdeck/sdk';
import type { ConfirmDialog, FormDialog, Problem, SecretDialog, Values } from '../../components/dialog/dialog.ts';
import type { Field } from '../../components/form/form-state.ts';
import { createToken, removeToken, rotateToken, updateToken } from '../../data/api-tokens.ts';
import { doEach } from '../../data/each.ts';
import type { Profile } from '../../profiles/profile.ts';
import { clean } from '../../text/clean.ts';
import { plural } from '../../text/format.ts';
import { isInUse, tokenName } from './api-tokens-view.ts';
import { EXPIRY_CHOICES, expiryText, readExpiry } from './expiry.ts';

const NAME_MAX = 200;

/** What the dialogs need. */
export interface TokenActions {
  readonly client: Client;
  readonly me: Me;
  readonly profile: Profile;
  readonly now: () => number;
  readonly refresh: () => void;
}

const expiryFields = (values: Values, options: readonly { value: string; label: string }[]): Field[] => [
  { kind: 'choice', name: 'choice', label: 'Expires', options },
  ...(values['choice'] === 'date'
    ? [{ kind: 'text' as const, name: 'date', label: 'On', max: 10, hint: 'YYYY-MM-DD, at the end of that day' }]
    : []),
];

const expiryOf = (values: Values, nowMs: number) => readExpiry(values['choice'] ?? '', values['date'] ?? '', nowMs);

function expiryPreview(values: Values, nowMs: number, current?: number): string {
  const expiry = expiryOf(values, nowMs);
  const expire = 'problem' in expiry ? undefined : (expiry.expire ?? current);
  if (expire === undefined) return '';
  return expire === 0 ? 'It never expires.' : `It expires ${expiryText(expire, nowMs)}.`;
}

function checkExpiry(values: Values, nowMs: number): Problem | null {
  const expiry = expiryOf(values, nowMs);
  return 'problem' in expiry ? { field: 'date', text: expiry.problem } : null;
}

const checkName = ({ name = '' }: Values): Problem | null =>
  name.trim() === '' ? { field: 'name', text: 'Enter a name that says what it is for.' } : null;

/** What a scope lets through, in the order of the permissions. */
const scopesOf = (values: Values): Permission[] =>
  Object.entries(values).flatMap(([name, value]) =>
    name.startsWith('scope ') && value === 'yes' ? [name.slice(6) as Permission] : [],
  );

const secretDialog = (token: NewApiToken, what: string): SecretDialog => ({
  kind: 'secret',
  title: `Secret of ${tokenName(token)}`,
  lines: [what, 'It is shown only once. Store it before you close this dialog.'],
  secret: token.token,
});

/** Issues a token. */
export function createDialog({ client, me, now, refresh }: TokenActions): FormDialog {
  const own = permissionsOf(me.role).filter((permission) => me.permissions.includes(permission));
  return {
    kind: 'form',
    title: 'New API token',
    submit: 'issue it',
    initial: { name: '', choice: '90', date: '', scoped: 'all', cidrs: '' },
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
    ],
    check: (values) =>
      checkName(values) ??
      checkExpiry(values, now()) ??
      (values['scoped'] === 'some' && scopesOf(values).length === 0
        ? { field: 'scoped', text: 'Choose at least one permission.' }
        : null),
    preview: (values) => [expiryPreview(values, now())],
    async run(values) {
      const expiry = expiryOf(values, now());
      const cidrs = (values['cidrs'] ?? '').split(/[\s,]+/).filter((part) => part !== '');
      const token = await createToken(client, {
        name: (values['name'] ?? '').trim(),
        expire: 'problem' in expiry ? 0 : (expiry.expire ?? 0),
        ...(values['scoped'] === 'some' ? { scopes: scopesOf(values) } : {}),
        ...(cidrs.length === 0 ? {} : { allowed_cidrs: cidrs }),
      });
      refresh();
      return secretDialog(token, 'The new token is ready.');
    },
  };
}

/** Renames a token or changes its end. */
export function editDialog(token: ApiToken, { client, now, refresh }: TokenActions): FormDialog {
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
      const expiry = expiryOf(values, now());
      const expire = 'problem' in expiry ? undefined : expiry.expire;
      const name = (values['name'] ?? '').trim();
      await updateToken(client, token.id, { name, ...(expire === undefined ? {} : { expire }) });
      refresh();
      return `Changed ${clean(name)}.`;
    },
  };
}

/** Gives tokens a later end. */
export function extendDialog(tokens: readonly ApiToken[], { client, now, refresh }: TokenActions): FormDialog {
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
      const expiry = expiryOf(values, now());
      const expire = 'problem' in expiry ? 0 : (expiry.expire ?? 0);
      const said = await doEach(tokens, ({ id }) => updateToken(client, id, { expire }), {
        done: 'Extended',
        noun: 'token',
        name: tokenName,
      });
      refresh();
      return said;
    },
  };
}

const GRACES = [
  { value: '0', label: 'no' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

/** Gives a token a new secret. */
export function rotateDialog(token: ApiToken, { client, me, now, refresh }: TokenActions): FormDialog {
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

/** Deletes tokens. */
export function removeDialog(
  tokens: readonly ApiToken[],
  { client, me, profile, now, refresh }: TokenActions,
): ConfirmDialog {
  const [first] = tokens;
  const one = tokens.length === 1 && first !== undefined;
  return {
    kind: 'confirm',
    title: one ? 'Delete this API token?' : `Delete ${plural(tokens.length, 'API token')}?`,
    lines: [
      ...tokens.map((token) => {
        const owner = token.username === undefined ? '' : ` of ${clean(token.username)}`;
        const ends = token.expire === 0 ? 'never expires' : `expires ${expiryText(token.expire, now())}`;
        return `${tokenName(token)}${owner}, ${ends}.`;
      }),
      tokens.length === 1
        ? 'It stops working at once. This cannot be undone.'
        : 'They stop working at once. This cannot be undone.',
    ],
    warning: tokens.some((token) => isInUse(token, me)) ? 'This dashboard uses it: you will be signed out.' : undefined,
    yes: one ? 'Delete it' : 'Delete them',
    typed: profile.isProtected ? (one ? tokenName(first) : `${tokens.length} tokens`) : undefined,
    async run() {
      const said = await doEach(tokens, ({ id }) => removeToken(client, id), {
        done: 'Deleted',
        noun: 'token',
        name: tokenName,
      });
      refresh();
      return `${said} It is refused from now on.`;
    },
  };
}
