// Saved views of a list: save, open, and the dialog that orders them.

import type { Choice, ChooseDialog } from '@quarterdeck/views/questions';
import {
  isSameView,
  type SavedView,
  type StoredFilter,
  VIEWS_MAX,
  type ViewContent,
  viewNameProblem,
  withView,
} from '@quarterdeck/views/saved-views';
import { clean } from '@quarterdeck/views/text';
import { useState, useSyncExternalStore } from 'react';
import { moved } from '../../components/list/column-dialog.ts';
import type { List, ListCommands } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { pressTo } from '../../keys/key-hints.ts';
import type { CommandName } from '../../keys/keymap.ts';
import type { Run } from '../../theme/lines.ts';

/** The filter of a screen whose server filters. */
export interface ScreenFilter {
  readonly value: object;
  readonly set: (filter: StoredFilter) => void;
  /** Set if the screen shows the range that all screens share. */
  readonly hasRange?: true;
}

export interface ListViews {
  readonly commands: ListCommands;
  /** The views as tabs; the open one is marked if it was changed since. */
  readonly tabs: readonly Run[];
}

/** Views with a key of their own. */
const KEYS_MAX = 9;
const NONE: readonly SavedView[] = [];

/** Describes a view in a few words. */
function describe({ filter, text, facets, columns }: ViewContent): string {
  const words = [
    ...(text === '' ? [] : [`/${text}`]),
    ...Object.entries(filter).flatMap(([name, value]) => (value === text ? [] : [`${name}=${value}`])),
    ...Object.values(facets).map((values) => values.join(',')),
    ...columns.sort.map(({ id, down }) => `by ${id}${down ? ' down' : ''}`),
  ];
  return clean(words.join(' '));
}

function tabRuns(views: readonly SavedView[], open: string | null, isChanged: boolean): Run[] {
  return views.slice(0, KEYS_MAX).flatMap(({ name }, index): Run[] => {
    const isOpen = name === open;
    return [
      { text: `'${index + 1} `, tone: 'key' },
      { text: `${clean(name)}${isOpen && isChanged ? '*' : ''}  `, tone: isOpen ? 'accent' : 'muted' },
    ];
  });
}

/** Holds the views of a list. */
export function useViews<T extends { readonly id: number }>(
  place: string,
  { state, act }: List<T>,
  filter: ScreenFilter | undefined,
): ListViews {
  const { store, open, say, range, setRange, keyOf } = useDashboard();
  const views = useSyncExternalStore(store.subscribe, () => store.get().views[place] ?? NONE);
  const [openName, setOpenName] = useState<string | null>(null);
  const { sort, order, hidden, shown, widths, facets } = state;
  const present: ViewContent = {
    filter: { ...(filter?.value as StoredFilter | undefined) },
    text: state.filter,
    facets,
    range: filter?.hasRange === true ? range : null,
    columns: { sort, order, hidden, shown, widths },
  };
  const opened = views.find(({ name }) => name === openName);
  const isChanged = opened !== undefined && !isSameView(opened.content, present);

  const show = ({ name, content }: SavedView): void => {
    act({ type: 'view', ...content });
    filter?.set(content.filter);
    if (filter?.hasRange === true) setRange(content.range);
    setOpenName(name);
  };
  const keep = (name: string): void => {
    store.setViews(place, withView(views, { name, content: present }));
    setOpenName(name);
  };
  const save = (typed: string): void => {
    const name = clean(typed).trim();
    const before = views.find((view) => view.name === name);
    const isFull = before === undefined && views.length >= VIEWS_MAX;
    const problem = isFull ? `A list has at most ${VIEWS_MAX} views; delete one first.` : viewNameProblem(name);
    if (problem !== null) {
      say({ tone: 'warning', text: problem });
    } else if (before === undefined || isSameView(before.content, present)) {
      keep(name);
      const at = before === undefined ? views.length : views.indexOf(before);
      const key = at < KEYS_MAX ? keyOf(`list.view${at + 1}` as CommandName) : undefined;
      say({ tone: 'good', text: [`Saved the view ${name}.`, ...pressTo(key, 'open it')].join(' ') });
    } else {
      open({
        kind: 'confirm',
        title: 'Replace the view?',
        lines: [`The view ${name} exists. It is replaced by the present filter, range, columns and order.`],
        yes: 'Replace',
        async run() {
          keep(name);
          return `Saved the view ${name}.`;
        },
      });
    }
  };
  const askName = (initial: string, onName: (name: string) => void): void =>
    open({ kind: 'prompt', label: 'name of the view: ', initial, history: [], onSubmit: onName });
  const dialog = (all: readonly SavedView[], at: number): ChooseDialog => {
    const change = (next: readonly SavedView[], index: number): void => {
      store.setViews(place, next);
      if (next.length > 0) open(dialog(next, Math.max(0, Math.min(index, next.length - 1))));
    };
    const rename =
      (name: string) =>
      (typed: string): void => {
        const next = clean(typed).trim();
        const isTaken = all.some((view) => view.name === next && next !== name);
        const problem = isTaken ? `A view is already named ${next}.` : viewNameProblem(next);
        if (problem !== null) {
          say({ tone: 'warning', text: problem });
          return;
        }
        change(
          all.map((view) => (view.name === name ? { ...view, name: next } : view)),
          at,
        );
        if (openName === name) setOpenName(next);
      };
    const remove = ({ id }: Choice, index: number): void =>
      open({
        kind: 'confirm',
        title: 'Delete the view?',
        lines: [clean(id)],
        yes: 'Delete',
        async run() {
          const next = all.filter(({ name }) => name !== id);
          store.setViews(place, next);
          return next.length === 0 ? `Deleted the view ${clean(id)}.` : dialog(next, Math.min(index, next.length - 1));
        },
      });
    return {
      kind: 'choose',
      title: 'Saved views',
      byLetter: true,
      at,
      choices: all.map(({ name, content }, index) => ({
        id: name,
        lead: '',
        text: `${name}${name === openName && isChanged ? '*' : ''}`,
        note: describe(content),
        ...(index < KEYS_MAX ? { letter: String(index + 1) } : {}),
      })),
      note: 'Enter open   e rename   D delete   < > move',
      actions: [
        { key: 'e', run: ({ id }) => askName(id, rename(id)) },
        { key: 'D', run: remove },
        { key: '<', run: (_, index) => change(moved(all, index, -1), index - 1) },
        { key: '>', run: (_, index) => change(moved(all, index, 1), index + 1) },
      ],
      onTake({ id }) {
        const view = all.find(({ name }) => name === id);
        if (view !== undefined) show(view);
      },
    };
  };
  const byName = (typed: string): void => {
    const view =
      views.find(({ name }) => name === typed) ?? (/^\d+$/.test(typed) ? views[Number(typed) - 1] : undefined);
    if (view === undefined) say({ tone: 'warning', text: `No view is named ${clean(typed)}; :view lists them.` });
    else show(view);
  };
  const numbered = views.slice(0, KEYS_MAX).map((view, index) => [`view${index + 1}`, () => show(view)] as const);
  return {
    tabs: tabRuns(views, openName, isChanged),
    commands: {
      views(_, argument = '') {
        const saving = /^save\s+(.+)$/.exec(argument)?.[1];
        if (saving !== undefined) save(saving);
        else if (argument === 'save') askName(openName ?? '', save);
        else if (argument !== '') byName(argument);
        else if (views.length > 0) open(dialog(views, 0));
        else
          say({
            tone: 'notice',
            text: `No saved views yet; ${keyOf('list.saveView') ?? ':save'} saves the present one.`,
          });
      },
      saveView(_, name) {
        if (name === undefined) askName(openName ?? '', save);
        else save(name);
      },
      ...Object.fromEntries(numbered),
    },
  };
}
