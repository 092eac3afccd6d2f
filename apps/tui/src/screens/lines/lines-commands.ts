// The commands of the lines' screen, besides those that read and copy.
import { stepLevel } from '@quarterdeck/views/errlog';
import { mildestLevel, withMildestLevel, withoutValue, withText, withValue } from '@quarterdeck/views/filters';
import type { LineRow } from '@quarterdeck/views/lines';
import { lineValue } from '@quarterdeck/views/lines';
import type { StoredFilter } from '@quarterdeck/views/saved-views';
import { stepTo } from '../../components/list/list-commands.ts';
import { detailRoom } from '../../components/list/list-layout.ts';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { Commands } from '../../keys/use-commands.ts';
import { type IsWanted, levelJumps } from '../shared/level-jumps.ts';
import { fieldOfColumn } from '../shared/line-columns.ts';
import { type LineDetail, type LineField, lineFields } from './line-detail.ts';
import type { Around } from './use-around.ts';

/** Longest part of a text that `b b` asks for, characters. */
const TEXT_MAX = 200;

/** The parts of the screen that the commands act on. */
export interface LinesParts {
  readonly list: List<LineRow>;
  /** The filter and its change; the change reports a filter that cannot be read. */
  readonly filter: string;
  readonly setFilter: (text: string) => void;
  /** Shows the lines of all errors again. */
  readonly clearFilter: () => void;
  /** Shows a saved view. */
  readonly showView: (filter: StoredFilter) => void;
  readonly around: Around;
  /** Name of the selected field in the details; null without one. */
  readonly fieldName: string | null;
  readonly setFieldName: (name: string) => void;
}

/** True while the keys move within the details. */
export const isInDetail = ({ state }: List<LineRow>): boolean => state.focus === 'detail' || state.detail === 'full';

/** The selected field: that of the details while they have the keys, else that of the selected column. */
export function selectedField({ list, fieldName }: Pick<LinesParts, 'list' | 'fieldName'>): LineField | undefined {
  const { selected, state, columns } = list;
  if (selected === undefined) return undefined;
  if (isInDetail(list)) return lineFields(selected.line).find(({ name }) => name === fieldName);
  const column = columns.find(({ id }) => id === state.column);
  const name = column === undefined ? undefined : fieldOfColumn(column.id);
  if (column === undefined || name === undefined) return undefined;
  return { label: column.title, name, value: lineValue(selected.line, name) };
}

/** The place of the selection in the details after a step: the next field if it is in view, else a scrolled row. */
export function stepField(
  { lines, starts }: LineDetail,
  place: { readonly at: number; readonly from: number },
  by: 1 | -1,
  height: number,
): { readonly at: number; readonly from: number } {
  const { at, from } = place;
  const next = starts[at + by];
  const most = Math.max(0, lines.length - height);
  if (next !== undefined && next >= from && next < from + height) return { at: at + by, from };
  return { at, from: Math.max(0, Math.min(from + by, most)) };
}

function narrowCommands({ list, filter, setFilter, fieldName }: LinesParts, { say, keyOf }: LinesContext) {
  const { selected, state } = list;
  if (selected === undefined) return {};
  const { line } = selected;
  const field = selectedField({ list, fieldName });
  const only =
    (name: string, value = lineValue(line, name)) =>
    () =>
      setFilter(withValue(filter, name, value));
  const ask = (): void =>
    say({
      tone: 'notice',
      text: `Select a field first: ${keyOf('list.columnRight')} selects columns, ${keyOf('list.nextPane')} the details.`,
    });
  const isText = state.column === 'text' && !isInDetail(list);
  const byText = (): void => setFilter(withText(filter, line.log.slice(0, TEXT_MAX)));
  const byColumn = isText ? byText : ask;
  return {
    byValue: field === undefined ? byColumn : only(field.name, field.value),
    notValue: field === undefined ? ask : () => setFilter(withoutValue(filter, field.name, field.value)),
    bySource: only('source'),
    byService: line.service === '' ? undefined : only('service'),
    byLevel: only('level'),
    byApp: line.app_id === 0 ? undefined : only('app'),
    byRequest: line.req_id === '' ? undefined : only('req'),
    byError: only('group'),
  };
}

/** Selects the loaded line after `steps` that have a wanted level. Returns a message where there is no further one. */
function jump(
  { rows, position, mover }: List<LineRow>,
  steps: number,
  what: string,
  isWanted: IsWanted,
): string | null {
  const at = stepTo(rows, position.index, steps, ({ line }) => !isWanted(line.level));
  if (at === position.index) return `No further ${what} in the loaded lines.`;
  mover.to(at);
  return null;
}

/** Commands that leave the screen, or show other lines in its place. */
function goCommands({ list: { selected }, around }: LinesParts, { go }: LinesContext) {
  if (selected === undefined) return {};
  const { line } = selected;
  return {
    around: () => around.enter(line.id),
    goError: line.group === 0 ? undefined : () => go({ screen: 'errlog', args: { group: String(line.group) } }),
    goAgent: line.host === '' ? undefined : () => go({ screen: 'agents', args: { host: line.host } }),
  };
}

/** Moves the selected field while the details have the keys. */
function fieldCommands(parts: LinesParts, detail: LineDetail | undefined): Partial<Commands<'lines'>> {
  const { list, fieldName, setFieldName } = parts;
  const { selected, state, act, layout } = list;
  if (selected === undefined || detail === undefined || !isInDetail(list)) return {};
  const fields = lineFields(selected.line);
  const height = Math.max(1, detailRoom(layout));
  const step = (by: 1 | -1) => (times: number) => {
    const from = state.scroll.id === selected.id ? state.scroll.from : 0;
    let place = { at: fields.findIndex(({ name }) => name === fieldName), from };
    for (let left = times; left > 0; left -= 1) place = stepField(detail, place, by, height);
    act({ type: 'scroll', id: selected.id, to: place.from });
    const field = fields[place.at];
    if (field !== undefined) setFieldName(field.name);
  };
  return { down: step(1), up: step(-1) };
}

type LinesContext = Pick<Dashboard, 'say' | 'go' | 'keyOf'>;

/** The commands that narrow, jump and go elsewhere. */
export function linesCommands(
  parts: LinesParts,
  context: LinesContext,
  detail: LineDetail | undefined,
): Partial<Commands<'lines'>> {
  const { filter, setFilter, clearFilter, list } = parts;
  const step = (by: 1 | -1) => (): void => setFilter(withMildestLevel(filter, stepLevel(mildestLevel(filter), by)));
  const field = isInDetail(list) ? selectedField(parts) : undefined;
  const { goError, ...others } = goCommands(parts, context);
  return {
    ...narrowCommands(parts, context),
    ...levelJumps((...step) => jump(list, ...step), context.say),
    ...others,
    goError,
    ...fieldCommands(parts, detail),
    // On the group, Enter opens it.
    ...(field?.name === 'group' && goError !== undefined ? { open: goError, enlarge: undefined } : {}),
    levelMore: mildestLevel(filter) === undefined ? undefined : step(1),
    levelLess: step(-1),
    clearFilter: filter === '' ? undefined : clearFilter,
  };
}
