// Runs a change that needs no dialog and reports the result.
import { runConfirmed } from './confirmed.ts';
import { useDashboard } from './dashboard.ts';
import { failureOf } from './failure.ts';

/** Runs `act` and shows its message or its failure. `after` runs in both cases. */
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
