// The screen of the users.

import { useUserPolicy, useUsers } from '@quarterdeck/views/react';
import { hasData } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';
import { passwordDialog as ownPasswordDialog, turnOffDialog } from '@quarterdeck/views/users';
import { factDetail } from '../../components/list/detail-lines.ts';
import { listScreen } from '../list/list-screen.tsx';
import {
  createDialog,
  editDialog,
  endSessionsDialog,
  passwordDialog,
  policyDialog,
  removeDialog,
  resetSecondFactorDialog,
  toggleDialog,
  unlockDialog,
} from './user-dialogs.ts';
import { USER_FACETS, userColumns, userFacts } from './users-view.ts';

function useUsersAndPolicy(active: boolean) {
  const { query, rows, partial, refresh } = useUsers(active);
  const policy = useUserPolicy(active);
  return {
    query,
    rows,
    partial,
    refresh() {
      refresh();
      policy.refresh();
    },
    policy: hasData(policy.query) ? policy.query.data : undefined,
  };
}

export const UsersScreen = listScreen({
  place: 'users',
  useSource: useUsersAndPolicy,
  clockMs: 60_000,
  columns: userColumns,
  facets: () => USER_FACETS,
  detail: (user, { me, nowMs, source: { policy } }) =>
    factDetail(clean(user.username), userFacts(user, me, policy?.require_2fa ?? [], nowMs)),
  chips: ({ source: { policy } }) =>
    policy === undefined || policy.require_2fa.length === 0
      ? []
      : [{ text: `2FA required: ${policy.require_2fa.join(', ')}`, tone: 'notice' }],
  commands({ selected: user }, context) {
    const { me, open, source } = context;
    const { policy } = source;
    const always = {
      create: () => open(createDialog(context)),
      policy: policy === undefined ? undefined : () => open(policyDialog(policy, context)),
    };
    if (user === undefined) return always;
    const { id } = user;
    // The own password and second factor are changed with the password, not as those of another user.
    const isMe = id === me.id;
    return {
      ...always,
      edit: () => open(editDialog(user, context)),
      password: () => open(isMe ? ownPasswordDialog(context) : passwordDialog(user, context)),
      toggle: () => open(toggleDialog(user, context)),
      unlock: () => open(unlockDialog(user, context)),
      endSessions: () => open(endSessionsDialog(user, context)),
      resetSecondFactor: user.second_factor
        ? () => open(isMe ? turnOffDialog(context) : resetSecondFactorDialog(user, context))
        : 'This user has no second factor.',
      remove: () => open(removeDialog(user, context)),
    };
  },
  empty: () => ({ reading: 'Reading the users…', title: 'No users.' }),
});
