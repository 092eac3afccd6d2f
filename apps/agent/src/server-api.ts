// What an agent says to a server, and nothing else.
import type { AgentEnrolled, AgentFacts, AgentRegistration, ErrlogReceipt } from '@quarterdeck/core';
import { type Client, createClient, type Send } from '@quarterdeck/sdk';
import { LenientHeartbeatResponse } from './heartbeat-response.ts';
import type { SealedBatch } from './ship/batch.ts';
import { smallFetch } from './small-fetch.ts';
import type { Enrolment } from './state.ts';

/** The server, as far as an agent knows it. Every method throws what the SDK throws. */
export interface ServerApi {
  /** Asks for an id and a secret with the enrolment token. */
  register(token: string, body: AgentRegistration): Promise<AgentEnrolled>;
  /** Reports what changed. */
  heartbeat(as: Enrolment, body: AgentFacts, signal: AbortSignal): Promise<LenientHeartbeatResponse>;
  /** Says goodbye; does not wait longer than two seconds. */
  shutdown(as: Enrolment): Promise<void>;
  /** Sends a batch of log lines; however often it is sent, it counts once. */
  ship(as: Enrolment, batch: SealedBatch, signal: AbortSignal): Promise<ErrlogReceipt>;
}

const GOODBYE_TIMEOUT_MS = 2_000;
const SHIP_TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 64 * 1024;
/** It may say of each line why it was refused. */
const RECEIPT_MAX_BYTES = 1024 * 1024;

/** Options of {@link createServerApi}. */
export interface ServerApiOptions {
  readonly url: string;
  readonly consoleUrl: string;
  /** The agent's own version, for `User-Agent`. */
  readonly version: string;
}

/** A batch is sent as it is on the disk, compressed, in the place of a body that the client would make. */
function fetchWith({ key, body }: SealedBatch): Send {
  const send = smallFetch(RECEIPT_MAX_BYTES);
  return (url, init) => {
    const headers = {
      ...init.headers,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
      'idempotency-key': key,
    };
    return send(url, { ...init, headers, body: new Uint8Array(body) });
  };
}

/** A link to a real server. Nothing is sent yet. */
export function createServerApi({ url, consoleUrl, version }: ServerApiOptions): ServerApi {
  const as = (apiToken: string, send = smallFetch(ANSWER_MAX_BYTES), checkAnswers = true): Client =>
    createClient({
      url,
      consoleUrl,
      apiToken,
      userAgent: `quarterdeck-agent/${version}`,
      fetch: send,
      // The loops have a longer patience than any client, and their own way to spread it.
      retries: 0,
      // An answer that is not what the contract says must not become state.
      checkAnswers,
    });
  return {
    register: (token, body) => as(token).agent.register({ body }),
    async heartbeat({ id, secret }, body, signal) {
      const client = as(secret, undefined, false);
      return LenientHeartbeatResponse.parse(await client.agent.heartbeat({ params: { id }, body }, { signal }));
    },
    shutdown: ({ id, secret }) => as(secret).agent.shutdown({ params: { id } }, { timeoutMs: GOODBYE_TIMEOUT_MS }),
    ship: ({ secret }, batch, signal) =>
      as(secret, fetchWith(batch)).errlog.append({ body: [] }, { signal, timeoutMs: SHIP_TIMEOUT_MS }),
  };
}
