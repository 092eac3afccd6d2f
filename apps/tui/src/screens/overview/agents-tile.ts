// The agents at a glance: by state, what is wrong with some, by version, and who is away. Pure.
import type { AgentState } from '@quarterdeck/core';
import { barLines, stackedBar } from '../../components/charts/bars.ts';
import { chipsThatFit } from '../../components/frame/crumbs.tsx';
import type { Fleet } from '../../data/fleet.ts';
import { clean } from '../../text/clean.ts';
import { grouped, plural } from '../../text/format.ts';
import type { Run } from '../../text/lines.ts';
import { stateTone, stateWord } from '../agents/agent-words.ts';
import type { Made } from './tile.ts';

const VERSIONS_MAX = 4;
const SHOWN_STATES = ['online', 'offline', 'inactive', 'pending'] as const;

/** What the tile shows. */
export function agentsTile({ totals, away }: Fleet): Made {
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
  return {
    note: plural(all, 'host'),
    rows: others + versions.length,
    lines: (width, height) => [
      stackedBar(
        states.map((state) => ({ value: of(state), tone: stateTone(state) })),
        width,
      ),
      chipsThatFit(
        states.map((state) => ({
          text: stateWord(state).text.replace(' ', ` ${grouped(of(state))} `),
          tone: stateTone(state),
        })),
        width,
      ),
      ...(flags.length > 0 ? [chipsThatFit(flags, width)] : []),
      ...barLines(
        versions.slice(0, Math.max(0, height - others)).map(({ value, count: n }) => ({
          label: value === '0' ? 'no version' : `version ${clean(value)}`,
          value: n,
          text: grouped(n),
          tone: 'notice' as const,
        })),
        width,
      ),
      away.length === 0
        ? []
        : [
            { text: 'away ', tone: 'muted' },
            { text: away.map(({ hostname }) => clean(hostname)).join(', '), tone: 'plain' },
          ],
    ],
  };
}
