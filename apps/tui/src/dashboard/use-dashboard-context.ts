// The context that every screen uses.

import type { UndoHistory } from '@quarterdeck/views/actions';
import { refusalOf } from '@quarterdeck/views/actions';
import { failureOf } from '@quarterdeck/views/failures';
import type { TimeRange } from '@quarterdeck/views/times';
import { use, useCallback, useMemo, useRef, useState } from 'react';
import type { Navigation } from '../commands/navigation.ts';
import type { Dashboard } from '../context/dashboard.ts';
import type { Dialog } from '../context/dialog.ts';
import { ShellContext } from '../context/shell.ts';
import type { Account, Session } from '../data/session.ts';
import { createKeyOf, pressTo } from '../keys/key-hints.ts';
import { useTerminal } from '../system/terminal.ts';

/** The parts that the workspace holds itself. */
export interface DashboardParts
  extends Pick<Dashboard, 'online' | 'feed' | 'fail' | 'say' | 'dialog' | 'asking' | 'confirm'> {
  readonly account: Account;
  readonly session: Session;
  readonly setDialog: (dialog: Dialog | null) => void;
  readonly history: UndoHistory;
}

/** Returns what happens to an error of a request: a refused credential ends the session. */
export const useFail = (account: Account, session: Session): Dashboard['fail'] =>
  useCallback(
    (error: unknown) => {
      const failure = failureOf(error);
      if (failure.kind === 'unauthorized') session.expire(account, failure);
    },
    [account, session],
  );

/** The context; the same object until one of its parts changes. */
export function useDashboardContext(parts: DashboardParts, navigation: Navigation, go: Dashboard['go']): Dashboard {
  const { account, session, online, feed, fail, say, dialog, setDialog, asking, confirm, history } = parts;
  const { profile, now, copy, store, glyphs, settings } = use(ShellContext);
  const terminal = useTerminal();
  const keyOf = useMemo(
    () => createKeyOf(settings.keys, (binding) => refusalOf(binding, account.me, profile.readOnly)),
    [account, profile.readOnly, settings.keys],
  );
  const recordUndo = useCallback<Dashboard['recordUndo']>(
    (done, back) => {
      history.record(done, back);
      return back === null ? done : [done, ...pressTo(keyOf('app.undo'), 'undo')].join(' ');
    },
    [history, keyOf],
  );
  const [selection] = useState<Dashboard['selection']>({ current: null });
  const [range, setRange] = useState<TimeRange | null>(null);
  const close = useCallback(() => setDialog(null), [setDialog]);
  const { client, ahead, me } = account;
  const { renew } = session;
  const own = {
    client,
    ahead,
    me,
    online,
    feed,
    fail,
    say,
    recordUndo,
    dialog,
    open: setDialog,
    close,
    confirm,
    asking,
  };
  return useStable({
    ...own,
    navigation,
    go,
    range,
    setRange,
    zone: settings.zone,
    selection,
    renew,
    terminal,
    profile,
    now,
    copy,
    glyphs,
    keyOf,
    store,
  });
}

/** The same object as long as all of its values are the same. */
function useStable<T extends object>(next: T): T {
  const kept = useRef(next);
  const before = kept.current as Readonly<Record<string, unknown>>;
  if (Object.entries(next).some(([name, value]) => !Object.is(before[name], value))) kept.current = next;
  return kept.current;
}
