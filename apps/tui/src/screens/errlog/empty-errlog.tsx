// The text in the place of an error log without rows.

import { describeFilter, type ErrlogState, listErrlog, NO_FILTER, unnamedSource } from '@quarterdeck/views/errlog';
import { shownFilter } from '@quarterdeck/views/filters';
import { useQuery } from '@quarterdeck/views/react';
import { hasData, whyEmptyText } from '@quarterdeck/views/reads';
import { grouped } from '@quarterdeck/views/text';
import { rangePhrase, rangeText } from '@quarterdeck/views/times';
import { type ReactElement, useCallback } from 'react';
import { FirstLines } from '../../components/first-lines.tsx';
import type { Area } from '../../components/geometry.ts';
import { hiddenText } from '../../components/list/hidden-notice.ts';
import { failureLines, Notice } from '../../components/notice.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import { pressTo } from '../../keys/key-hints.ts';

interface EmptyErrlogProps extends Area {
  readonly state: ErrlogState;
  /** Canonical text of the filter. */
  readonly words: string;
  readonly nowMs: number;
}

/** Reads the number of all groups of all times; undefined before the answer. */
function useAllGroups(isNeeded: boolean): number | undefined {
  const { client, online } = useDashboard();
  const read = useCallback(
    (signal: AbortSignal) => listErrlog(client, NO_FILTER, { start: 0, end: 1 }, signal),
    [client],
  );
  const { query } = useQuery(read, { enabled: online && isNeeded });
  return hasData(query) ? query.data.meta.count : undefined;
}

/** Reading, failed, no errors, or no match. */
export function EmptyErrlog({ state, words, nowMs, ...area }: EmptyErrlogProps): ReactElement {
  const { keyOf } = useDashboard();
  const { failure, filter, range, total } = state;
  const parts = [
    ...(words === '' ? [] : [shownFilter(words)]),
    ...describeFilter(filter, unnamedSource).map((part) => `[${part}]`),
  ];
  const isNarrowed = parts.length > 0 || range !== null;
  const all = useAllGroups(isNarrowed && total !== null && failure === null);
  if (failure !== null) {
    return <Notice title={failure.message} tone="bad" lines={failureLines(failure, keyOf)} {...area} />;
  }
  if (total === null) {
    return <Notice title={`${words === '' ? 'Reading' : 'Searching'} the error logs…`} tone="muted" {...area} />;
  }
  const why = whyEmptyText(state.meta, nowMs);
  const reason = why === undefined ? [] : [why];
  if (!isNarrowed || all === 0) {
    return <FirstLines title="No errors." lines={reason} {...area} />;
  }
  const ways = range === null ? [] : pressTo(keyOf('app.allTimes'), 'see all times');
  if (range !== null && parts.length === 0) {
    const others = all === undefined ? [] : [`${grouped(all)} at other times.`];
    return (
      <Notice title={`No errors ${rangePhrase(range, nowMs)}.`} lines={[...reason, ...others, ...ways]} {...area} />
    );
  }
  const reasons = range === null ? parts : [...parts, `[${rangeText(range, nowMs)}]`];
  const title = hiddenText({ count: all, noun: 'error' }, reasons, keyOf('list.close'));
  return <Notice title={title} lines={[...reason, ...ways]} {...area} />;
}
