// Everything that was said since the dashboard was started.
import { type ReactElement, use, useMemo, useSyncExternalStore } from 'react';
import type { Column } from '../../components/list/column.ts';
import { paragraph } from '../../components/list/detail-lines.ts';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { timeColumn } from '../../components/list/time-column.ts';
import { Notice } from '../../components/notice.tsx';
import type { Message } from '../../data/dashboard.ts';
import type { Logged } from '../../data/log.ts';
import { ShellContext } from '../../shell.ts';

type Entry = Logged<Message>;

const WORDS: Readonly<Record<Message['tone'], string>> = {
  good: '✓ done',
  notice: '◆ notice',
  warning: '▲ warning',
  bad: '✖ failed',
};

const COLUMNS: readonly Column<Entry>[] = [
  timeColumn,
  { id: 'kind', title: 'Kind', width: 9, pinned: true, cell: ({ tone }) => ({ text: WORDS[tone], tone }) },
  { id: 'text', title: 'Message', width: 24, grow: 1, searched: true, cell: ({ text }) => ({ text }) },
];

/** The screen. */
export function MessagesScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { messages } = use(ShellContext);
  const entries = useSyncExternalStore(messages.subscribe, messages.entries);
  const rows = useMemo(() => entries.toReversed(), [entries]);
  return (
    <ListScreen
      place="messages"
      visible={visible}
      rows={rows}
      columns={COLUMNS}
      detail={(entry) => ({
        title: WORDS[entry.tone],
        tone: entry.tone,
        lines: (width) => paragraph(entry.text, width),
      })}
      commands={() => ({ clear: rows.length === 0 ? undefined : () => messages.clear() })}
      empty={(width, height) => (
        <Notice
          title="Nothing was said yet."
          lines={['What is done, and what fails, is told here.']}
          width={width}
          height={height}
        />
      )}
    />
  );
}
