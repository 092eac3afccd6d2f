// The text in the place of a list without lines.

import type { LinesState } from '@quarterdeck/views/lines';
import { whyEmptyText } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';
import type { ReactElement } from 'react';
import { FirstLines } from '../../components/first-lines.tsx';
import { failureLines, Notice } from '../../components/notice.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import { pressTo } from '../../keys/key-hints.ts';

interface EmptyLinesProps {
  readonly state: LinesState;
  readonly filter: string;
  readonly width: number;
  readonly height: number;
}

/** Reading, failed, searching, no match, or how to send lines. */
export function EmptyLines({ state, filter, ...area }: EmptyLinesProps): ReactElement {
  const { keyOf, now } = useDashboard();
  const { failure, meta, older, query } = state;
  if (failure !== null)
    return <Notice title={failure.message} tone="bad" lines={failureLines(failure, keyOf)} {...area} />;
  if (meta === null) return <Notice title="Reading the lines…" tone="muted" {...area} />;
  if (older !== null) return <Notice title="Searching older lines…" tone="muted" {...area} />;
  const isBounded = query.start_time !== undefined || query.end_time !== undefined;
  if (filter === '' && !isBounded) {
    return <FirstLines title="No lines yet." {...area} />;
  }
  const why = whyEmptyText(meta, now());
  return (
    <Notice
      title={filter === '' ? 'No lines in this time.' : `No line matches ${clean(filter)}.`}
      lines={[...(why === undefined ? [] : [why]), ...(filter === '' ? [] : pressTo(keyOf('list.close'), 'go back'))]}
      {...area}
    />
  );
}
