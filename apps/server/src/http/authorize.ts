// The door: who may use an endpoint.
import { type Access, type Actor, AppError, can } from '@quarterdeck/core';

/**
 * Lets the caller through or throws: 401 for nobody, 403 for somebody who may not.
 */
export function authorize(access: Access, actor: Actor | null): void {
  if (can(actor, access)) return;
  if (actor === null) throw new AppError('credential_missing');
  throw new AppError('forbidden', {
    ...(access.includes(':') ? { detail: `This needs the permission ${access}.` } : {}),
  });
}
