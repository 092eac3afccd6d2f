// Announces tokens that must be checked again, for services that keep the result of a check for a while.
import type { Tx } from '@quarterdeck/core/db';
import type { EventBus } from '../event/event.bus.ts';

/** Publishes `token.revoked` for tokens, inside the write that changes them. */
export const announceRevoked = (
  events: EventBus,
  tx: Tx,
  tokens: readonly { readonly id: number; readonly userId: number }[],
): Promise<void> =>
  events.publish(
    tx,
    tokens.map(({ id, userId: uid }) => ({ type: 'token.revoked', data: { id, uid } })),
  );
