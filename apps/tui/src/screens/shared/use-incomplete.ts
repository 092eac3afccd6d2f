// Says why the error log on the screen is not complete; the ledger knows where lines were lost.

import { useQuery } from '@quarterdeck/views/react';
import { type Completeness, hasData, incompleteText, isIncomplete } from '@quarterdeck/views/reads';
import type { Message } from '@quarterdeck/views/text';
import { rangeBounds } from '@quarterdeck/views/times';
import { useCallback } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import { pressTo } from '../../keys/key-hints.ts';

const EVERY_MS = 60_000;
/** Time of the chart without a range, seconds. */
const DAY_S = 86_400;

interface IncompleteOptions {
  /** The source of the filter. */
  readonly src: number | undefined;
  readonly nameOf: (src: number) => string;
  readonly visible: boolean;
  readonly nowMs: number;
}

/** The reason as a message; null for complete answers. Reads the ledger only where something is missing. */
export function useIncomplete(
  answers: readonly (Completeness | undefined)[],
  { src, nameOf, visible, nowMs }: IncompleteOptions,
): Message | null {
  const { client, online, range, now, keyOf } = useDashboard();
  const isMissing = isIncomplete(answers);
  const read = useCallback(
    (signal: AbortSignal) => {
      const nowS = Math.floor(now() / 1000);
      const { start_time = nowS - DAY_S, end_time } = rangeBounds(range, nowS);
      const span = { start_time, ...(end_time === undefined ? {} : { end_time }) };
      return client.ledger.list({ query: { ...span, ...(src === undefined ? {} : { src }) } }, { signal });
    },
    [client, range, src, now],
  );
  const { query } = useQuery(read, { enabled: online && visible && isMissing, everyMs: EVERY_MS });
  if (!isMissing) return null;
  const gaps = hasData(query) ? query.data.meta.gaps : undefined;
  const step = (gaps?.length ?? 0) === 0 ? [] : pressTo(keyOf('app.goSources'), 'open the ledger');
  return { tone: 'warning', text: [incompleteText(answers, gaps, nameOf, nowMs), ...step].join(' ') };
}
