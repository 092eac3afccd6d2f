import type { Permission, UserActor } from '@quarterdeck/core';
import { authorize } from '@quarterdeck/express/parts';

/**
 * Requires permissions beside that of the endpoint: those of the data that a request is about.
 *
 * @throws AppError `scope_missing`, `forbidden`
 */
export function requirePermissions(actor: UserActor, needs: readonly Permission[]): void {
  for (const need of needs) authorize(need, actor);
}
