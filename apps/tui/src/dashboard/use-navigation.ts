// The screens of a user, and the way between them.
import { can } from '@quarterdeck/core';
import { subjectOf } from '@quarterdeck/views/actions';
import { use, useCallback, useMemo, useReducer, useState } from 'react';
import { type Navigation, navigate, SCREENS, type Screen, startAt, type Target } from '../commands/navigation.ts';
import { ShellContext } from '../context/shell.ts';
import type { Account } from '../data/session.ts';
import { VIEWS } from './screens.ts';

/** The screens that a user may open. */
export function useAllowedScreens(account: Account): readonly Screen[] {
  return useMemo(() => {
    const subject = subjectOf(account.me);
    return SCREENS.filter((screen) => {
      const { access } = VIEWS[screen];
      return access === undefined || can(subject, access);
    });
  }, [account]);
}

interface NavigationHandle {
  readonly navigation: Navigation;
  /** The screens that are kept, the open one among them. */
  readonly visited: ReadonlySet<Screen>;
  readonly go: (target: Target) => void;
  /** Undefined on the first screen. */
  readonly back: (() => void) | undefined;
}

/** The present screen; going to another one closes the dialog. */
export function useNavigation(
  screens: readonly Screen[],
  first: Screen,
  setDialog: (dialog: null) => void,
): NavigationHandle {
  const { store } = use(ShellContext);
  const [navigation, step] = useReducer(navigate, startAt(screens.includes(first) ? first : 'overview'));
  const [visited, visit] = useState<ReadonlySet<Screen>>(new Set([navigation.target.screen]));
  const go = useCallback(
    (target: Target) => {
      if (!screens.includes(target.screen)) return;
      setDialog(null);
      visit((before) => (before.has(target.screen) ? before : new Set([...before, target.screen])));
      step({ type: 'go', target });
      store.setScreen(target.screen);
    },
    [screens, store, setDialog],
  );
  const kept = useMemo(() => new Set(screens.filter((name) => visited.has(name))), [screens, visited]);
  const back = navigation.before.length > 0 ? () => step({ type: 'back' }) : undefined;
  return { navigation, visited: kept, go, back };
}
