// Opens dialogs that need an answer of the server first.
import { reportFailure } from '@quarterdeck/views/actions';
import { useRef } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { Dialog } from '../../context/dialog.ts';

/** Opens the dialog once it is there, unless the user has gone on to another dialog or screen by then. */
export function useOpenLater(): (asked: Promise<Dialog>) => void {
  const dashboard = useDashboard();
  const { dialog, navigation, open } = dashboard;
  const present = useRef({ dialog, visits: navigation.visits });
  present.current = { dialog, visits: navigation.visits };
  return (asked) => {
    // A dialog that asks for it closes, but may still be drawn when the answer comes.
    const { visits, dialog: before } = present.current;
    asked
      .then((next) => {
        const isFree = present.current.dialog === null || present.current.dialog === before;
        if (isFree && present.current.visits === visits) open(next);
      })
      .catch(reportFailure(dashboard));
  };
}
