// The first row: server, read-only mark, user, session time, state of the connection, and time zone.

import type { Connection } from '@quarterdeck/views/live';
import { age, clean, span } from '@quarterdeck/views/text';
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Profile } from '../../profiles/profile.ts';
import { cut } from '../../text/width.ts';
import { type Line, lineWidth, type Run } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { Runs } from '../text.tsx';

/** A lost connection shows as reconnecting for this long, then the data counts as stale. */
const STALE_AFTER_MS = 10_000;
/** Remaining session time below which it is marked. */
const ENDS_SOON_MS = 10 * 60_000;

/** Describes the connection, with a glyph. */
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

const BADGES: Record<Profile['color'], BaseTone> = {
  none: 'title',
  red: 'badgeRed',
  yellow: 'badgeYellow',
  green: 'badgeGreen',
  blue: 'badgeBlue',
};

/** Data of the first row. */
export interface HeaderFacts {
  readonly profile: Profile;
  readonly user?: string | undefined;
  readonly role?: string | undefined;
  /** End of the session, Unix milliseconds; 0: never. */
  readonly expireMs?: number | undefined;
  readonly connection: Run;
  readonly latencyMs?: number | undefined;
  /** Name of the zone of all times. */
  readonly zone?: string | undefined;
  /** Alerts that fire now, such as `3` or `100+`; empty for none. */
  readonly firing?: string;
  readonly nowMs: number;
}

const firingRuns = (firing: string): Run[] =>
  firing === '' ? [] : [{ text: ' ' }, { text: ` ▲ ${firing} firing `, tone: 'badgeRed' }];

const profileRuns = ({ name, url, color, readOnly }: Profile, firing: string, room: number): Run[] => {
  const badge = color === 'none' ? name : ` ${name} `;
  const host = url.replace(/^https?:\/\//, '');
  return [
    { text: badge, tone: BADGES[color] },
    ...(readOnly ? [{ text: ' ' }, { text: '[RO]', tone: 'warning' as const }] : []),
    ...firingRuns(firing),
    ...(room >= 8 ? [{ text: `  ${cut(host, room)}`, tone: 'muted' as const }] : []),
  ];
};

/** Renders the first row in `columns`. The least important parts are dropped first. */
export function headerLine(facts: HeaderFacts, width: number): { left: Line; right: Line } {
  const { profile, user, role = '', expireMs = 0, connection, latencyMs, zone, firing = '', nowMs } = facts;
  const leftMs = expireMs - nowMs;
  const room = width - lineWidth(firingRuns(firing));
  const who: Run[] =
    user === undefined
      ? []
      : [
          { text: clean(user) },
          ...(role === '' ? [] : [{ text: ` ${clean(role)}`, tone: 'muted' as const }]),
          ...(expireMs === 0 || room < 70
            ? []
            : [
                {
                  text: ` · ${span(leftMs)} left`,
                  tone: leftMs < ENDS_SOON_MS ? ('warning' as const) : ('muted' as const),
                },
              ]),
          { text: '   ' },
        ];
  const latency: Run[] =
    latencyMs === undefined || connection.tone !== 'good' || room < 60
      ? []
      : [{ text: ` ${Math.round(latencyMs)} ms`, tone: 'muted' }];
  const zoneRun: Run[] = zone === undefined || room < 60 ? [] : [{ text: `  ${zone}`, tone: 'muted' }];
  const right = [...who, connection, ...latency, ...zoneRun];
  const fixed = lineWidth(profileRuns(profile, firing, 0));
  return { left: profileRuns(profile, firing, width - 2 - lineWidth(right) - fixed - 4), right };
}

/** Renders the first row of the frame. */
export function Header({ facts, width }: { readonly facts: HeaderFacts; readonly width: number }): ReactElement {
  const { left, right } = headerLine(facts, width);
  return (
    <Box height={1} paddingX={1} justifyContent="space-between">
      <Runs runs={left} />
      <Runs runs={right} />
    </Box>
  );
}
