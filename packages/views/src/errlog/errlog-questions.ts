// The dialogs of the error log as data: mute, note, change all that match.

import type { Client, ErrlogEntry, ErrlogState } from '@quarterdeck/sdk';
import { checkUntil, untilFields, untilOf, untilWords } from '../questions/mute-form.ts';
import type { ObjectGroup } from '../questions/object-groups.ts';
import type { ConfirmDialog, FormDialog } from '../questions/question.ts';
import type { QuestionContext } from '../questions/question-context.ts';
import { clean } from '../text/clean.ts';
import { plural } from '../text/format.ts';
import { shorten } from '../text/shorten.ts';
import { rangeBounds, rangeText, type TimeRange } from '../times/range.ts';
import {
  describeFilter,
  type ErrlogFilter,
  groupsOf,
  setErrlogNote,
  setErrlogState,
  setMatchingState,
} from './errlog.ts';
import { readErrlogGroups } from './errlog-preview.ts';

/** Longest excerpt of a message in a question, columns. */
const EXCERPT = 66;

const excerpt = (entry: ErrlogEntry): string => shorten(clean(entry.log.slice(0, 200)), EXCERPT);
/** The groups that entries stand for: an entry of several sources is as many groups. */
function groupsText(entries: readonly ErrlogEntry[]): string {
  const groups = entries.reduce((sum, { sources = 1 }) => sum + sources, 0);
  return groups === 1 ? `group ${entries[0]?.id}` : plural(groups, 'group');
}

/** The states before a change, for undo. */
type PreviousStates = readonly Pick<ErrlogEntry, 'id' | 'state' | 'until'>[];

/** Everything that the dialogs need. */
export interface ErrlogUpdates extends Pick<QuestionContext, 'client' | 'recordUndo'> {
  readonly isProtected: boolean;
  /** Runs after each change. */
  readonly onChanged: () => void;
}

/** A change to each state, in a word. */
export const STATE_DONE: Readonly<Record<ErrlogState, string>> = {
  resolved: 'Resolved',
  muted: 'Muted',
  ongoing: 'Reopened',
  new: 'Reopened',
  regressed: 'Reopened',
};

/** Changes states without a question. */
export async function changeStates(
  shown: readonly ErrlogEntry[],
  state: ErrlogState,
  { client, recordUndo, onChanged }: ErrlogUpdates,
  until?: string,
): Promise<string> {
  const entries = (await Promise.all(shown.map((entry) => groupsOf(client, entry)))).flat();
  const done = await setErrlogState(
    client,
    entries.map(({ id }) => id),
    state,
    until,
  );
  onChanged();
  const changed = entries.length === done ? groupsText(entries) : `${done} of ${entries.length}`;
  const text = `${STATE_DONE[state]} ${changed}.`;
  return recordUndo(text, () => restoreStates(entries, client).finally(onChanged));
}

/** Asks before states are changed. */
export function stateDialog(
  entries: readonly ErrlogEntry[],
  state: 'resolved' | 'ongoing',
  updates: ErrlogUpdates,
): ConfirmDialog {
  const verb = state === 'resolved' ? 'Resolve' : 'Reopen';
  return {
    kind: 'confirm',
    title: `${verb} ${groupsText(entries)}?`,
    lines: entries.map(excerpt),
    yes: `${verb} ${entries.length === 1 ? 'it' : 'them'}`,
    run: () => changeStates(entries, state, updates),
  };
}

/** Puts back the states before a change. */
export async function restoreStates(before: PreviousStates, client: Client): Promise<void> {
  const groups = Map.groupBy(before, ({ state = 'ongoing', until = '' }) => `${state} ${until}`);
  for (const [key, entries] of groups) {
    const [state = 'ongoing', until = ''] = key.split(' ');
    const ids = entries.map(({ id }) => id);
    await setErrlogState(client, ids, state as ErrlogState, state === 'muted' && until !== '' ? until : undefined);
  }
}

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

export function noteDialog(
  entry: ErrlogEntry,
  { client, recordUndo }: Pick<QuestionContext, 'client' | 'recordUndo'>,
  onDone: (entry: ErrlogEntry) => void,
): FormDialog {
  const save = async (note: string): Promise<void> => onDone(await setErrlogNote(client, entry.id, note));
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
      await save(note);
      const text = `Saved the note to group ${entry.id}.`;
      return recordUndo(text, () => save(entry.note ?? ''));
    },
  };
}

const ACTIONS = [
  { value: 'resolved', label: 'resolve' },
  { value: 'muted', label: 'mute' },
  { value: 'ongoing', label: 'reopen' },
];

/** Changes all groups that match: counts first, then asks. */
export function bulkDialog(
  filter: ErrlogFilter,
  { range, nowMs }: { readonly range: TimeRange | null; readonly nowMs: number },
  nameOf: (src: number) => string,
  updates: ErrlogUpdates,
): FormDialog {
  const { client, isProtected, recordUndo, onChanged } = updates;
  // The same span for the count and for the change.
  const query = { ...filter, ...rangeBounds(range, Math.floor(nowMs / 1000)) };
  const words = [
    ...(range === null ? [] : [rangeText(range, nowMs)]),
    ...describeFilter(filter, nameOf),
    ...(filter.filter === undefined ? [] : [`/${clean(filter.filter)}`]),
  ];
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
      const { matched } = await setMatchingState(client, query, { ...change, dry_run: true });
      const groups = await readErrlogGroups(client, query, matched);
      const act = async (): Promise<string> => {
        const text = `Changed ${plural((await setMatchingState(client, query, change)).done, 'group')}.`;
        onChanged();
        return recordUndo(text, null);
      };
      return confirmBulk({ matched, groups }, words, change, act, isProtected);
    },
  };
}

function confirmBulk(
  { matched, groups: objects }: { readonly matched: number; readonly groups: readonly ObjectGroup[] },
  words: readonly string[],
  { state, until }: { readonly state: ErrlogState; readonly until?: string },
  run: () => Promise<string>,
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
    groups: objects,
    yes: `Change ${groups}`,
    typed: isProtected ? String(matched) : undefined,
    run,
  };
}
