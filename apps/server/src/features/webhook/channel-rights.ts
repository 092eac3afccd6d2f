// Rights of channels (decision 071). Events are sent with the present rights of the user who chose them. Whoever sets
// the receiver must be allowed to read what it gets.
import {
  alertNeeds,
  messageNeeds,
  missingPermission,
  type Permission,
  subjectNeeds,
  type UserActor,
  type WebhookDelivery,
  type WebhookEventType,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { type Author, type AuthorColumns, readAuthors, whyStopped } from '../../auth/author.repo.ts';
import { hasPermissions, requirePermissions, showAlert } from '../../auth/require-permissions.ts';
import { readContents } from './delivery.repo.ts';

/** Permissions to choose events of these types for a channel, and to keep them coming. */
export const feedNeeds = (types: readonly string[]): Permission[] => [
  ...new Set(types.flatMap((type) => subjectNeeds(type as WebhookEventType))),
];

/** True where an event may be sent with the rights of an author. `data` is its JSON text. */
export function maySend({ permissions }: Author, type: string, data: string): boolean {
  const needs = messageNeeds(type, type.startsWith('alert.') ? JSON.parse(data) : undefined);
  return missingPermission(permissions, ['webhook:manage', ...needs]) === undefined;
}

/** A channel with events, as far as their author matters. */
export interface FedChannel extends AuthorColumns {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  /** Types separated by spaces. */
  readonly types: string;
}

/** Types of events that a channel does not get now, and why. */
export interface Withheld {
  readonly types: readonly string[];
  readonly why: string;
}

/** Reads the events that some channels do not get, because their authors have lost a right; undefined for none. */
export async function readWithheld(
  tx: Tx,
  channels: readonly FedChannel[],
): Promise<(channel: FedChannel) => Withheld | undefined> {
  const fed = channels.filter(({ enabled, types }) => enabled && types !== '');
  const authorOfChannel = await readAuthors(tx, fed);
  return (channel) => {
    if (!fed.includes(channel)) return undefined;
    const author = authorOfChannel(channel);
    const needsOf = (type: string) => ['webhook:manage' as const, ...feedNeeds([type])];
    const types = channel.types.split(' ').filter((type) => missingPermission(author.permissions, needsOf(type)));
    const why = types.map((type) => whyStopped(author, needsOf(type))).find((text) => text !== undefined);
    return why === undefined ? undefined : { types, why };
  };
}

/**
 * Requires the permissions of all that a channel sends to its receiver: its events, the alerts of its rules, and stored
 * messages. A caller who sets the address of a channel reads them there.
 *
 * @throws AppError `scope_missing`, `forbidden`
 */
export async function requireAllOf(tx: Tx, actor: UserActor, channel: Pick<FedChannel, 'id' | 'types'>): Promise<void> {
  requirePermissions(actor, feedNeeds(channel.types === '' ? [] : channel.types.split(' ')));
  const { kinds, messages } = await readContents(tx, channel.id);
  for (const kind of kinds) requirePermissions(actor, alertNeeds(kind));
  for (const { type, kind } of messages) requireMessage(actor, type, { kind });
}

/**
 * Requires the permissions to read a message.
 *
 * @throws AppError `scope_missing`, `forbidden`
 */
export function requireMessage(actor: UserActor, type: string, data: unknown): void {
  requirePermissions(actor, messageNeeds(type, data));
}

/**
 * Leaves the message out of a delivery that a caller may not read. An answer of the receiver may quote it, so only the
 * status is left of that as well.
 */
export function shownDelivery(actor: UserActor, delivery: WebhookDelivery): WebhookDelivery {
  const needs = messageNeeds(delivery.type, delivery.body['data']);
  if (hasPermissions(actor, needs)) {
    const { data, ...rest } = delivery.body;
    const isAlert = delivery.type.startsWith('alert.') && typeof data === 'object' && data !== null;
    return isAlert ? { ...delivery, body: { ...rest, data: showAlert(actor, data) } } : delivery;
  }
  const { status, error } = delivery;
  return {
    ...delivery,
    error: status === null || error === '' ? error : `The receiver answers ${status}.`,
    answer: '',
    body: {},
    needs: missingPermission(actor.permissions, needs) ?? null,
  };
}
