import { failureOf } from '@quarterdeck/views/failures';
import type { Dashboard } from '../../data/dashboard.ts';

/** Reports the error of a call. */
export const reportFailure =
  ({ say, fail }: Pick<Dashboard, 'say' | 'fail'>) =>
  (error: unknown): void => {
    fail(error);
    say({ tone: 'bad', text: failureOf(error).message });
  };
