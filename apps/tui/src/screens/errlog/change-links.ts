// From a suspected change to what it did or changed: the effects of a change from outside, the lines of a file.
import type { ErrlogChanges, SuspectedChange } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { agentDiff, agentDiffs } from '@quarterdeck/views/agents';
import { changeText, changeTitle } from '@quarterdeck/views/changes';
import type { Choice } from '@quarterdeck/views/questions';
import { clean } from '@quarterdeck/views/text';
import type { Dialog, TextDialog } from '../../context/dialog.ts';
import { changeFacts, effectsLines } from '../shared/change-lines.ts';
import { diffDialog } from '../shared/diff-dialog.ts';

/** A change with something behind it. */
interface Linked {
  readonly id: string;
  readonly change: SuspectedChange;
}

function linkedChanges({ windows }: ErrlogChanges): Linked[] {
  const all = windows
    .flatMap(({ changes }) => changes)
    .filter(({ change_id: id, has_diff, agents }) => id > 0 || (has_diff && agents.length > 0));
  const idOf = ({ change_id: id, field, to }: SuspectedChange): string => (id > 0 ? `change ${id}` : `${field} ${to}`);
  return [...new Map(all.map((change) => [idOf(change), { id: idOf(change), change }])).values()];
}

/** The changes that have effects or changed lines, each once. */
export const linkChoices = (changes: ErrlogChanges): Choice[] =>
  linkedChanges(changes).map(({ id, change }) => ({
    id,
    text: clean(changeText(change)),
    note: change.change_id > 0 ? 'effects' : 'changed lines',
  }));

async function effectsDialog(client: Client, id: number, nowMs: number): Promise<TextDialog> {
  const [change, effects] = await Promise.all([
    client.change.get({ params: { id } }),
    client.change.effects({ params: { id }, query: {} }),
  ]);
  const read = { status: 'ready', data: effects, atMs: nowMs } as const;
  return {
    kind: 'text',
    title: changeTitle(change),
    lines: (width) => [...effectsLines(read, nowMs, width), [], ...changeFacts(change, nowMs, width)],
  };
}

/** Reads the changed lines of a file on the first agent that changed it. */
async function linesDialog(client: Client, { field, to, agents: [agent] }: SuspectedChange): Promise<Dialog> {
  const id = agent?.id ?? 0;
  const entry = (await agentDiffs(client, id)).find((one) => one.field === field && one.to === to);
  if (entry !== undefined) return diffDialog(entry, await agentDiff(client, id, entry.id));
  return { kind: 'text', title: clean(field), lines: () => [[{ text: 'The changed lines are no longer stored.' }]] };
}

/** Reads the effects or the changed lines behind a choice of {@link linkChoices}. */
export function linkDialog(client: Client, changes: ErrlogChanges, id: string, nowMs: number): Promise<Dialog> {
  const linked = linkedChanges(changes).find((one) => one.id === id);
  if (linked === undefined) return Promise.reject(new Error(`no change ${id}`));
  const { change } = linked;
  return change.change_id > 0 ? effectsDialog(client, change.change_id, nowMs) : linesDialog(client, change);
}
