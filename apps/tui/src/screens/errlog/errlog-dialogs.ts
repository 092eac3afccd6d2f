// The dialogs of the error log as data: mute, note, change all that match.
import { type ErrlogState, parseMute } from '@quarterdeck/core';
import type { Client, ErrlogEntry } from '@quarterdeck/sdk';
import type { ConfirmDialog, FormDialog, Problem, Values } from '../../components/dialog/dialog.ts';
import type { Field } from '../../components/form/form-state.ts';
import {
  describeFilter,
  type ErrlogFilter,
  setErrlogNote,
  setErrlogState,
  setMatchingState,
} from '../../data/errlog.ts';
import { type KeyOf, pressTo } from '../../keys/key-hints.ts';
import { clean } from '../../text/clean.ts';
import { plural } from '../../text/format.ts';
import { cut } from '../../text/width.ts';

/** Longest excerpt of a message in a question, columns. */
const EXCERPT = 66;

const UNTILS = [
  { value: '1h', label: '1 hour' },
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '100x/1h', label: '100 an hour' },
  { value: 'forever', label: 'forever' },
  { value: 'own', label: 'other' },
];

const untilFields = (values: Values): Field[] => [
  { kind: 'choice', name: 'until', label: 'Until', options: UNTILS },
  ...(values['until'] === 'own'
    ? [{ kind: 'text' as const, name: 'own', label: 'Other', max: 20, hint: '30m, 2w, 500x, 100x/6h' }]
    : []),
];

const untilOf = ({ until = '', own = '' }: Values): string => (until === 'own' ? own.trim() : until);

const checkUntil = (values: Values): Problem | null =>
  parseMute(untilOf(values)) === undefined
    ? { field: 'own', text: 'Enter a time (30m, 1h, 7d), a number of times (100x), or a rate (100x/1h).' }
    : null;

/** The end of a mute in a sentence. */
export function untilWords(until: string): string {
  const mute = parseMute(until);
  switch (mute?.kind) {
    case 'forever':
      return 'It stays muted until somebody reopens it.';
    case 'time':
      return `It comes back after ${until}.`;
    case 'count':
      return `It comes back once it has happened ${mute.count} times more.`;
    case 'rate':
      return `It comes back once it happens ${mute.count} times within ${until.split('/')[1] ?? ''}.`;
    default:
      return '';
  }
}

const excerpt = (entry: ErrlogEntry): string => cut(clean(entry.log.slice(0, 200)), EXCERPT);
const groupsText = (entries: readonly ErrlogEntry[]): string =>
  entries.length === 1 ? `group ${entries[0]?.id}` : plural(entries.length, 'group');

/** The states before a change, for undo. */
export type PreviousStates = readonly Pick<ErrlogEntry, 'id' | 'state' | 'until'>[];

/** Everything that the dialogs need. */
export interface ErrlogUpdates {
  readonly client: Client;
  readonly isProtected: boolean;
  readonly keyOf: KeyOf;
  readonly onChanged: (before: PreviousStates) => void;
}

/** Changes states without a question; the message names the key of undo. */
export async function changeStates(
  entries: readonly ErrlogEntry[],
  state: ErrlogState,
  { client, keyOf, onChanged }: ErrlogUpdates,
  until?: string,
): Promise<string> {
  const done = await setErrlogState(
    client,
    entries.map(({ id }) => id),
    state,
    until,
  );
  onChanged(entries);
  const words = { resolved: 'Resolved', muted: 'Muted', ongoing: 'Reopened', new: 'Reopened', regressed: 'Reopened' };
  const changed = entries.length === done ? groupsText(entries) : `${done} of ${entries.length}`;
  return [`${words[state]} ${changed}.`, ...pressTo(keyOf('errlog.undo'), 'undo')].join(' ');
}

/** Asks before states are changed. */
export function stateDialog(
  entries: readonly ErrlogEntry[],
  state: 'resolved' | 'ongoing',
  updates: ErrlogUpdates,
): ConfirmDialog {
  return {
    kind: 'confirm',
    title: `Set ${groupsText(entries)} to ${state}?`,
    lines: entries.map(excerpt),
    yes: state === 'resolved' ? 'Resolve it' : 'Reopen it',
    run: () => changeStates(entries, state, updates),
  };
}

/** Undoes the last change. */
export async function undo(before: PreviousStates, client: Client): Promise<string> {
  const groups = Map.groupBy(before, ({ state = 'ongoing', until = '' }) => `${state} ${until}`);
  for (const [key, entries] of groups) {
    const [state = 'ongoing', until = ''] = key.split(' ');
    const ids = entries.map(({ id }) => id);
    await setErrlogState(client, ids, state as ErrlogState, state === 'muted' && until !== '' ? until : undefined);
  }
  return `Undid ${plural(before.length, 'change')}.`;
}

/** Mutes groups. */
export function muteDialog(entries: readonly ErrlogEntry[], updates: ErrlogUpdates): FormDialog {
  return {
    kind: 'form',
    title: `Mute ${groupsText(entries)}`,
    submit: 'mute',
    initial: { until: '1d', own: '' },
    fields: untilFields,
    check: checkUntil,
    preview: (values) => [...entries.slice(0, 3).map(excerpt), untilWords(untilOf(values))],
    run: (values) => changeStates(entries, 'muted', updates, untilOf(values)),
  };
}

/** Writes a note. */
export function noteDialog(entry: ErrlogEntry, client: Client, onDone: (entry: ErrlogEntry) => void): FormDialog {
  return {
    kind: 'form',
    title: `Note to group ${entry.id}`,
    submit: 'save it',
    initial: { note: entry.note ?? '' },
    fields: () => [
      { kind: 'text', name: 'note', label: 'Note', max: 2000, long: true, hint: 'what you know about it' },
    ],
    preview: () => [excerpt(entry)],
    async run({ note = '' }) {
      onDone(await setErrlogNote(client, entry.id, note));
      return 'Saved the note.';
    },
  };
}

const ACTIONS = [
  { value: 'resolved', label: 'resolve' },
  { value: 'muted', label: 'mute' },
  { value: 'ongoing', label: 'reopen' },
];

/** Changes all groups that match: counts first, then asks. */
export function bulkDialog(filter: ErrlogFilter, nameOf: (src: number) => string, updates: ErrlogUpdates): FormDialog {
  const { client, isProtected } = updates;
  const words = [...describeFilter(filter, nameOf), ...(filter.q === undefined ? [] : [`with "${clean(filter.q)}"`])];
  return {
    kind: 'form',
    title: 'Change all that match',
    submit: 'count them',
    initial: { action: 'resolved', until: '1d', own: '' },
    fields: (values) => [
      { kind: 'choice', name: 'action', label: 'Action', options: ACTIONS },
      ...(values['action'] === 'muted' ? untilFields(values) : []),
    ],
    check: (values) => (values['action'] === 'muted' ? checkUntil(values) : null),
    preview: () => [
      words.length === 0 ? 'No filter is set: this changes every group.' : `Groups that match: ${words.join(', ')}.`,
    ],
    async run(values) {
      const state = values['action'] as ErrlogState;
      const change = { state, ...(state === 'muted' ? { until: untilOf(values) } : {}) };
      const { matched } = await setMatchingState(client, filter, { ...change, dry_run: true });
      return confirmBulk(matched, words, change, () => setMatchingState(client, filter, change), isProtected);
    },
  };
}

function confirmBulk(
  matched: number,
  words: readonly string[],
  { state, until }: { readonly state: ErrlogState; readonly until?: string },
  act: () => Promise<{ readonly done: number }>,
  isProtected: boolean,
): ConfirmDialog {
  const groups = plural(matched, 'group');
  return {
    kind: 'confirm',
    title: `Set ${groups} to ${state}?`,
    lines: [
      words.length === 0 ? 'All groups.' : `Groups that match: ${words.join(', ')}.`,
      ...(until === undefined ? [] : [untilWords(until)]),
    ],
    yes: `Change ${groups}`,
    typed: isProtected ? String(matched) : undefined,
    run: async () => `Changed ${plural((await act()).done, 'group')}.`,
  };
}
