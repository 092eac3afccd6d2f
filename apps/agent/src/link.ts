// The three things an agent says to a console.
import type { AgentEnrolled, AgentFacts, AgentOrders, AgentRegistration } from '@quarterdeck/core';
import { type Client, createClient } from '@quarterdeck/sdk';
import { boundedFetch } from './bounded-fetch.ts';
import type { Enrolment } from './state.ts';

/** The console, as far as an agent knows it. Every method throws what the SDK throws. */
export interface Link {
  /** Asks for an id and a secret with the enrolment token. */
  register(token: string, body: AgentRegistration): Promise<AgentEnrolled>;
  /** Reports what changed. */
  heartbeat(as: Enrolment, body: AgentFacts, signal: AbortSignal): Promise<AgentOrders>;
  /** Says goodbye; does not wait longer than two seconds. */
  shutdown(as: Enrolment): Promise<void>;
}

const GOODBYE_TIMEOUT_MS = 2_000;

/** Options of {@link openLink}. */
export interface LinkOptions {
  readonly url: string;
  readonly consoleUrl: string;
  /** The agent's own version, for `User-Agent`. */
  readonly version: string;
}

/** A link to a real console. Nothing is sent yet. */
export function openLink({ url, consoleUrl, version }: LinkOptions): Link {
  const as = (apiToken: string): Client =>
    createClient({
      url,
      consoleUrl,
      apiToken,
      userAgent: `quarterdeck-agent/${version}`,
      fetch: boundedFetch,
      // The loop has a longer patience than any client, and its own way to spread it.
      retries: 0,
      // An answer that is not what the contract says must not become state.
      checkAnswers: true,
    });
  return {
    register: (token, body) => as(token).agent.register({ body }),
    heartbeat: ({ id, secret }, body, signal) => as(secret).agent.heartbeat({ params: { id }, body }, { signal }),
    shutdown: ({ id, secret }) => as(secret).agent.shutdown({ params: { id } }, { timeoutMs: GOODBYE_TIMEOUT_MS }),
  };
}
