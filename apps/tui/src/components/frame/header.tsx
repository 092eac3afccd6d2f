// The first row: what this is, which server, who is here, and whether what is shown is live.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Connection } from '../../data/feed.ts';
import { age } from '../../text/format.ts';
import { cut, width as widthOf } from '../../text/width.ts';
import { type Run, Runs } from '../text.tsx';

/** A lost connection is first being made again, then what is shown is old. */
const STALE_AFTER_MS = 10_000;

/** The connection in words, with a glyph. */
export function connectionRun(connection: Connection, nowMs: number): Run {
  switch (connection.status) {
    case 'live':
      return { text: '● live', tone: 'good' };
    case 'connecting':
      return { text: '○ connecting', tone: 'muted' };
    case 'off':
      return { text: '○ not live', tone: 'muted' };
    case 'lost': {
      const lostMs = nowMs - connection.sinceMs;
      return lostMs < STALE_AFTER_MS
        ? { text: '○ reconnecting', tone: 'warning' }
        : { text: `○ stale ${age(lostMs / 1000)}`, tone: 'bad' };
    }
  }
}

interface HeaderProps {
  readonly server: string;
  readonly user?: string | undefined;
  readonly role?: string | undefined;
  readonly connection: Run;
  readonly width: number;
}

/** The first row of the frame. */
export function Header({ server, user, role, connection, width }: HeaderProps): ReactElement {
  const name = 'Quarterdeck';
  const who: Run[] =
    user === undefined ? [] : [{ text: user }, ...(role ? [{ text: ` ${role}`, tone: 'muted' as const }] : [])];
  const whoWidth = who.reduce((sum, { text }) => sum + widthOf(text), 0);
  // What is left for the server's address when everything else has its place.
  const room = width - 2 - name.length - 2 - widthOf(connection.text) - (whoWidth > 0 ? whoWidth + 3 : 0) - 2;
  return (
    <Box height={1} paddingX={1} justifyContent="space-between">
      <Runs
        runs={[
          { text: name, tone: 'title' },
          ...(room >= 8 ? [{ text: `  ${cut(server, room)}`, tone: 'muted' as const }] : []),
        ]}
      />
      <Runs runs={[...who, ...(whoWidth > 0 ? [{ text: '   ' }] : []), connection]} />
    </Box>
  );
}
