// The users, for those who manage people.
import type { User } from '@quarterdeck/core';
import { type ReactElement, useMemo } from 'react';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { QueryNotice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData } from '../../data/query.ts';
import { staleMessage } from '../../data/stale.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { useUserPolicy, useUsers } from '../../data/users.ts';
import { clean } from '../../text/clean.ts';
import { type AccountActions, passwordDialog as ownPasswordDialog, turnOffDialog } from '../account/account-dialogs.ts';
import {
  createDialog,
  editDialog,
  endSessionsDialog,
  passwordDialog,
  policyDialog,
  removeDialog,
  resetSecondFactorDialog,
  type UserActions,
} from './user-dialogs.ts';
import { USER_FACETS, userColumns, userLines } from './users-view.ts';

const NONE: readonly User[] = [];

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function UsersScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { client, me, profile, now, open, renew } = useDashboard();
  const { query, refresh } = useUsers(visible);
  const policy = useUserPolicy(visible);
  const users = hasData(query) ? query.data : NONE;
  const required = hasData(policy.query) ? policy.query.data.require_2fa : [];
  const nowMs = useNow(now, 60_000, visible);
  const columns = useMemo(() => userColumns(users, me, nowMs), [users, me, nowMs]);
  const both = (): void => {
    refresh();
    policy.refresh();
  };
  const deed = useAction(refresh);
  const deeds: UserActions = { client, me, profile, refresh: both };
  // One's own password and second factor are changed with the password, not as those of another user.
  const account: AccountActions = { ...deeds, renew };
  const isMe = ({ id }: User): boolean => id === me.id;
  const disable = (user: User): void =>
    deed(async () => {
      await client.user.update({ params: { id: user.id }, body: { disabled: !user.disabled } });
      return `${user.disabled ? 'Enabled' : 'Disabled'} ${clean(user.username)}.`;
    });
  const unlock = (user: User): void =>
    deed(async () => {
      await client.user.unlock({ params: { id: user.id } });
      return `${clean(user.username)} may try to sign in again.`;
    });

  return (
    <ListScreen
      place="users"
      visible={visible}
      rows={users}
      columns={columns}
      facets={USER_FACETS}
      detail={(user) => ({
        title: clean(user.username),
        lines: (width) => userLines(user, me, required, nowMs, width),
      })}
      chips={required.length === 0 ? [] : [{ text: `2FA a must: ${required.join(', ')}`, tone: 'notice' }]}
      standing={staleMessage(query, nowMs)}
      extras={{ refresh: both }}
      commands={({ selected }) => ({
        create: () => open(createDialog(deeds)),
        policy: hasData(policy.query) ? () => open(policyDialog({ require_2fa: required }, deeds)) : undefined,
        ...(selected === undefined
          ? {}
          : {
              edit: () => open(editDialog(selected, deeds)),
              password: () => open(isMe(selected) ? ownPasswordDialog(account) : passwordDialog(selected, deeds)),
              toggle: () => disable(selected),
              unlock: () => unlock(selected),
              endSessions: () => open(endSessionsDialog(selected, deeds)),
              resetSecondFactor: selected.second_factor
                ? () => open(isMe(selected) ? turnOffDialog(account) : resetSecondFactorDialog(selected, deeds))
                : undefined,
              remove: () => open(removeDialog(selected, deeds)),
            }),
      })}
      empty={(width, height) => (
        <QueryNotice query={query} reading="Reading the users…" empty="No users." width={width} height={height} />
      )}
    />
  );
}
