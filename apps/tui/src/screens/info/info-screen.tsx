// Versions, paths, and what the terminal can do: what one is asked for when something is wrong.
import { type ReactElement, use, useCallback, useMemo } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import type { Column } from '../../components/list/column.ts';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { Notice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData } from '../../data/query.ts';
import { useQuery } from '../../data/use-query.ts';
import { ShellContext } from '../../shell.ts';

interface Row {
  readonly id: number;
  readonly label: string;
  readonly value: string;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'label',
    title: 'What',
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

/** The screen. */
export function InfoScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { client, me, profile, online } = useDashboard();
  const { facts, settings } = use(ShellContext);
  const { width, height } = useFrame();
  const read = useCallback((signal: AbortSignal) => client.system.version({}, { signal }), [client]);
  const { query } = useQuery(read, { enabled: online && visible });
  const server = hasData(query)
    ? versionText(query.data.version)
    : query.status === 'failed'
      ? query.failure.message
      : '…';
  const rows = useMemo(
    () =>
      [
        ['Server', profile.url],
        ['Console', profile.consoleUrl ?? 'the same'],
        ['Server version', server],
        ['Signed in as', `${me.username}, ${me.role}`],
        ['By', `${me.credential.kind === 'session' ? 'session' : 'API token'} ${me.credential.id}`],
        ['May do', me.permissions.join(', ')],
        ['Screen', `${width}x${height + 4}`],
        ['Theme', settings.theme],
        ['Charts', settings.ascii ? 'ascii' : settings.charts],
        ...facts,
      ].map(([label = '', value = ''], index): Row => ({ id: index + 1, label, value })),
    [profile, server, me, width, height, settings, facts],
  );
  return (
    <ListScreen
      place="info"
      visible={visible}
      rows={rows}
      columns={COLUMNS}
      empty={(columns, lines) => <Notice title="Nothing is known." width={columns} height={lines} />}
    />
  );
}
