// The tile of the agents: states, problems, versions, and the hosts that are away. Pure.

import type { AgentState } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import type { Fleet } from '@quarterdeck/views/agents';
import { reasonWord, stateOf, stateTone, stateWord } from '@quarterdeck/views/agents';
import { clean, grouped, plural, signed, span, versionText } from '@quarterdeck/views/text';
import { barLines, stackedBar } from '../../components/charts/bars.ts';
import { chipsThatFit } from '../../components/frame/crumbs.tsx';
import { type Line, type Run, spread } from '../../theme/lines.ts';
import type { TileContent } from './tile.ts';

const VERSIONS_MAX = 4;
/** Most rows for hosts that are away. */
const AWAY_ROWS_MAX = 12;
const SHOWN_STATES = ['online', 'offline', 'inactive', 'pending'] as const;

/** The hosts that are away: a row each with reason and duration; in a small tile only their names. */
function awayLines(away: readonly Agent[], width: number, room: number, nowMs: number): Line[] {
  if (away.length === 0) return [];
  if (room < 3) {
    return [
      [
        { text: 'away ', tone: 'muted' },
        { text: away.map(({ hostname }) => clean(hostname)).join(', '), tone: 'plain' },
      ],
    ];
  }
  return [
    [],
    ...away.slice(0, Math.min(AWAY_ROWS_MAX, room)).map((agent): Line => {
      const { text: state, tone } = signed(stateWord(stateOf(agent)));
      const since = agent.state_since ?? 0;
      const why = [reasonWord(agent), since === 0 ? '' : span(Math.max(0, nowMs - since * 1000))]
        .filter((word) => word !== '')
        .join(', ');
      return spread(
        [{ text: `${state.split(' ')[0]} `, tone }, { text: clean(agent.hostname) }],
        [{ text: ` ${why}`, tone: 'muted' }],
        width,
      );
    }),
  ];
}

/** The content of the tile. */
export function agentsTile({ totals, away }: Fleet, nowMs: number): TileContent {
  const { count: all, bad_kernel: bad, cloned, maintenance } = totals;
  const of = (state: AgentState): number => totals.states.find((one) => one.state === state)?.count ?? 0;
  const states = SHOWN_STATES.filter((state) => of(state) > 0 || state === 'online');
  const versions = totals.packages.slice(0, VERSIONS_MAX);
  const flags: Run[] = [
    ...(cloned > 0 ? [{ text: `▲ ${grouped(cloned)} cloned`, tone: 'bad' as const }] : []),
    ...(bad > 0 ? [{ text: `▲ ${grouped(bad)} bad kernel`, tone: 'warning' as const }] : []),
    ...(maintenance > 0 ? [{ text: `◆ ${grouped(maintenance)} maintenance`, tone: 'notice' as const }] : []),
  ];
  const others = 3 + (flags.length > 0 ? 1 : 0);
  const named = Math.min(away.length, AWAY_ROWS_MAX);
  return {
    note: plural(all, 'host'),
    rows: all === 0 ? 0 : others + versions.length + named,
    lines: (width, height) => [
      stackedBar(
        states.map((state) => ({ value: of(state), tone: stateTone(state) })),
        width,
      ),
      chipsThatFit(
        states.map((state) => ({
          text: signed(stateWord(state)).text.replace(' ', ` ${grouped(of(state))} `),
          tone: stateTone(state),
        })),
        width,
      ),
      ...(flags.length > 0 ? [chipsThatFit(flags, width)] : []),
      ...barLines(
        versions.slice(0, Math.max(0, height - others)).map(({ value, count: n }) => ({
          label: value === '0' ? 'no version' : `version ${versionText(Number(value))}`,
          value: n,
          text: grouped(n),
          tone: 'notice' as const,
        })),
        width,
      ),
      ...awayLines(away, width, height - others - versions.length + 1, nowMs),
    ],
  };
}
