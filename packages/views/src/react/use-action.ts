import { runAndReport } from '../actions/run-action.ts';
import { useViews } from './views-context.ts';

/** Runs `act` and shows its message or its failure. `after` runs in both cases. */
export function useAction(after: () => void): (act: () => Promise<string>) => void {
  const views = useViews();
  return (act) => void runAndReport(act, views).finally(after);
}
