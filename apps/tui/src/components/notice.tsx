// Notices in place of a list.

import type { Failure } from '@quarterdeck/views/failures';
import type { Query } from '@quarterdeck/views/reads';
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { useDashboard } from '../context/dashboard.ts';
import { type KeyOf, pressTo } from '../keys/key-hints.ts';
import { wrapEvenly } from '../text/width.ts';
import type { Tone } from '../theme/theme.ts';
import type { Area } from './geometry.ts';
import { Text } from './text.tsx';

interface NoticeProps extends Area {
  readonly title: string;
  readonly tone?: Tone;
  readonly lines?: readonly string[];
}

/** A few muted lines in the middle of the area. */
export function Notice({ title, tone = 'strong', lines = [], width, height }: NoticeProps): ReactElement {
  const room = Math.min(64, width - 4);
  const rows = lines.flatMap((line) => wrapEvenly(line, room));
  return (
    <Box
      width={width}
      height={height}
      flexDirection="column"
      alignItems="center"
      justifyContent="center"
      overflow="hidden"
    >
      <Text tone={tone}>{title}</Text>
      {rows.map((row) => (
        <Text key={row} tone="muted">
          {row}
        </Text>
      ))}
    </Box>
  );
}

function retryLines({ kind }: Failure, key: string | undefined): string[] {
  if (kind !== 'unreachable') return pressTo(key, 'try again');
  return [key === undefined ? 'Retrying automatically.' : `Retrying automatically; press ${key} to retry now.`];
}

/** Returns the lines below the message of a failed read. */
export function failureLines(failure: Failure, keyOf: KeyOf): string[] {
  return [
    ...retryLines(failure, keyOf('list.refresh')),
    ...(failure.requestId === undefined ? [] : [`Request ${failure.requestId}`]),
  ];
}

interface QueryNoticeProps extends Area {
  readonly query: Query<unknown>;
  readonly reading: string;
  readonly empty: string;
  readonly lines?: readonly string[];
}

/** Notice in place of a list without rows: loading, failed, or empty. */
export function QueryNotice({ query, reading, empty, lines, width, height }: QueryNoticeProps): ReactElement {
  const { keyOf } = useDashboard();
  if (query.status === 'loading') return <Notice title={reading} tone="muted" width={width} height={height} />;
  // Old data without rows does not say that there are none now.
  if (query.status !== 'ready') {
    const { failure } = query;
    return (
      <Notice title={failure.message} tone="bad" lines={failureLines(failure, keyOf)} width={width} height={height} />
    );
  }
  return <Notice title={empty} lines={lines ?? []} width={width} height={height} />;
}
