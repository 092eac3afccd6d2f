// Client of the server: the four calls of an agent.

import {
  type AgentEnrolled,
  type AgentFacts,
  type AgentRegistration,
  BATCH_HEADER,
  type ErrlogReceipt,
} from '@quarterdeck/core';
import type { Proxies } from '@quarterdeck/core/network';
import { type Client, createClient, type Send } from '@quarterdeck/sdk';
import { contract } from '@quarterdeck/sdk/contract';
import type { Enrollment } from '../files/state.ts';
import type { SealedBatch } from './batch.ts';
import { LenientHeartbeatResponse } from './heartbeat-response.ts';
import { smallFetch } from './small-fetch.ts';

/** Calls of an agent. Every method throws the errors of the SDK. */
export interface ServerApi {
  /** Requests an id and a secret with the enrollment token. */
  register(token: string, body: AgentRegistration): Promise<AgentEnrolled>;
  /** Reports changed facts. */
  heartbeat(as: Enrollment, body: AgentFacts, signal: AbortSignal): Promise<LenientHeartbeatResponse>;
  /** Reports that the agent stops; waits at most two seconds. */
  shutdown(as: Enrollment): Promise<void>;
  /** Sends a batch of log lines; repetitions count once. */
  ship(as: Enrollment, batch: SealedBatch, signal: AbortSignal): Promise<ErrlogReceipt>;
}

const SHUTDOWN_TIMEOUT_MS = 2_000;
const SHIP_TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 64 * 1024;
/** The receipt may give a reason for each refused line. */
const RECEIPT_MAX_BYTES = 1024 * 1024;

export interface ServerApiOptions {
  readonly url: string;
  readonly consoleUrl: string;
  /** The agent's own version, for `User-Agent`. */
  readonly version: string;
  /** Proxies of the environment. */
  readonly proxies?: Proxies | undefined;
}

/** Sends the stored, compressed batch in place of the body that the client would make. */
function fetchWith({ key, body, numbers }: SealedBatch, proxies: Proxies | undefined): Send {
  const send = smallFetch(RECEIPT_MAX_BYTES, proxies);
  return (url, init) => {
    const headers = {
      ...init.headers,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
      'idempotency-key': key,
      ...(numbers === undefined ? {} : { [BATCH_HEADER]: JSON.stringify(numbers) }),
    };
    return send(url, { ...init, headers, body: new Uint8Array(body) });
  };
}

/** Creates the client of a real server. Nothing is sent yet. */
export function createServerApi({ url, consoleUrl, version, proxies }: ServerApiOptions): ServerApi {
  const as = (apiToken: string, send = smallFetch(ANSWER_MAX_BYTES, proxies), checkAnswers = true): Client =>
    createClient({
      url,
      consoleUrl,
      apiToken,
      userAgent: `quarterdeck-agent/${version}`,
      fetch: send,
      // The loops retry longer than any client, and spread their retries over the fleet.
      retries: 0,
      // An answer that violates the contract must not become state.
      contract,
      checkAnswers,
    });
  return {
    register: (token, body) => as(token).agent.register({ body }),
    async heartbeat({ id, secret }, body, signal) {
      const client = as(secret, undefined, false);
      return LenientHeartbeatResponse.parse(await client.agent.heartbeat({ params: { id }, body }, { signal }));
    },
    shutdown: ({ id, secret }) => as(secret).agent.shutdown({ params: { id } }, { timeoutMs: SHUTDOWN_TIMEOUT_MS }),
    ship: ({ secret }, batch, signal) =>
      as(secret, fetchWith(batch, proxies)).errlog.append({ body: [] }, { signal, timeoutMs: SHIP_TIMEOUT_MS }),
  };
}
