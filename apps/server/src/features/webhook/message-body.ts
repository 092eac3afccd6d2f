// The JSON text of a message, within its size.

/** A message to channels. */
export interface Message {
  /** Type of an event, or of a message about an alert. */
  readonly type: string;
  /** Time of what it reports, Unix milliseconds. */
  readonly timestampMs: number;
  readonly data: unknown;
  /** Only an amendment says it: no channel gets a further message for it. */
  readonly isMinor?: boolean | undefined;
  /** Alert that it is about. */
  readonly alertId?: number | undefined;
}

/** Most bytes of a message. */
export const BODY_MAX = 65_536;
/** Lengths to which texts and lists are cut, one after the other, until the message is small enough. */
const CUTS = [8192, 2048, 512, 64] as const;
/** Mark of a text that was cut. */
const CUT_MARK = ' [cut]';

/** Formats a message. Long texts and lists are cut where it would be larger than {@link BODY_MAX}. */
export function messageBody({ type, timestampMs, data }: Message): string {
  const message = { type, timestamp: new Date(timestampMs).toISOString(), data };
  const whole = JSON.stringify(message);
  if (Buffer.byteLength(whole) <= BODY_MAX) return whole;
  for (const length of CUTS) {
    const body = JSON.stringify(message, (_, value) => cut(value, length));
    if (Buffer.byteLength(body) <= BODY_MAX) return body;
  }
  return JSON.stringify({ ...message, data: { cut: true } });
}

function cut(value: unknown, length: number): unknown {
  if (typeof value === 'string' && value.length > length) return value.slice(0, length).toWellFormed() + CUT_MARK;
  if (Array.isArray(value) && value.length > length) return value.slice(0, length);
  return value;
}
