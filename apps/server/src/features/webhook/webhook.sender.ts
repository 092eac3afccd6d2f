// Sends what waits: the messages of a channel one after the other, channels at the same time. Of several servers, the
// one with the lease sends.
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { MessagePart, WebhookKind } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { createLease } from '@quarterdeck/core/sql';
import type { Logger } from 'pino';
import type { SecretKey } from '../../auth/secrets.ts';
import type { AuditLog } from '../audit/audit.log.ts';
import { disableGone, GONE, moveMessages } from './gone-channel.repo.ts';
import type { RunningAttempts } from './recall.ts';
import { nextAttempt } from './retry-plan.ts';
import {
  dueChannels,
  earlierMessage,
  type FailedAttempt,
  nextMessage,
  type SendingChannel,
  storeDelivered,
  storeFailed,
  type WaitingMessage,
} from './sending.repo.ts';
import { CHANNEL_KINDS } from './transports/kinds.ts';
import type { OpenChannel, Outcome, StoredMessage, Transports } from './transports/transport.ts';
import { isLater } from './wants-message.ts';
import { createFeed } from './webhook.feed.ts';
import { openSecrets, openSettings, openUrl } from './webhook.secrets.ts';
import { words } from './webhook.view.ts';

/** Channels that are sent to at the same time. */
const CHANNELS_MAX = 16;
/** Messages of a channel before the others have their turn. */
const TURN_MAX = 100;
const ATTEMPT_MS = 10_000;
/** Half of it is left when an attempt begins, so that an attempt ends within the lease. */
const LEASE_MS = 2 * ATTEMPT_MS + 2000;
/** Wait before a result is stored again, and between a signal and the messages that it announces. */
const STORE_AGAIN_MS = 1000;
const WAKE_MS = 20;
const ERROR_MAX = 1000;
const ANSWER_MAX = 300;
const RECEIPT_MAX = 200;
/** Types of messages that a person has asked for. */
const TESTS: readonly string[] = ['webhook.test', 'alert.test'];

export interface SenderDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly key: SecretKey;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly transports: Transports;
  readonly attempts: RunningAttempts;
}

export interface Sender {
  /** Begins to send what is due. True where this server does it, false where another one does. */
  tick(): Promise<boolean>;
  /** Sends until nothing is due. */
  settle(): Promise<void>;
  stats(): SenderStats;
  /** Ends the attempts that run; the next server repeats them. */
  close(): Promise<void>;
}

/** Attempts of this server since its start: those that succeeded, failed and are repeated, or were the last. */
export type SenderStats = Readonly<Record<'delivered' | 'failed' | 'dead', number>>;

interface Sending {
  readonly channel: SendingChannel;
  readonly message: WaitingMessage;
}

/** Creates a sender. It wakes up with each signal of the database, and by {@link Sender.tick}. */
export function createSender({ db, log, key, audit, now, transports, attempts: running }: SenderDeps): Sender {
  const feed = createFeed(db, now);
  const lease = createLease(db, 'deliveries', LEASE_MS, now);
  const stopping = new AbortController();
  /** Channels that are sent to, by id. */
  const busy = new Map<number, Promise<void>>();
  const attempts = { delivered: 0, failed: 0, dead: 0 };
  let isHolder = db.dialect === 'sqlite';
  let timer: NodeJS.Timeout | undefined;
  let ticking: Promise<unknown> = Promise.resolve();

  const open = (channel: SendingChannel): OpenChannel => ({
    id: channel.id,
    name: channel.name,
    kind: channel.kind as OpenChannel['kind'],
    url: openUrl(key, channel) ?? '',
    recipients: words(channel.recipients),
    secrets: openSecrets(key, channel, now()),
    settings: openSettings(key, channel),
    prefix: channel.prefix,
    parts: words(channel.parts) as MessagePart[],
  });

  /** A message with the one that it amends, where its channel can amend. */
  async function toStored({ channel, message }: Sending): Promise<StoredMessage> {
    const amends = isLater(message.type) && CHANNEL_KINDS[channel.kind as WebhookKind].later.amends === true;
    const earlier = amends ? await earlierMessage(db.read, channel.id, message) : undefined;
    return { ...message, attempt: message.attempts + 1, earlier };
  }

  /** Attempts once; undefined where the server stops or the message is recalled meanwhile. */
  async function attempt(sending: Sending, recalled: AbortSignal): Promise<Outcome | undefined> {
    const ended = AbortSignal.any([stopping.signal, recalled]);
    const signal = AbortSignal.any([ended, AbortSignal.timeout(ATTEMPT_MS)]);
    const { channel } = sending;
    try {
      const stored = await toStored(sending);
      const outcome = await Promise.race([transports.send(open(channel), stored, signal), whenAborted(signal)]);
      return !outcome.ok && ended.aborted ? undefined : outcome;
    } catch (error) {
      log.error({ err: error, webhook: channel.id }, 'a message could not be sent');
      return { ok: false, status: null, error: 'Internal error; see the log of the server.' };
    }
  }

  /** Stores the result of an attempt. */
  async function store(sending: Sending, outcome: Outcome): Promise<void> {
    const nowMs = now();
    if (outcome.ok) {
      const { status, receipt = '', answer = '', pauseMs = 0 } = outcome;
      // Only that to a test: answers may repeat the message.
      const shown = TESTS.includes(sending.message.type) ? cleaned(answer, ANSWER_MAX) : '';
      const sent = { status, receipt: cleaned(receipt, RECEIPT_MAX), answer: shown, pauseMs };
      await db.write((tx) => storeDelivered(tx, sending, sent, nowMs));
      attempts.delivered += 1;
      return;
    }
    const { attempts: before, expiresMs } = sending.message;
    const nextMs = nextAttempt(outcome, { attempts: before + 1, nowMs, expiresMs, random: Math.random() });
    const error = cleaned(outcome.error, ERROR_MAX);
    const failed: FailedAttempt = { status: outcome.status, error, nextMs };
    const { id, name } = sending.channel;
    const isGone = await db.write(async (tx) => {
      await storeFailed(tx, sending, failed, nowMs);
      if (outcome.status !== GONE || !(await disableGone(tx, id, nowMs))) return false;
      const detail = { name, reason: `the receiver answered ${GONE}` };
      await audit.record(tx, { action: 'webhook.disable', actor: 'system', target: { kind: 'webhook', id }, detail });
      return true;
    });
    if (isGone) await reportGone(sending.channel, nowMs);
    attempts[nextMs === undefined ? 'dead' : 'failed'] += 1;
  }

  /** Moves what waits for a channel that is gone, and logs what became of it. */
  async function reportGone({ id, name }: SendingChannel, nowMs: number): Promise<void> {
    const numbers = await moveMessages(db, id, nowMs, () => stopping.signal.aborted).catch((err: unknown) => ({ err }));
    log.warn(
      { webhook: id, name, ...numbers },
      `The receiver of a channel answered ${GONE}. The channel is disabled: enter a new address, and enable it.`,
    );
  }

  /** Stores a result until the database takes it: otherwise the receiver would get the message each second. */
  async function storeSurely(sending: Sending, outcome: Outcome): Promise<void> {
    for (;;) {
      try {
        return await store(sending, outcome);
      } catch (error) {
        log.warn({ err: error, webhook: sending.channel.id }, 'the result of a delivery could not be stored');
      }
      await delay(STORE_AGAIN_MS, stopping.signal);
      if (stopping.signal.aborted) return;
    }
  }

  /** Sends the messages of a channel in their order, as far as they are due. */
  async function sendTo(id: number): Promise<void> {
    for (let n = 0; n < TURN_MAX && !stopping.signal.aborted && (await hold()); n += 1) {
      if ((await running.run(id, (recalled) => sendNext(id, recalled))) === 'idle') return;
    }
  }

  /** Attempts the next message of a channel, if it is due. */
  async function sendNext(id: number, recalled: AbortSignal): Promise<'idle' | 'done'> {
    const sending = await nextMessage(db.read, id);
    if (sending === undefined || sending.message.nextMs > now()) return 'idle';
    const outcome = recalled.aborted ? undefined : await attempt(sending, recalled);
    if (outcome !== undefined) await storeSurely(sending, outcome);
    return 'done';
  }

  async function hold(): Promise<boolean> {
    isHolder = await lease.hold();
    return isHolder;
  }

  /** Begins to send to the channels with a due message, as many as there is room for. */
  async function begin(): Promise<void> {
    for (const id of await dueChannels(db.read, now())) {
      if (busy.size >= CHANNELS_MAX || stopping.signal.aborted) return;
      if (busy.has(id)) continue;
      const sending = sendTo(id)
        .catch((error: unknown) => log.warn({ err: error, webhook: id }, 'a channel could not be read'))
        .finally(() => {
          busy.delete(id);
          wake();
        });
      busy.set(id, sending);
    }
  }

  async function round(): Promise<boolean> {
    if (stopping.signal.aborted || !(await hold())) return false;
    const isMore = await feed.run(() => stopping.signal.aborted);
    await begin();
    if (isMore) wake();
    return true;
  }

  /** Runs one round after the one that runs. */
  function tick(): Promise<boolean> {
    const next = ticking.then(round, round);
    ticking = next;
    return next;
  }

  /** Looks for messages soon. Another server that has the lease does it where this one has not. */
  function wake(): void {
    if (!isHolder || stopping.signal.aborted) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      tick().catch((error: unknown) => log.warn({ err: error }, 'deliveries could not be read'));
    }, WAKE_MS);
  }

  const stopListening = db.onSignal(wake);

  return {
    tick,
    async settle() {
      while ((await tick()) && busy.size > 0) await Promise.all(busy.values());
    },
    stats: () => ({ ...attempts }),
    async close() {
      stopListening();
      clearTimeout(timer);
      stopping.abort();
      await ticking.catch(() => undefined);
      await Promise.all(busy.values());
      if (isHolder) await lease.release();
    },
  };
}

/** Text that the database can hold. */
const cleaned = (text: string, max: number) => text.slice(0, max).toWellFormed().replaceAll('\0', ' ');

/** Resolves with a failure once the signal is aborted. */
const whenAborted = (signal: AbortSignal): Promise<Outcome> =>
  new Promise((resolve) => {
    const abort = () =>
      resolve({ ok: false, status: null, error: `The receiver did not answer within ${ATTEMPT_MS / 1000} s.` });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

/** Waits, at most until the signal is aborted. */
const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeoutPromise(ms, undefined, { signal }).catch(() => undefined);
