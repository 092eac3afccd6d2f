// What can be chosen. Each row is one setting; taking the next value changes it at once and writes it down.
import { type ReactElement, use, useMemo } from 'react';
import type { Column } from '../../components/list/column.ts';
import { factLines, paragraph } from '../../components/list/detail-lines.ts';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { Notice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { CHARTS, DEFAULTS, type Settings, STARTS } from '../../settings/settings.ts';
import { ShellContext } from '../../shell.ts';
import { THEMES } from '../../theme.ts';

type Name = 'theme' | 'charts' | 'ascii' | 'start' | 'mouse';

/** Settings that are true or false. */
const FLAGS: ReadonlySet<Name> = new Set(['ascii', 'mouse']);

interface Row {
  readonly id: number;
  readonly name: Name;
  readonly value: string;
  readonly options: readonly string[];
  readonly help: string;
}

const ROWS: readonly Omit<Row, 'value'>[] = [
  { id: 1, name: 'theme', options: THEMES, help: 'Colours. auto: as the terminal says; terminal: its own sixteen.' },
  { id: 2, name: 'charts', options: CHARTS, help: 'What charts are drawn with.' },
  { id: 3, name: 'ascii', options: ['false', 'true'], help: 'Draw with nothing but ASCII.' },
  { id: 4, name: 'start', options: STARTS, help: 'Where the dashboard begins.' },
  { id: 5, name: 'mouse', options: ['false', 'true'], help: 'Clicks choose, the wheel scrolls; F12 switches it.' },
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
    title: 'Of',
    width: 34,
    drop: 1,
    cell: ({ options }) => ({ text: options.join(' '), tone: 'muted' }),
  },
  {
    id: 'help',
    title: 'What',
    width: 20,
    grow: 1,
    drop: 2,
    searched: true,
    cell: ({ help }) => ({ text: help, tone: 'muted' }),
  },
];

/** The setting with its next value. */
export function nextValue(settings: Settings, name: Name, options: readonly string[]): Settings {
  const next = options[(options.indexOf(String(settings[name])) + 1) % options.length] ?? '';
  return { ...settings, [name]: FLAGS.has(name) ? next === 'true' : next };
}

/** The screen. */
export function SettingsScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { settings, setSettings, facts } = use(ShellContext);
  const { say } = useDashboard();
  const rows = useMemo(() => ROWS.map((row): Row => ({ ...row, value: String(settings[row.name]) })), [settings]);
  const change = ({ name, options }: Row): void => {
    const problem = setSettings(nextValue(settings, name, options));
    if (problem !== null) say({ tone: 'warning', text: `It holds until you quit: ${problem}` });
  };
  const path = facts.find(([label]) => label === 'Settings')?.[1] ?? 'config.toml';
  return (
    <ListScreen
      place="settings"
      visible={visible}
      rows={rows}
      columns={COLUMNS}
      detail={(row) => ({
        title: row.name,
        lines: (width) => [
          ...factLines(
            [
              { label: 'Value', value: row.value },
              { label: 'Default', value: String(DEFAULTS[row.name]) },
              { label: 'One of', value: row.options.join(', ') },
            ],
            width,
          ),
          [],
          ...paragraph(row.help, width, 'muted'),
          ...paragraph(`Keys and profiles are in ${path}, as [keys] and [profiles.name].`, width, 'muted'),
        ],
      })}
      extras={{}}
      commands={({ selected }) => ({ change: selected === undefined ? undefined : () => change(selected) })}
      empty={(width, height) => <Notice title="Nothing to choose." width={width} height={height} />}
    />
  );
}
