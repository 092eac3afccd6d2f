// First steps on a server without lines, in the place of a list.
import { nginxDirective, waysToSend } from '@quarterdeck/views/lines';
import { createFirstToken } from '@quarterdeck/views/tokens';
import type { ReactElement } from 'react';
import { type Dashboard, useDashboard } from '../context/dashboard.ts';
import type { Dialog } from '../context/dialog.ts';
import { pressTo } from '../keys/key-hints.ts';
import { FirstSteps } from './first-steps.tsx';
import type { Area } from './geometry.ts';

interface FirstLinesProps extends Area {
  readonly title: string;
  readonly lines?: readonly string[];
}

/** Three ways to send a first line, which the list shows as it comes. */
export function FirstLines({ title, lines = [], ...area }: FirstLinesProps): ReactElement {
  const { keyOf, profile } = useDashboard();
  const notes = [
    `nginx: ${nginxDirective(profile.url)}`,
    ...pressTo(keyOf('errlog.create'), 'create a token for the command over HTTP'),
  ];
  return (
    <FirstSteps
      title={title}
      lines={[...lines, 'New lines appear here as they come. To send the first one, in a shell:']}
      ways={waysToSend(profile.url)}
      notes={notes}
      {...area}
    />
  );
}

/** Creates a token that sends lines, and shows it with its command. */
export function openFirstToken(
  { client, profile, now }: Pick<Dashboard, 'client' | 'profile' | 'now'>,
  openLater: (asked: Promise<Dialog>) => void,
): void {
  openLater(createFirstToken(client, profile.url, now()));
}
