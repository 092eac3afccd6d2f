// The servers one can connect to. Works whether the present one answers or not.
import { type ReactElement, use, useMemo } from 'react';
import type { Column } from '../../components/list/column.ts';
import { factLines } from '../../components/list/detail-lines.ts';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { Notice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import type { Profile, ProfileColor } from '../../profiles/profile.ts';
import { ShellContext } from '../../shell.ts';
import { clean } from '../../text/clean.ts';
import type { BaseTone } from '../../theme.ts';
import { profileDialog, removeDialog } from './profile-dialogs.ts';

type Row = Profile & { readonly id: number; readonly present: boolean; readonly given: boolean };

const TONES: Readonly<Record<ProfileColor, BaseTone>> = {
  none: 'plain',
  red: 'badgeRed',
  yellow: 'badgeYellow',
  green: 'badgeGreen',
  blue: 'badgeBlue',
};

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'present',
    title: 'State',
    width: 9,
    pinned: true,
    cell: ({ present }) => (present ? { text: '● present', tone: 'good' } : { text: '○', tone: 'faint' }),
  },
  {
    id: 'name',
    title: 'Name',
    width: 12,
    grow: 1,
    max: 24,
    pinned: true,
    searched: true,
    cell: ({ name, color }) => ({ text: name, tone: TONES[color] }),
  },
  { id: 'url', title: 'Address', width: 20, grow: 3, max: 60, searched: true, cell: ({ url }) => ({ text: url }) },
  {
    id: 'guard',
    title: 'Guard',
    width: 20,
    drop: 1,
    cell: ({ readOnly, isProtected }) => ({
      text: [...(readOnly ? ['[RO]'] : []), ...(isProtected ? ['protected'] : [])].join(' '),
      tone: 'warning',
    }),
  },
  {
    id: 'from',
    title: 'From',
    width: 11,
    drop: 2,
    cell: ({ given }) => ({ text: given ? 'environment' : 'settings', tone: 'muted' }),
  },
];

/** The screen. */
export function ProfilesScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const shell = use(ShellContext);
  const { open, say } = useDashboard();
  const { profiles, profile: present, settings, connectTo } = shell;
  const rows = useMemo(
    () =>
      profiles.map(
        (profile, index): Row => ({
          ...profile,
          id: index + 1,
          present: profile.name === present.name,
          given: settings.profiles.every(({ name }) => name !== profile.name),
        }),
      ),
    [profiles, present, settings],
  );
  const connect = (name: string): void => {
    const problem = connectTo(name);
    if (problem !== null) say({ tone: 'warning', text: problem });
  };
  return (
    <ListScreen
      place="profiles"
      visible={visible}
      rows={rows}
      columns={COLUMNS}
      detail={(row) => ({
        title: row.name,
        lines: (width) =>
          factLines(
            [
              { label: 'Address', value: row.url },
              { label: 'Console', value: row.consoleUrl ?? 'the same' },
              { label: 'Changes', value: row.readOnly ? 'nothing is changed from here' : 'allowed' },
              { label: 'Protected', value: row.isProtected ? 'what is destroyed has to be typed' : 'no' },
              { label: 'Token', value: row.tokenFile === undefined ? 'sign in' : clean(row.tokenFile) },
            ],
            width,
          ),
      })}
      commands={({ selected }) => ({
        create: () => open(profileDialog(null, shell)),
        ...(selected === undefined || selected.present ? {} : { use: () => connect(selected.name) }),
        ...(selected === undefined || selected.given
          ? {}
          : {
              edit: () => open(profileDialog(selected, shell)),
              remove: selected.present ? undefined : () => open(removeDialog(selected, shell)),
            }),
      })}
      empty={(width, height) => <Notice title="No servers." width={width} height={height} />}
    />
  );
}
