// Runs the action of a dialog and shows its result.

import { type Mutation, useMutation } from '@quarterdeck/views/react';
import { useDashboard } from '../../context/dashboard.ts';
import type { Outcome } from '../../context/dialog.ts';

/** Runs `act`. On success, shows the message it returned or opens the next dialog. */
export function useOutcome<Input>(act: (input: Input) => Promise<Outcome>): Mutation<Input> {
  const { open, close, say } = useDashboard();
  return useMutation(act, (outcome) => {
    if (outcome !== undefined && typeof outcome !== 'string') {
      open(outcome);
      return;
    }
    close();
    if (outcome !== undefined) say({ tone: 'good', text: outcome });
  });
}
