// Describes the differences of configuration trees as changes of the host.
import { dirname } from 'node:path';
import type { FoundChange } from '../../observe/watcher.ts';
import type { FileDiffs } from './file-diffs.ts';
import type { EntryState } from './tree-file.ts';

/** Changes that a look reports one by one. */
const CHANGES_MAX = 200;
/** Characters of a hash that are shown. */
const SHOWN = 12;
const ABSENT = 'absent';

/** A difference of one path. */
export interface Difference {
  readonly path: string;
  /** Absent where the path did not exist. */
  readonly from: EntryState | undefined;
  readonly to: EntryState | undefined;
  /** Unix milliseconds, by the host's file system. */
  readonly atMs: number | undefined;
  readonly of: 'content' | 'mode';
}

function contentText(state: EntryState | undefined, label: string): string {
  if (state === undefined) return ABSENT;
  const { kind, content } = state;
  if (kind === 'link') return `link to ${content}`;
  if (kind === 'folder') return 'folder';
  if (kind === 'other') return 'special file';
  const hash = content === '' ? 'unread' : label + content.slice(0, SHOWN);
  if (kind === 'start') return `${hash} (size, time and first MiB)`;
  return kind === 'denied' ? `${hash} (size and time)` : hash;
}

async function changeOf(
  { path, from, to, atMs, of }: Difference,
  diffs: FileDiffs,
  label: string,
): Promise<FoundChange> {
  const text = (state: EntryState | undefined) => (of === 'mode' ? `mode ${state?.mode}` : contentText(state, label));
  const diff = of === 'content' ? await diffs.between(path, from, to) : undefined;
  return {
    kind: 'config',
    field: path,
    from: text(from),
    to: text(to),
    ...(atMs === undefined ? {} : { atMs }),
    ...(diff === undefined ? {} : { diff }),
  };
}

/**
 * Makes the changes, and sums up those beyond the bound: a tree that is replaced must not fill the history. `label`
 * stands before hashes.
 */
export async function changesOf(
  differences: readonly Difference[],
  diffs: FileDiffs,
  label: string,
): Promise<FoundChange[]> {
  const changes: FoundChange[] = [];
  for (const difference of differences.slice(0, CHANGES_MAX)) changes.push(await changeOf(difference, diffs, label));
  const [first, ...more] = differences.slice(CHANGES_MAX);
  if (first === undefined) return changes;
  const to = `${more.length + 1} more changes`;
  return [...changes, { kind: 'config', field: dirname(first.path), from: '', to }];
}
