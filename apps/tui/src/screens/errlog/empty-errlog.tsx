// The text in the place of an error log without rows.
import type { ReactElement } from 'react';
import { failureLines, Notice } from '../../components/notice.tsx';
import { describeFilter } from '../../data/errlog.ts';
import { type KeyOf, pressTo } from '../../keys/key-hints.ts';
import { clean } from '../../text/clean.ts';
import type { ErrlogState } from './errlog-state.ts';

interface EmptyErrlogProps {
  readonly state: ErrlogState;
  readonly keyOf: KeyOf;
  readonly width: number;
  readonly height: number;
}

/** Reading, failed, no errors, or no match. */
export function EmptyErrlog({ state, keyOf, ...area }: EmptyErrlogProps): ReactElement {
  const { failure, filter, total } = state;
  if (failure !== null)
    return <Notice title={failure.message} tone="bad" lines={failureLines(failure, keyOf)} {...area} />;
  if (total === null) return <Notice title="Reading the error logs…" tone="muted" {...area} />;
  const words = [
    ...describeFilter(filter, (src) => `#${src}`),
    ...(filter.q === undefined ? [] : [`with "${clean(filter.q)}"`]),
  ];
  return words.length === 0 ? (
    <Notice title="No errors." lines={['New errors appear here as soon as a source sends them.']} {...area} />
  ) : (
    <Notice
      title={`No errors match: ${words.join(', ')}.`}
      lines={pressTo(keyOf('list.close'), 'see everything')}
      {...area}
    />
  );
}
