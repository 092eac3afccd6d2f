// Binds the keys of the lines: reading, copying, exporting and counting values, besides the list's own.

import type { LineValues } from '@quarterdeck/core';
import { reportFailure } from '@quarterdeck/views/actions';
import { lineFilterSource, splitDialog } from '@quarterdeck/views/errlog';
import { withoutValue, withValue } from '@quarterdeck/views/filters';
import { countLineValues, isFollowing, type LineRow, linesCurl, waysToSend } from '@quarterdeck/views/lines';
import type { ChooseDialog } from '@quarterdeck/views/questions';
import { clean, grouped, plural } from '@quarterdeck/views/text';
import { rangeBounds } from '@quarterdeck/views/times';
import { bar } from '../../components/charts/bars.ts';
import { openFirstToken } from '../../components/first-lines.tsx';
import type { Detail } from '../../components/list/detail-lines.ts';
import type { ListExtras } from '../../components/list/list-context.ts';
import { type Dashboard, useDashboard } from '../../context/dashboard.ts';
import { exportLines } from '../../data/export-lines.ts';
import type { Commands } from '../../keys/use-commands.ts';
import { fit } from '../../text/width.ts';
import type { Run } from '../../theme/lines.ts';
import { goToTimeCommand } from '../list/go-to-time.ts';
import { detailRows } from '../list/list-screen.tsx';
import { useListCommands } from '../list/use-list-commands.ts';
import { fieldOfColumn } from '../shared/line-columns.ts';
import { useOpenLater } from '../shared/use-open-later.ts';
import { type LineDetail, lineFields } from './line-detail.ts';
import { isInDetail, type LinesParts, linesCommands, selectedField } from './lines-commands.ts';
import type { LinesModel } from './use-lines.ts';

/** Widest bar, columns; the note of a choice has a third of the dialog. */
const BAR_MAX = 10;

/** The actions of a choice: show only the lines with the value, or hide them. */
interface ValueActions {
  readonly onOnly: (value: string) => void;
  readonly onHide: (value: string) => void;
}

function valuesDialog(
  label: string,
  { values, other, distinct, meta }: LineValues,
  { onOnly, onHide }: ValueActions,
): ChooseDialog {
  const all = values.reduce((sum, { count }) => sum + count, other);
  const most = Math.max(1, ...values.map(({ count }) => count));
  const numbers = Math.max(0, ...values.map(({ count }) => grouped(count).length));
  const valueAt = (id: string): string => values[Number(id)]?.value ?? '';
  return {
    kind: 'choose',
    title: `${clean(label)}: ${plural(distinct, 'value')} in ${plural(all, 'line')}${meta.complete ? '' : ', not complete'}`,
    choices: values.map(({ value, count }, index) => ({
      id: String(index),
      text: clean(value) || '(none)',
      note: [
        fit(bar(count, most, BAR_MAX), BAR_MAX),
        grouped(count).padStart(numbers),
        `${Math.round((count / Math.max(1, all)) * 100)}%`.padStart(4),
      ].join(' '),
    })),
    onTake: ({ id }) => onOnly(valueAt(id)),
    onExclude: ({ id }) => onHide(valueAt(id)),
  };
}

/** Counts the values of the selected field on the server; without one, asks for the field. */
function valueCommands(parts: LinesParts, { state: { query } }: LinesModel, { client, open, say, fail }: Dashboard) {
  const { list, filter, setFilter } = parts;
  const count = (label: string, name: string): void => {
    countLineValues(client, query, name)
      .then((values) => {
        const onOnly = (value: string): void => setFilter(withValue(filter, name, value));
        const onHide = (value: string): void => setFilter(withoutValue(filter, name, value));
        open(valuesDialog(label, values, { onOnly, onHide }));
      })
      .catch(reportFailure({ say, fail }));
  };
  const choose = (): void => {
    const inColumns = list.columns.flatMap(({ id, title }) => {
      const name = fieldOfColumn(id);
      return name === undefined ? [] : [{ name, label: title }];
    });
    const inLine = list.selected === undefined ? [] : lineFields(list.selected.line);
    const fields = new Map([...inColumns, ...inLine].map(({ name, label }) => [name, label]));
    open({
      kind: 'choose',
      title: 'Count the values of a field',
      choices: [...fields].map(([name, label]) => ({ id: name, text: clean(label) })),
      onTake: ({ id, text }) => count(text, id),
    });
  };
  const field = selectedField(parts);
  return {
    frequency(_: number, text?: string) {
      if (text !== undefined) count(clean(text), text);
      else if (field === undefined) choose();
      else count(field.label, field.name);
    },
  };
}

/** Splits the chosen lines off their error. */
function splitCommand(
  { list: { chosen, act } }: LinesParts,
  { dispatch }: LinesModel,
  { client, recordUndo, openLater }: Pick<Dashboard, 'client' | 'recordUndo'> & { openLater: OpenLater },
): Partial<Commands<'lines'>> {
  const lines = chosen.map(({ line }) => line);
  const groups = new Set(lines.map(({ group }) => group));
  if (lines.length === 0 || groups.has(0)) return {};
  if (groups.size > 1) return { split: 'Mark lines of one error only.' };
  const onChanged = (): void => {
    act({ type: 'unmark' });
    dispatch({ type: 'refresh' });
  };
  return { split: () => openLater(splitDialog(lines, { client, recordUndo, onChanged })) };
}

type OpenLater = ReturnType<typeof useOpenLater>;

/** Copies texts, values and objects as the server has them. */
function copyCommands(parts: LinesParts, { copy, say }: Dashboard): Partial<Commands<'lines'>> {
  const { list } = parts;
  const { chosen } = list;
  if (chosen.length === 0) return {};
  const report = (text: string, what: string): void => {
    copy(text);
    say({ tone: 'good', text: `Copied ${what}.` });
  };
  const lines = chosen.map(({ line }) => line);
  const field = isInDetail(list) ? selectedField(parts) : undefined;
  const what = lines.length === 1 ? 'the text of the line' : `the text of ${grouped(lines.length)} lines`;
  return {
    copyRow: () => report(lines.map(({ log }) => clean(log)).join('\n'), what),
    ...(field === undefined ? {} : { copyCell: () => report(clean(field.value), clean(field.label)) }),
  };
}

interface LinesKeys {
  readonly parts: LinesParts;
  readonly detail: Detail | undefined;
  readonly layout: LineDetail | undefined;
  /** Filter with which the screen was opened. */
  readonly home: string;
  readonly visible: boolean;
}

/** Binds the keys while the screen is visible; returns the saved views as tabs. */
export function useLinesKeys(model: LinesModel, { parts, detail, layout, home, visible }: LinesKeys): readonly Run[] {
  const dashboard = useDashboard();
  const openLater = useOpenLater();
  const { state, dispatch, isLive } = model;
  const { list, around, setFilter } = parts;
  const { profile, client, range, now } = dashboard;
  const bounds = rangeBounds(range, Math.floor(now() / 1000));
  const isFirst = state.meta !== null && state.rows.length === 0 && parts.filter === '' && range === null;
  const leave = around.shown === null ? undefined : around.leave;
  const extras: ListExtras = {
    detail,
    detailRows: detailRows(list, detail),
    refresh: () => dispatch({ type: 'refresh' }),
    onFilter: setFilter,
    isSortable: () => false,
    json: ({ line }: { readonly line: unknown }) => line,
    ...(isFirst ? { ways: waysToSend(profile.url).map(({ command }) => command) } : {}),
    curl: linesCurl(profile.url, state.query),
    filterSource: lineFilterSource(client, bounds),
    writeFile: (path, overwrites) => exportLines(client, state.query, path, overwrites),
    bookmark: ({ line }: LineRow) => ({ title: line.log.split('\n', 1)[0] ?? '', timeS: line.time }),
    homeFilter: leave === undefined ? home : list.state.filter,
  };
  const tail: Partial<Commands<'lines'>> = {
    follow: isFollowing(state) || !isLive ? undefined : () => dispatch({ type: 'follow' }),
    goToTime: goToTimeCommand(dashboard, (timeS) => dispatch({ type: 'goTo', timeS })),
    pause: isLive ? () => dispatch({ type: 'pause' }) : undefined,
    ...(isInDetail(list)
      ? {}
      : {
          top: () => dispatch({ type: 'oldest' }),
          bottom: () =>
            dispatch(state.paused ? { type: 'moveTo', index: state.rows.length - 1, height: 1 } : { type: 'follow' }),
        }),
  };
  return useListCommands('lines', list, {
    visible,
    filter: { value: { filter: parts.filter }, set: parts.showView, hasRange: true },
    extras,
    own: {
      ...linesCommands(parts, dashboard, layout),
      ...valueCommands(parts, model, dashboard),
      ...copyCommands(parts, dashboard),
      ...(isFirst ? { create: () => openFirstToken(dashboard, openLater) } : {}),
      ...splitCommand(parts, model, { ...dashboard, openLater }),
      ...(leave === undefined ? tail : {}),
      sort: undefined,
      reverse: undefined,
    },
    clear: leave,
  });
}
