// The screen of the messages shown since the dashboard was started.

import type { Message } from '@quarterdeck/views/text';
import { use } from 'react';
import type { Column } from '../../components/list/column.ts';
import { paragraph } from '../../components/list/detail-lines.ts';
import { ShellContext } from '../../context/shell.ts';
import type { LogEntry } from '../../data/log.ts';
import { timeColumn } from '../list/columns.ts';
import { listScreen } from '../list/list-screen.tsx';
import { useLogRows } from '../list/use-log-rows.ts';

type Entry = LogEntry<Message>;

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

function useMessages() {
  const { messages } = use(ShellContext);
  return { rows: useLogRows(messages), clear: messages.clear };
}

export const MessagesScreen = listScreen({
  place: 'messages',
  useSource: useMessages,
  columns: () => COLUMNS,
  detail: ({ tone, text }) => ({ title: WORDS[tone], tone, lines: (width) => paragraph(text, width) }),
  commands: ({ total }, { source: { clear } }) => ({ clear: total === 0 ? undefined : clear }),
  empty: () => ({ title: 'No messages yet.', lines: ['Changes and failures are reported here.'] }),
});
