// Reasons for which a move is refused before it changes anything.
import { DatabaseError } from '../database-error.ts';

/** Refuses a database that lacks migrations: copying and upgrading are two steps. */
export function refuseOtherVersion(place: string, pending: readonly string[]): void {
  if (pending.length === 0) return;
  throw new DatabaseError(
    'migration',
    `${place} was last used by an older version of Quarterdeck. Start the server of this version on it once, which upgrades it, and stop it; then run the move again.`,
  );
}

/** The error for a target that holds anything. */
export const refuseNotEmpty = (place: string): DatabaseError =>
  new DatabaseError(
    'foreign',
    `${place} is not empty, and not the target of an interrupted move. Name an empty database; nothing was changed.`,
  );

/** The error for a database that servers use. */
export const refuseLiveServers = (place: string): DatabaseError =>
  new DatabaseError('locked', `A server or a command uses ${place}. Stop all servers, then run the move again.`);
