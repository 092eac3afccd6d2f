// Runs a change that needs no dialog and reports the result.

import { failureOf } from '@quarterdeck/views/failures';
import type { Message } from '@quarterdeck/views/text';
import { runConfirmed } from './confirmed.ts';
import { type Dashboard, useDashboard } from './dashboard.ts';

/** Runs `act` and shows its message or its failure. */
export const runAndReport = (
  act: () => Promise<string | Message>,
  { say, fail, confirm }: Pick<Dashboard, 'say' | 'fail' | 'confirm'>,
): Promise<void> =>
  runConfirmed(act, confirm)
    .then((done) => say(typeof done === 'string' ? { tone: 'good', text: done } : done))
    .catch((error: unknown) => {
      fail(error);
      say({ tone: 'bad', text: failureOf(error).message });
    });

/** Runs `act` and shows its message or its failure. `after` runs in both cases. */
export function useAction(after: () => void): (act: () => Promise<string>) => void {
  const dashboard = useDashboard();
  return (act) => void runAndReport(act, dashboard).finally(after);
}
