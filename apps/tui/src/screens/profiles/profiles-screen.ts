// The screen of the profiles: servers to connect to. It needs no answer of the present one.

import { clean } from '@quarterdeck/views/text';
import { use, useMemo } from 'react';
import type { Column } from '../../components/list/column.ts';
import { factDetail } from '../../components/list/detail-lines.ts';
import { ShellContext } from '../../context/shell.ts';
import type { Profile, ProfileColor } from '../../profiles/profile.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { listScreen } from '../list/list-screen.tsx';
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
    cell: ({ present }) => (present ? { text: '● current', tone: 'good' } : { text: '○', tone: 'faint' }),
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
    title: 'Protection',
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

function useProfiles() {
  const shell = use(ShellContext);
  const { profiles, profile: present, settings } = shell;
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
  return { rows, shell };
}

const GIVEN = 'This server comes from the environment or the command line.';

export const ProfilesScreen = listScreen({
  place: 'profiles',
  useSource: useProfiles,
  columns: () => COLUMNS,
  detail: (row) =>
    factDetail(row.name, [
      { label: 'Address', value: row.url },
      { label: 'Console', value: row.consoleUrl ?? 'the same' },
      { label: 'Changes', value: row.readOnly ? 'not allowed' : 'allowed' },
      { label: 'Protected', value: row.isProtected ? 'names are typed before anything is destroyed' : 'no' },
      { label: 'Token', value: row.tokenFile === undefined ? 'sign in' : clean(row.tokenFile) },
    ]),
  commands({ selected, state }, { open, say, select, source: { rows, shell } }) {
    // A new profile is the last one.
    const create = () => open(profileDialog(null, shell, () => select(rows.length + 1)));
    if (selected === undefined) return { create };
    const { name, present, given } = selected;
    const connect = (): void => {
      const problem = shell.connectTo(name);
      if (problem !== null) say({ tone: 'warning', text: problem });
    };
    const remove = present ? 'You are connected to this server.' : () => open(removeDialog(selected, shell));
    return {
      create,
      use: present || state.focus === 'facets' ? undefined : connect,
      edit: given ? GIVEN : () => open(profileDialog(selected, shell)),
      remove: given ? GIVEN : remove,
    };
  },
  empty: () => ({ title: 'No servers.' }),
});
