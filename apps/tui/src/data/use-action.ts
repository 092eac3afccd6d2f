// A change that needs no dialog: says how it went.
import { runConfirmed } from './confirmed.ts';
import { useDashboard } from './dashboard.ts';
import { failureOf } from './failure.ts';

/** Runs `act` and says what it resolves with, or why it did not work; `after` runs either way. */
export function useAction(after: () => void): (act: () => Promise<string>) => void {
  const { say, fail, confirm } = useDashboard();
  return (act) => {
    runConfirmed(act, confirm)
      .then((text) => say({ tone: 'good', text }))
      .catch((error: unknown) => {
        fail(error);
        say({ tone: 'bad', text: failureOf(error).message });
      })
      .finally(after);
  };
}
