// Positions in the followed files, stored between runs of the agent.
import { z } from 'zod';
import { encodeCheckpoint, SavedCheckpoint } from './checkpoint.ts';
import { ContainerPositions } from './container-logs.ts';
import type { FollowedFile } from './followed-file.ts';

const SavedFile = SavedCheckpoint.extend({
  path: z.string(),
  key: z.string(),
  family: z.string(),
  /** Size in bytes at the last poll. */
  size: z.int().min(0),
});

/** Position in each file, the globs that were scanned before, and the positions in the journal and of containers. */
export const Positions = z.object({
  globs: z.array(z.string()),
  files: z.array(SavedFile),
  /** Cursor of the journal of systemd. */
  journal: z.string().max(1_000).optional(),
  containers: ContainerPositions.optional(),
});
export type Positions = z.output<typeof Positions>;

/** Stored form of {@link Positions}. */
export type SavedPositions = z.input<typeof Positions>;

/** Positions of a host where nothing was followed yet. */
export const NO_POSITIONS: Positions = { globs: [], files: [] };

/** Encodes the current positions. */
export const savePositions = (globs: Iterable<string>, files: Iterable<FollowedFile>): SavedPositions => ({
  globs: [...globs],
  files: Array.from(files, ({ identity: { path, key, family }, seen, checkpoint }) => ({
    path,
    key,
    family,
    size: seen.size,
    ...encodeCheckpoint(checkpoint),
  })),
});
