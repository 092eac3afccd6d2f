import type { Dashboard } from '../../data/dashboard.ts';
import { failureOf } from '../../data/failure.ts';

/** Reports the error of a call. */
export const reportFailure =
  ({ say, fail }: Pick<Dashboard, 'say' | 'fail'>) =>
  (error: unknown): void => {
    fail(error);
    say({ tone: 'bad', text: failureOf(error).message });
  };
