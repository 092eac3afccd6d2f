// The dialogs of the users as data: create, edit, password, policy, and destructive changes.

import { PASSWORD_LENGTH, ROLE_NAMES, type Role, type User, type UserChange, type UserPolicy } from '@quarterdeck/core';
import type { Me } from '@quarterdeck/sdk';
import type { Field, QuestionContext } from '@quarterdeck/views/questions';
import { clean } from '@quarterdeck/views/text';
import { checkPassword } from '@quarterdeck/views/users';
import { choiceField, textField } from '../../components/form/fields.ts';
import type { ConfirmDialog, FormDialog } from '../../context/dialog.ts';

const ROLE_FIELD = choiceField('role', 'Role', ROLE_NAMES);
const SOURCES_FIELD = textField('sources', 'Sees sources', 4096, 'all; or host:web* label:site=north -service:pay');
const passwordFields = (label: string): Field[] => [
  { kind: 'text', name: 'password', label, masked: true, max: 256 },
  { kind: 'text', name: 'again', label: 'Again', masked: true, max: 256 },
];

const isMe = (user: User, me: Me): boolean => user.id === me.id;

export function createDialog({ client, refresh, select }: QuestionContext): FormDialog {
  return {
    kind: 'form',
    title: 'New user',
    submit: 'create it',
    initial: { username: '', role: 'viewer', sources: '', password: '', again: '' },
    fields: () => [
      { kind: 'text', name: 'username', label: 'Username', max: 100, hint: 'letters, digits, . _ @ -' },
      ROLE_FIELD,
      SOURCES_FIELD,
      ...passwordFields('Password'),
    ],
    check: (values) =>
      (values['username'] ?? '') === ''
        ? { field: 'username', text: 'Enter a username.' }
        : checkPassword(values, false),
    preview: () => [`At least ${PASSWORD_LENGTH.min} characters; nobody can read it again.`],
    async run({ username = '', role = 'viewer', sources = '', password = '' }) {
      const ofSources = sources.trim() === '' ? {} : { errlog_filter: sources.trim() };
      const { id } = await client.user.create({ body: { username, role: role as Role, password, ...ofSources } });
      refresh();
      select(id);
      return `Created ${clean(username)}, ${role}.`;
    },
  };
}

/** Renames a user or changes the role or the sources. */
export function editDialog(user: User, { client, me, refresh, recordUndo }: QuestionContext): FormDialog {
  const { errlog_filter: filter = '' } = user;
  const update = (body: UserChange): Promise<unknown> =>
    client.user.update({ params: { id: user.id }, body }).finally(refresh);
  return {
    kind: 'form',
    title: `Change ${clean(user.username)}`,
    submit: 'save it',
    initial: { username: user.username, role: user.role, sources: filter },
    fields: () => [{ kind: 'text', name: 'username', label: 'Username', max: 100 }, ROLE_FIELD, SOURCES_FIELD],
    preview: ({ role }) => (isMe(user, me) && role !== user.role ? ['This is you: you may lose permissions.'] : []),
    async run({ username = '', role = '', sources = '' }) {
      // Another filter needs a confirmation, so an unchanged one is not sent.
      const hasOther = sources.trim() !== filter;
      await update({ username, role: role as Role, ...(hasOther && { errlog_filter: sources.trim() }) });
      const before = { username: user.username, role: user.role as Role, ...(hasOther && { errlog_filter: filter }) };
      return recordUndo(`Changed ${clean(username)}.`, () => update(before));
    },
  };
}

/** Gives a user a new password. */
export function passwordDialog(user: User, { client, refresh }: QuestionContext): FormDialog {
  return {
    kind: 'form',
    title: `New password for ${clean(user.username)}`,
    submit: 'set it',
    initial: { password: '', again: '' },
    fields: () => passwordFields('Password'),
    check: (values) => checkPassword(values, user.second_factor),
    preview: () => ['All sessions of the user end.'],
    async run({ password = '' }) {
      await client.user.update({ params: { id: user.id }, body: { password } });
      refresh();
      return `Changed the password of ${clean(user.username)}.`;
    },
  };
}

/** Requires a second factor of roles. */
export function policyDialog(policy: UserPolicy, { client, refresh }: QuestionContext): FormDialog {
  return {
    kind: 'form',
    title: 'Required second factor',
    submit: 'save it',
    initial: Object.fromEntries(ROLE_NAMES.map((role) => [role, policy.require_2fa.includes(role) ? 'yes' : ''])),
    fields: () =>
      ROLE_NAMES.map((role): Field => ({ kind: 'check', name: role, label: role, text: 'requires a second factor' })),
    preview: () => ['Users without one must set it up before anything else.'],
    async run(values) {
      const roles = ROLE_NAMES.filter((role) => values[role] === 'yes');
      await client.user.updatePolicy({ body: { require_2fa: roles } });
      refresh();
      return roles.length === 0
        ? 'No role requires a second factor.'
        : `A second factor is required for: ${roles.join(', ')}.`;
    },
  };
}

const name = ({ username }: User): string => clean(username);

/** A question about one user. */
function question(
  user: User,
  { profile, me, refresh }: QuestionContext,
  words: { title: string; lines: readonly string[]; yes: string; done: string; mine?: string },
  act: () => Promise<unknown>,
): ConfirmDialog {
  return {
    kind: 'confirm',
    title: words.title,
    lines: [`${name(user)}, ${clean(user.role)}.`, ...words.lines],
    warning: isMe(user, me) ? (words.mine ?? 'This is you.') : undefined,
    yes: words.yes,
    typed: profile.isProtected ? name(user) : undefined,
    async run() {
      await act();
      refresh();
      return words.done;
    },
  };
}

export const removeDialog = (user: User, context: QuestionContext): ConfirmDialog =>
  question(
    user,
    context,
    {
      title: 'Delete this user?',
      lines: ['Their sessions end and their API tokens are refused at once. This cannot be undone.'],
      yes: 'Delete the user',
      done: `Deleted ${name(user)}.`,
      mine: 'This is you: you will be signed out and cannot sign in again.',
    },
    () => context.client.user.remove({ params: { id: user.id } }),
  );

/** Disables a user, or enables a disabled one. */
export function toggleDialog(user: User, context: QuestionContext): ConfirmDialog {
  const { id, disabled } = user;
  const act = () => context.client.user.update({ params: { id }, body: { disabled: !disabled } });
  if (!disabled) {
    return question(
      user,
      context,
      {
        title: 'Disable this user?',
        lines: ['Their sessions end and their API tokens are refused at once, until the user is enabled again.'],
        yes: 'Disable the user',
        done: `Disabled ${name(user)}.`,
      },
      act,
    );
  }
  const enable = {
    title: 'Enable this user?',
    lines: ['They can sign in again, and their API tokens are accepted again.'],
    yes: 'Enable the user',
    done: `Enabled ${name(user)}.`,
  };
  return { ...question(user, context, enable, act), typed: undefined };
}

/** Clears the failed sign-ins of a user. */
export const unlockDialog = (user: User, context: QuestionContext): ConfirmDialog => ({
  ...question(
    user,
    context,
    {
      title: 'Unlock this user?',
      lines: ['Their failed sign-ins are cleared, so that they can sign in again at once.'],
      yes: 'Unlock the user',
      done: `Unlocked ${name(user)}.`,
    },
    () => context.client.user.unlock({ params: { id: user.id } }),
  ),
  typed: undefined,
});

/** Ends all sessions of a user. */
export const endSessionsDialog = (user: User, context: QuestionContext): ConfirmDialog =>
  question(
    user,
    context,
    {
      title: 'End all sessions of this user?',
      lines: ['They must sign in again. Their API tokens keep working.'],
      yes: 'End them',
      done: `Ended the sessions of ${name(user)}.`,
    },
    () => context.client.user.endSessions({ params: { id: user.id } }),
  );

/** Turns a second factor off. */
export const resetSecondFactorDialog = (user: User, context: QuestionContext): ConfirmDialog =>
  question(
    user,
    context,
    {
      title: 'Turn off the second factor of this user?',
      lines: ['For a user who lost it. Until a new one is set up, the password is enough.'],
      yes: 'Turn it off',
      done: `Turned off the second factor of ${name(user)}.`,
    },
    () => context.client.user.resetSecondFactor({ params: { id: user.id } }),
  );
