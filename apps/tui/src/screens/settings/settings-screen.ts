// The screen of the settings. A change takes effect at once and is written to the file.

import { ZONES } from '@quarterdeck/views/text';
import { use, useMemo } from 'react';
import type { Column } from '../../components/list/column.ts';
import { type Detail, type Facts, factDetail, paragraph } from '../../components/list/detail-lines.ts';
import { ShellContext } from '../../context/shell.ts';
import { pressTo } from '../../keys/key-hints.ts';
import type { CommandName } from '../../keys/keymap.ts';
import { DEFAULTS, type Settings, STARTS } from '../../settings/settings.ts';
import { CHARTS } from '../../theme/glyphs.ts';
import type { ListScreenContext } from '../list/list-description.ts';
import { listScreen } from '../list/list-screen.tsx';

type Name = 'theme' | 'charts' | 'ascii' | 'start' | 'mouse' | 'zone';

interface Row {
  readonly id: number;
  readonly name: Name;
  readonly value: string;
  readonly options: readonly string[];
  readonly help: string;
  /** The command that changes the setting from any screen. */
  readonly command?: CommandName;
}

const rowsOf = (themes: readonly string[]): readonly Omit<Row, 'value'>[] => [
  {
    id: 1,
    name: 'theme',
    options: themes,
    help: 'Colours. auto follows the terminal; terminal uses its sixteen colours.',
  },
  { id: 2, name: 'charts', options: CHARTS, help: 'Characters of the charts.' },
  {
    id: 3,
    name: 'ascii',
    options: ['auto', 'false', 'true'],
    help: 'Draw with ASCII only. auto does where the locale is not UTF-8.',
  },
  { id: 4, name: 'start', options: STARTS, help: 'First screen.' },
  {
    id: 5,
    name: 'mouse',
    options: ['false', 'true'],
    help: 'Clicks choose, the wheel scrolls.',
    command: 'always.mouse',
  },
  {
    id: 6,
    name: 'zone',
    options: ZONES,
    help: 'Time zone of all times on the screen and of typed times.',
    command: 'app.zone',
  },
];

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', title: 'Setting', width: 10, pinned: true, searched: true, cell: ({ name }) => ({ text: name }) },
  {
    id: 'value',
    title: 'Value',
    width: 10,
    cell: ({ value, name }) => ({ text: value, tone: value === String(DEFAULTS[name]) ? 'plain' : 'accent' }),
  },
  {
    id: 'options',
    title: 'Options',
    width: 34,
    drop: 1,
    cell: ({ options }) => ({ text: options.join(' '), tone: 'muted' }),
  },
  {
    id: 'help',
    title: 'Description',
    width: 20,
    grow: 1,
    drop: 2,
    searched: true,
    cell: ({ help }) => ({ text: help, tone: 'muted' }),
  },
];

const VALUES = new Map([
  ['true', true],
  ['false', false],
]);

/** The setting with its next value. */
export function nextValue(settings: Settings, name: Name, options: readonly string[]): Settings {
  const next = options[(options.indexOf(String(settings[name])) + 1) % options.length] ?? '';
  return { ...settings, [name]: VALUES.get(next) ?? next };
}

function useSettings() {
  const { settings, setSettings, themes, facts } = use(ShellContext);
  const rows = useMemo(
    () => rowsOf(themes).map((row): Row => ({ ...row, value: String(settings[row.name]) })),
    [settings, themes],
  );
  const path = facts.find(([label]) => label === 'Settings')?.[1] ?? 'config.toml';
  return { rows, settings, setSettings, path };
}

type Context = ListScreenContext<ReturnType<typeof useSettings>>;

function settingDetail(row: Row, { source: { path }, keyOf }: Context): Detail {
  const { name, value, options, help, command } = row;
  const hint = command === undefined ? [] : pressTo(keyOf(command), 'change it');
  const facts: Facts = [
    { label: 'Value', value },
    { label: 'Default', value: String(DEFAULTS[name]) },
    { label: 'Options', value: options.join(', ') },
  ];
  return factDetail(name, facts, (width) => [
    [],
    ...paragraph([help, ...hint].join(' '), width, 'muted'),
    ...paragraph(
      `Keys, custom commands and profiles are in ${path}: [keys], [[commands]], [profiles.name].`,
      width,
      'muted',
    ),
  ]);
}

export const SettingsScreen = listScreen({
  place: 'settings',
  useSource: useSettings,
  columns: () => COLUMNS,
  detail: settingDetail,
  commands({ selected }, { say, source: { settings, setSettings } }) {
    if (selected === undefined) return {};
    const { name, options } = selected;
    return {
      change() {
        const problem = setSettings(nextValue(settings, name, options));
        if (problem !== null) say({ tone: 'warning', text: `The setting lasts until you quit: ${problem}` });
      },
    };
  },
  empty: () => ({ title: 'No settings.' }),
});
