// Saved views of lists: filter, range, columns and order under a name. Kept for all servers, because a view describes
// what a person looks for and not a server. Pure.

import type { TimeRange } from '../times/range.ts';
import { type ColumnChoices, isRecord, readColumns, texts } from './stored.ts';

/** Filter of a screen as it is stored. */
export type StoredFilter = Readonly<Record<string, string | number | boolean>>;

/** Everything that a view restores. */
export interface ViewContent {
  /** Filter of the screen, where the server filters. */
  readonly filter: StoredFilter;
  /** Text of the list's filter. */
  readonly text: string;
  readonly facets: Readonly<Record<string, readonly string[]>>;
  readonly range: TimeRange | null;
  readonly columns: ColumnChoices;
}

export interface SavedView {
  readonly name: string;
  readonly content: ViewContent;
}

/** Maximum number of views of a list. */
export const VIEWS_MAX = 30;
/** Maximum length of a name, characters. */
export const VIEW_NAME_MAX = 40;

/** Returns whether two contents are the same, whatever the order of their fields. */
export const isSameView = (a: ViewContent, b: ViewContent): boolean => sortedJson(a) === sortedJson(b);

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([x], [y]) => (x < y ? -1 : 1))) : part,
  );
}

/** Returns the views with one added, or replaced in its place. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const at = views.findIndex(({ name }) => name === view.name);
  return at === -1 ? [...views, view].slice(0, VIEWS_MAX) : views.with(at, view);
}

/** Returns the problem of a name; null if there is none. */
export function viewNameProblem(name: string): string | null {
  if (name === '') return 'Type a name for the view.';
  return name.length > VIEW_NAME_MAX ? `A name has at most ${VIEW_NAME_MAX} characters.` : null;
}

function readRange(value: unknown): TimeRange | null {
  if (!isRecord(value)) return null;
  const { kind, seconds, startS, endS } = value;
  if (kind === 'last' && typeof seconds === 'number' && seconds > 0) return { kind, seconds };
  if (kind === 'since' && typeof startS === 'number') return { kind, startS };
  if (kind === 'span' && typeof startS === 'number' && typeof endS === 'number') return { kind, startS, endS };
  return null;
}

const readFilter = (value: unknown): StoredFilter =>
  isRecord(value)
    ? (Object.fromEntries(
        Object.entries(value).filter(([, part]) => ['string', 'number', 'boolean'].includes(typeof part)),
      ) as StoredFilter)
    : {};

const readFacets = (value: unknown): ViewContent['facets'] =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([id, values]) => [id, texts(values)])) : {};

/** Reads the stored views of all lists, ignoring invalid parts. */
export function readViews(value: unknown): Readonly<Record<string, readonly SavedView[]>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([list, views]) => [
      list,
      Array.isArray(views) ? views.flatMap(readView).slice(0, VIEWS_MAX) : [],
    ]),
  );
}

function readView(value: unknown): SavedView[] {
  if (!isRecord(value) || !isRecord(value['content'])) return [];
  const { name, content } = value;
  if (typeof name !== 'string' || viewNameProblem(name) !== null) return [];
  const { filter, text, facets, range, columns } = content as Record<string, unknown>;
  return [
    {
      name,
      content: {
        filter: readFilter(filter),
        text: typeof text === 'string' ? text : '',
        facets: readFacets(facets),
        range: readRange(range),
        columns: readColumns(isRecord(columns) ? columns : {}),
      },
    },
  ];
}
