// The screen of versions, paths and terminal features, for reports of problems.

import { useQuery } from '@quarterdeck/views/react';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { use, useCallback, useMemo } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import type { Column } from '../../components/list/column.ts';
import { DrawingContext } from '../../components/text.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import { ShellContext } from '../../context/shell.ts';
import { listScreen } from '../list/list-screen.tsx';

interface Row {
  readonly id: number;
  readonly label: string;
  readonly value: string;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'label',
    title: 'Fact',
    width: 20,
    pinned: true,
    searched: true,
    cell: ({ label }) => ({ text: label, tone: 'muted' }),
  },
  { id: 'value', title: 'Value', width: 20, grow: 1, searched: true, cell: ({ value }) => ({ text: value }) },
];

/** `1002003` is 1.2.3. */
export const versionText = (version: number): string =>
  `${Math.floor(version / 1_000_000)}.${Math.floor(version / 1000) % 1000}.${version % 1000}`;

function serverVersion(query: Query<{ readonly version: number }>): string {
  if (hasData(query)) return versionText(query.data.version);
  return query.status === 'failed' ? query.failure.message : '…';
}

function useInfo(active: boolean) {
  const { client, me, profile, online } = useDashboard();
  const { facts, settings } = use(ShellContext);
  const drawing = use(DrawingContext);
  const { width, height } = useFrame();
  const read = useCallback((signal: AbortSignal) => client.system.version({}, { signal }), [client]);
  const { query } = useQuery(read, { enabled: online && active });
  const server = serverVersion(query);
  const rows = useMemo(
    () =>
      [
        ['Server', profile.url],
        ['Console', profile.consoleUrl ?? 'the same'],
        ['Server version', server],
        ['Signed in as', `${me.username}, ${me.role}`],
        ['Credential', `${me.credential.kind === 'session' ? 'session' : 'API token'} ${me.credential.id}`],
        ['Permissions', me.permissions.join(', ')],
        ['Screen', `${width}x${height + 4}`],
        ['Theme', settings.theme],
        ['Charts', drawing === 'ascii' ? 'ascii' : settings.charts],
        ...facts,
      ].map(([label = '', value = ''], index): Row => ({ id: index + 1, label, value })),
    [profile, server, me, width, height, settings, drawing, facts],
  );
  return { rows };
}

export const InfoScreen = listScreen({
  place: 'info',
  useSource: useInfo,
  columns: () => COLUMNS,
  empty: () => ({ title: 'No information.' }),
});
