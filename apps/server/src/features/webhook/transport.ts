// The interface of transports: each sends a message in the form of one or several kinds of channels.
import type { MessagePart, WebhookKind, WebhookSetting } from '@quarterdeck/core';

/** A channel with its secrets decrypted, for one attempt. It must not reach a log. */
export interface OpenChannel {
  readonly id: number;
  readonly name: string;
  readonly kind: WebhookKind;
  /** Address that messages go to; empty for e-mail. */
  readonly url: string;
  /** Recipients of e-mail. */
  readonly recipients: readonly string[];
  /** Secrets that sign a message, the current one first, then the one before while it is valid; empty without. */
  readonly secrets: readonly string[];
  /** Settings that only its kind has. */
  readonly settings: Readonly<Partial<Record<WebhookSetting, string>>>;
  /** Text before each title. */
  readonly prefix: string;
  /** Parts that messages have; empty = all. */
  readonly parts: readonly MessagePart[];
}

/** The message about the same alert that the channel has already. */
export interface EarlierMessage {
  /** Name that the receiver gave it, with which it is amended. */
  readonly receipt: string;
  /** JSON text of the latest message with all that was known about the alert. */
  readonly body: string;
}

/** A message of the database, at one attempt. */
export interface StoredMessage {
  /** The same in each attempt. */
  readonly messageId: string;
  readonly type: string;
  readonly createdMs: number;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** JSON text of `{type, timestamp, data}`. */
  readonly body: string;
  /** Alert that it is about; 0 = none. */
  readonly alertId: number;
  /** The message that this one amends; undefined = it is a message of its own. */
  readonly earlier?: EarlierMessage | undefined;
}

/** Result of an attempt. `status` is the HTTP status or the code of SMTP, null without an answer. */
export type Outcome =
  | {
      readonly ok: true;
      readonly status: number;
      /** Name that the receiver gave the message. */
      readonly receipt?: string;
      /** Answer of the receiver as one line for people, without secrets. */
      readonly answer?: string;
      /** Time that the receiver asks to wait before the next message. */
      readonly pauseMs?: number;
    }
  | {
      readonly ok: false;
      readonly status: number | null;
      /** One line for people, without secrets and without the address. */
      readonly error: string;
      /** Time that the receiver asks to wait. */
      readonly retryAfterMs?: number;
      /** A mail server refuses this message or a recipient for good. The HTTP status says the same of others. */
      readonly isRefused?: boolean;
      /** The receiver forbids a second attempt. */
      readonly isFinal?: boolean;
    };

/**
 * Sends a message once. It resolves also when the attempt fails, and ends soon after `signal` is aborted: then the time
 * of an attempt is over, or the server stops.
 */
export type Send = (channel: OpenChannel, message: StoredMessage, signal: AbortSignal) => Promise<Outcome>;

/** Every way to send messages. */
export interface Transports {
  /** Sends by the transport of the kind of the channel. */
  readonly send: Send;
  /** True when the settings name an SMTP server. */
  readonly hasEmail: boolean;
  /** Reason for which messages must not be sent to an address; undefined = none, or its name is unknown now. */
  refusalOf(url: string): Promise<string | undefined>;
  /** Closes the connection to the SMTP server. */
  close(): void;
}
