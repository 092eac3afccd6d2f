// The interface of kinds of channels that are reached by HTTP: each formats requests and reads what only its service
// answers (docs/how-to/add-a-channel.md).
import type { Answer, Post, Reading } from './http-post.ts';
import { isData, type MessageData } from './message-data.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

/** Types of messages about an alert after its first one. */
export const LATER_TYPES = ['alert.updated', 'alert.acknowledged', 'alert.assigned', 'alert.resolved'] as const;
export type LaterType = (typeof LATER_TYPES)[number];

/** Messages about an alert after its first one. */
export interface Later {
  readonly types: readonly LaterType[];
  /** It also gets the ends of alerts whose kind has no end of its own. */
  readonly endless?: true;
  /** It gets one message of a type at most, but each end. */
  readonly once?: true;
  /** They change the first message. Its kind returns a receipt, and reads that of {@link StoredMessage.earlier}. */
  readonly amends?: true;
}

/** Every later message, as its own. */
export const ALL: Later = { types: LATER_TYPES, endless: true };
/** Each later message amends the first one. */
export const AMENDED: Later = { types: LATER_TYPES, endless: true, amends: true };
/** Messages stay as they are: one follow-up, and the end of what has an end. */
export const FOLLOWED_UP: Later = { types: ['alert.updated', 'alert.resolved'], once: true };

/** A kind that only decides which messages it gets. */
export interface ChannelKind {
  readonly later: Later;
}

/** A kind that is reached by HTTP. */
export interface HttpKind extends ChannelKind {
  /** Formats a message at the time of the attempt. */
  post(channel: OpenChannel, message: StoredMessage, nowMs: number): Post;
  /** Reads an answer of the service; what it leaves out follows from the status. */
  read?(answer: Answer, channel: OpenChannel): Reading;
}

/** The object of an answer; an empty one where the body is something else. */
export function jsonOf(text: string): MessageData {
  try {
    const value: unknown = JSON.parse(text);
    return isData(value) ? value : {};
  } catch {
    return {};
  }
}

/** Milliseconds of a number of seconds, as JSON or a header has it; undefined for anything else. */
export function secondsToMs(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0
    ? Math.ceil(seconds * 1000)
    : undefined;
}

/** Address of a path of a service, below its base address. */
export function urlBelow(base: string, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return url;
}
