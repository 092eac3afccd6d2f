// The decision which channels get which messages about an alert.
import { type AlertKind, alertKind } from '@quarterdeck/core';
import type { AlertDelivery, LockedChannel } from './delivery.repo.ts';
import type { Message } from './queue-messages.ts';
import { LATER_TYPES, type LaterType } from './transports/channel-kind.ts';
import { CHANNEL_KINDS } from './transports/kinds.ts';
import { isData } from './transports/message-data.ts';

/** True for messages about an alert that a first one has announced. */
export const isLater = (type: string): type is LaterType => LATER_TYPES.some((one) => one === type);

/**
 * Tells whether a channel gets a message. `earlier` are the messages about the same alert that channels have got.
 *
 * - A channel that got no first message gets no later one: another rule has sent it a message about the same error. Of
 *   an alert without any stored message, such as an old one, the end is sent all the same.
 * - Where messages stay as they are, an alert has one follow-up at most, none for what is minor, and an end only where
 *   its kind has one.
 */
export function wantsMessage(
  { id, kind }: LockedChannel,
  { type, data, isMinor }: Pick<Message, 'type' | 'data' | 'isMinor'>,
  earlier: readonly AlertDelivery[],
): boolean {
  if (!isLater(type)) return true;
  const { types, endless, once } = CHANNEL_KINDS[kind].later;
  if (!types.includes(type)) return false;
  const own = earlier.filter(({ channel }) => channel === id);
  if (own.length === 0 && (earlier.length > 0 || type !== 'alert.resolved')) return false;
  if (type === 'alert.resolved') return hasEnd(data) || (endless === true && own.length > 0);
  return once !== true || (isMinor !== true && own.every((delivery) => delivery.type !== type));
}

/** True for an alert of a kind whose end is news. */
function hasEnd(data: unknown): boolean {
  const kind = isData(data) ? data['kind'] : undefined;
  return typeof kind !== 'string' || (alertKind(kind as AlertKind)?.ends ?? true);
}
