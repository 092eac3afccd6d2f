// The commands of the time range and of the time zone.

import { momentText, ZONES, type Zone, zoneName } from '@quarterdeck/views/text';
import {
  LAST_DAY,
  LAST_HOUR,
  LAST_WEEK,
  type Present,
  parseRange,
  rangeBounds,
  rangeText,
  type TimeRange,
} from '@quarterdeck/views/times';
import { use } from 'react';
import { RANGE_SCREENS } from '../commands/navigation.ts';
import { rangeNote } from '../commands/time-arguments.ts';
import type { Dashboard } from '../context/dashboard.ts';
import type { PromptDialog } from '../context/dialog.ts';
import { ShellContext } from '../context/shell.ts';
import { RANGE_KEYS } from '../keys/keymap-times.ts';
import type { Commands } from '../keys/use-commands.ts';

type RangeDashboard = Pick<Dashboard, 'range' | 'setRange' | 'zone' | 'now' | 'open' | 'say' | 'store' | 'navigation'>;

/** Ranges to choose from; `null` asks for a typed one. */
const CHOICES: readonly { readonly text: string; readonly typed: string | null }[] = [
  { text: 'Last 15 minutes', typed: '15m' },
  { text: 'Last hour', typed: '1h' },
  { text: 'Last 3 hours', typed: '3h' },
  { text: 'Last 12 hours', typed: '12h' },
  { text: 'Last day', typed: '1d' },
  { text: 'Last 7 days', typed: '7d' },
  { text: 'Last 30 days', typed: '30d' },
  { text: 'Today', typed: 'today' },
  { text: 'Yesterday', typed: 'yesterday' },
  { text: 'All times', typed: 'all' },
  { text: 'Type a range…', typed: null },
];

/** Sets the range from a typed text. */
function typeRange({ range, setRange, zone, now, say }: RangeDashboard, text: string): void {
  const nowMs = now();
  const { start_time: startS = 0 } = rangeBounds(range, Math.floor(nowMs / 1000));
  const parsed = parseRange(text, { nowMs, zone }, startS);
  if ('problem' in parsed) say({ tone: 'warning', text: parsed.problem });
  else setRange(parsed.value);
}

/** The prompt for a range; `word` is put in front of the text. */
function rangePrompt(dashboard: RangeDashboard, word = ''): PromptDialog {
  const { zone, now } = dashboard;
  return {
    kind: 'prompt',
    label: `time range${word === '' ? '' : `, ${word}`}: `,
    initial: '',
    history: [],
    note: (text) => rangeNote(word, text, { nowMs: now(), zone }),
    onSubmit: (text) => text.trim() !== '' && typeRange(dashboard, `${word} ${text}`.trim()),
  };
}

/** The start of a range that can be chosen. */
function startNote(typed: string, present: Present): string {
  const parsed = parseRange(typed, present);
  if ('problem' in parsed || parsed.value === null) return '';
  const { start_time: startS = 0 } = rangeBounds(parsed.value, Math.floor(present.nowMs / 1000));
  return `from ${momentText(startS, present.nowMs)}`;
}

function choose(dashboard: RangeDashboard): void {
  const { open, zone, now, range } = dashboard;
  open({
    kind: 'choose',
    title: `Time range · now ${rangeText(range, now())}`,
    choices: CHOICES.map(({ text, typed }, index) => ({
      id: String(index),
      text,
      note: typed === null ? '' : startNote(typed, { nowMs: now(), zone }),
    })),
    onTake({ id }) {
      const { typed = null } = CHOICES[Number(id)] ?? {};
      if (typed === null) open(rangePrompt(dashboard));
      else typeRange(dashboard, typed);
    },
  });
}

/** The reason of the commands of the range on screens without one. */
const NO_RANGE = Object.fromEntries(
  Object.keys(RANGE_KEYS).map((command) => [command, 'This screen has no time range.']),
) as Commands<'app'>;

/** The commands; those of the range only on the screens that show it. */
export function useRangeCommands(dashboard: RangeDashboard): Partial<Commands<'app'>> {
  const { settings, setSettings } = use(ShellContext);
  const { setRange, open, say, now, navigation } = dashboard;
  const typed = (word: string) => (_: number, text?: string) =>
    text === undefined ? open(rangePrompt(dashboard, word)) : typeRange(dashboard, `${word} ${text}`.trim());
  const to = (range: TimeRange | null) => () => setRange(range);
  const setZone = (zone: Zone): void => {
    const problem = setSettings({ ...settings, zone });
    const name = zoneName(now(), zone);
    say(
      problem === null
        ? { tone: 'good', text: `All times are in ${name}${zone === 'local' ? ', the local zone' : ''}.` }
        : { tone: 'warning', text: `The zone lasts until you quit: ${problem}` },
    );
  };
  const zone = (_: number, name?: string): void => {
    const wanted = ZONES.find((one) => one === name?.toLowerCase());
    if (name !== undefined && wanted === undefined) say({ tone: 'warning', text: `Zones: ${ZONES.join(', ')}.` });
    else setZone(wanted ?? (settings.zone === 'utc' ? 'local' : 'utc'));
  };
  if (!RANGE_SCREENS.has(navigation.target.screen)) return { ...NO_RANGE, zone };
  return {
    zone,
    timeRange: (_, text) => (text === undefined ? choose(dashboard) : typeRange(dashboard, text)),
    typeRange: typed(''),
    since: typed('since'),
    from: typed('from'),
    until: typed('until'),
    lastHour: to(LAST_HOUR),
    lastDay: to(LAST_DAY),
    lastWeek: to(LAST_WEEK),
    allTimes: dashboard.range === null ? 'All times are shown already.' : to(null),
  };
}
