// Waits for the outcome of messages that a command has queued.
import { setTimeout as delay } from 'node:timers/promises';
import { type AlertTest, type Client, isApiError, type WebhookDelivery } from '@quarterdeck/sdk';
import { failureOf } from '../command/failure.ts';
import { CommandError } from '../process/command-error.ts';

/** Longest wait: as long as the server waits for the receiver. */
const WAIT_MS = 10_000;
const POLL_MS = 100;

/**
 * Waits until a message was attempted. `failure` begins the sentence about one that was not delivered.
 *
 * @returns the delivery once the receiver has taken it
 * @throws CommandError where it was not delivered, with the answer of the receiver or what it waits for
 */
async function waitForDelivery(client: Client, id: number, failure: string): Promise<WebhookDelivery> {
  const endMs = performance.now() + WAIT_MS;
  for (;;) {
    const delivery = await client.webhook.delivery({ params: { id } });
    const { state, attempts, error } = delivery;
    if (state === 'delivered') return delivery;
    if (attempts > 0 || state !== 'waiting') {
      const next = state === 'waiting' ? ' The server tries again; see the deliveries of the channel.' : '';
      throw new CommandError('refused', `${failure}: ${error}${next}`);
    }
    if (performance.now() >= endMs) {
      const why = 'the receiver has not answered yet, or others wait before it; see the deliveries of the channel';
      throw new CommandError('tryAgain', `${failure} within ${WAIT_MS / 1000} s: ${why}`);
    }
    await delay(POLL_MS);
  }
}

const ofChannel = (channel: number) => `Channel ${channel} did not deliver the test message`;

/** Waits for the test message of a channel. */
export const settleChannel = (client: Client, channel: number, queued: unknown): Promise<WebhookDelivery> =>
  waitForDelivery(client, (queued as WebhookDelivery).id, ofChannel(channel));

/** Waits for a message that is sent again. */
export const settleDelivery = (client: Client, id: number): Promise<WebhookDelivery> =>
  waitForDelivery(client, id, `Delivery ${id} failed`);

/**
 * Waits for the test messages of a rule.
 *
 * @returns the answer of the test, with the outcome of each delivery
 * @throws CommandError with a line for each channel that did not deliver
 */
export async function settleRule(client: Client, _rule: number, queued: unknown): Promise<unknown> {
  const { deliveries, ...test } = queued as AlertTest;
  const waits = deliveries.map(({ id, channel }) => waitForDelivery(client, id, ofChannel(channel)));
  const outcomes = await Promise.allSettled(waits);
  const [first, ...others] = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (first === undefined) {
    const taken = outcomes.flatMap((one, i) =>
      one.status === 'fulfilled'
        ? { id: one.value.id, channel: deliveries[i]?.channel, state: one.value.state, status: one.value.status }
        : [],
    );
    return { ...test, deliveries: taken };
  }
  const { message, exit } = failureOf(first);
  if (isApiError(first) && first.status === 403) {
    const text = 'The message is queued. Reading its outcome takes webhook:manage; --no-wait does without.';
    throw new CommandError(exit, `${message}\n  ${text}`);
  }
  throw new CommandError(exit, [message, ...others.map((other) => failureOf(other).message)].join('\n'));
}
