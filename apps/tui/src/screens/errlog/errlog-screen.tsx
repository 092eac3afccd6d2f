// The error logs: list, details of the selected entry, live updates.
import { levelName } from '@quarterdeck/core';
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import { DetailPane, factLines, type Line } from '../../components/detail-pane.tsx';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { listCommands } from '../../components/list-commands.ts';
import { failureLines, Notice } from '../../components/notice.tsx';
import { splitForDetail, undivided } from '../../components/split.ts';
import { locate } from '../../components/table/cursor.ts';
import { Table } from '../../components/table/table.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { staleText } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { cleanLines } from '../../text/clean.ts';
import { wrap } from '../../text/width.ts';
import { levelTone } from '../../theme.ts';
import { isFollowing } from './errlog-state.ts';
import { errlogChips, errlogColumns, errlogFacts } from './errlog-view.ts';
import { levelFilterText, stepLevel } from './levels.ts';
import { useErrlog } from './use-errlog.ts';

/** The screen; while it is not visible it stays up to date and shows nothing. */
export function ErrlogScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const { now, overlay, open, close } = useDashboard();
  const detailed = visible && overlay?.kind === 'detail';
  const split = detailed ? splitForDetail(width, height) : undivided(width, height);
  const listRows = Math.max(1, split.list.height - 1);
  const model = useErrlog(listRows);
  const { state } = model;
  const nowMs = useNow(now, state.failure !== null || detailed ? 1000 : 60_000, visible);

  const { index, offset } = locate(state.cursor, state.order, listRows);
  const selected = state.rows.get(state.order[index] ?? Number.NaN);
  const columns = useMemo(() => errlogColumns(state.rows.values(), nowMs), [state.rows, nowMs]);
  const openDetail = (): void => {
    model.read(true);
    open({ kind: 'detail' });
  };
  const closeDetail = (): void => {
    model.read(false);
    close();
  };
  useCommands(
    'errlog',
    {
      ...listCommands(model.mover, listRows),
      refresh: model.refresh,
      open: selected === undefined ? undefined : openDetail,
      follow: isFollowing(state) ? undefined : model.follow,
      pause: model.pause,
      levelUp: () => model.filter(stepLevel(state.levelMax, 1)),
      levelDown: () => model.filter(stepLevel(state.levelMax, -1)),
      clearFilter: state.levelMax === null ? undefined : () => model.filter(null),
    },
    { active: visible },
  );
  if (!visible) return null;

  const rows = state.order.slice(offset, offset + listRows).flatMap((id) => state.rows.get(id) ?? []);
  const lines = (columnsWide: number): Line[] =>
    selected === undefined
      ? []
      : [
          ...factLines(errlogFacts(selected, nowMs), columnsWide),
          [],
          ...cleanLines(selected.log).flatMap((line) => wrap(line, columnsWide).map((text): Line => [{ text }])),
        ];
  const { failure, atMs } = state;
  const standing = failure === null || atMs === 0 ? null : staleText(failure, atMs, nowMs);
  return (
    <ScreenFrame chips={errlogChips(state, index)} standing={standing}>
      <Box flexDirection={split.side === 'beside' ? 'row' : 'column'}>
        <Box flexDirection="column" width={split.list.width} height={split.list.height} overflow="hidden">
          {rows.length > 0 ? (
            <Table columns={columns} rows={rows} selectedId={selected?.id} width={split.list.width} />
          ) : (
            <EmptyErrlog model={model} width={split.list.width} height={split.list.height} />
          )}
        </Box>
        {detailed && selected !== undefined && (
          <DetailPane
            id={selected.id}
            title={`${levelName(selected.level)} ${selected.id}`}
            tone={levelTone(selected.level)}
            split={split}
            lines={lines}
            onMove={model.mover.by}
            onClose={closeDetail}
          />
        )}
      </Box>
    </ScreenFrame>
  );
}

interface EmptyProps {
  readonly model: ReturnType<typeof useErrlog>;
  readonly width: number;
  readonly height: number;
}

function EmptyErrlog({ model, width, height }: EmptyProps): ReactElement {
  const { failure, levelMax, total } = model.state;
  if (failure !== null) {
    return <Notice title={failure.message} tone="bad" lines={failureLines(failure)} width={width} height={height} />;
  }
  if (total === null) return <Notice title="Reading the error logs…" tone="muted" width={width} height={height} />;
  const filter = levelFilterText(levelMax);
  return filter === undefined ? (
    <Notice
      title="No errors."
      lines={['New ones appear here by themselves, as soon as a source sends them.']}
      width={width}
      height={height}
    />
  ) : (
    <Notice title={`Nothing at ${filter}.`} lines={['Press Esc to see all levels.']} width={width} height={height} />
  );
}
