// Opens dialogs that need an answer of the server first.
import { useRef } from 'react';
import type { Dialog } from '../../components/dialog/dialog.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { reportFailure } from './agents-commands.ts';

/** Opens the dialog once it is there, unless the user has gone on to another dialog or screen by then. */
export function useOpenLater(): (asked: Promise<Dialog>) => void {
  const dashboard = useDashboard();
  const { dialog, navigation, open } = dashboard;
  const present = useRef({ dialog, visits: navigation.visits });
  present.current = { dialog, visits: navigation.visits };
  return (asked) => {
    const { visits } = present.current;
    asked
      .then((next) => {
        if (present.current.dialog === null && present.current.visits === visits) open(next);
      })
      .catch(reportFailure(dashboard));
  };
}
