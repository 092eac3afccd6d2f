// The context that every screen uses.
import { use, useCallback, useMemo } from 'react';
import type { Dialog } from '../components/dialog/dialog.ts';
import type { Dashboard } from '../data/dashboard.ts';
import { failureOf } from '../data/failure.ts';
import { type Account, type Session, subjectOf } from '../data/session.ts';
import { createKeyOf, mayRun } from '../keys/key-hints.ts';
import type { Navigation } from '../navigation.ts';
import { ShellContext } from '../shell.ts';
import { useTerminal } from '../terminal/terminal.ts';

/** The parts that the workspace holds itself. */
export interface DashboardParts extends Pick<Dashboard, 'online' | 'feed' | 'say' | 'dialog' | 'asking' | 'confirm'> {
  readonly account: Account;
  readonly session: Session;
  readonly setDialog: (dialog: Dialog | null) => void;
}

/** The context; the same object until one of its parts changes. */
export function useDashboardContext(parts: DashboardParts, navigation: Navigation, go: Dashboard['go']): Dashboard {
  const { account, session, online, feed, say, dialog, setDialog, asking, confirm } = parts;
  const { profile, now, copy, store, glyphs, settings } = use(ShellContext);
  const terminal = useTerminal();
  const fail = useCallback(
    (error: unknown) => {
      const failure = failureOf(error);
      if (failure.kind === 'unauthorized') session.expire(account, failure);
    },
    [account, session],
  );
  const keyOf = useMemo(() => {
    const subject = subjectOf(account);
    return createKeyOf(settings.keys, (binding) => mayRun(binding, subject, profile.readOnly));
  }, [account, profile.readOnly, settings.keys]);
  // The functions below are stable, or change with one of the dependencies.
  return useMemo<Dashboard>(
    () => ({
      client: account.client,
      ahead: account.ahead,
      me: account.me,
      profile,
      online,
      feed,
      now,
      fail,
      say,
      dialog,
      open: setDialog,
      close: () => setDialog(null),
      confirm,
      asking,
      navigation,
      go,
      renew: session.renew,
      terminal,
      copy,
      glyphs,
      keyOf,
      store,
    }),
    [
      account,
      session,
      profile,
      online,
      feed,
      now,
      fail,
      say,
      dialog,
      setDialog,
      confirm,
      asking,
      navigation,
      go,
      terminal,
      copy,
      glyphs,
      keyOf,
      store,
    ],
  );
}
