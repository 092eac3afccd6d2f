// What is kept of the followed files between starts of the agent.
import { z } from 'zod';
import { encodeCheckpoint, SavedCheckpoint } from './checkpoint.ts';
import type { FollowedFile } from './followed-file.ts';

const SavedFile = SavedCheckpoint.extend({
  path: z.string(),
  key: z.string(),
  family: z.string(),
  /** Bytes it had at the last look. */
  size: z.int().min(0),
});

/** How far each file has been read, and which globs have been looked at before. */
export const Positions = z.object({ globs: z.array(z.string()), files: z.array(SavedFile) });
export type Positions = z.output<typeof Positions>;

/** {@link Positions} as they stand in a file. */
export type SavedPositions = z.input<typeof Positions>;

/** The positions of a host where nothing was followed yet. */
export const NO_POSITIONS: Positions = { globs: [], files: [] };

/** The positions as they are now. */
export const savePositions = (globs: Iterable<string>, files: Iterable<FollowedFile>): SavedPositions => ({
  globs: [...globs],
  files: Array.from(files, ({ identity: { path, key, family }, seen, checkpoint }) => ({
    path,
    key,
    family,
    size: seen?.size ?? checkpoint.offset,
    ...encodeCheckpoint(checkpoint),
  })),
});
