// The tools over streamable HTTP, without sessions: each request has a server of its own.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createClient, type Send } from '@quarterdeck/sdk';
import { createToolServer } from './tool-server.ts';
import { createConfirmations } from './tools/confirmations.ts';

export interface HttpToolsOptions {
  readonly allowChanges: boolean;
  readonly version: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onDefect: (error: unknown) => void;
}

/** A request of the protocol from a caller who is known. */
export interface HttpToolsCall {
  readonly request: Request;
  /** Its body, parsed. */
  readonly body: unknown;
  /** Identifies the caller. */
  readonly caller: string;
  /** Performs the requests of the tools, with the credential of the caller. */
  readonly send: Send;
}

/** Answers requests of the protocol. */
export type HttpTools = (call: HttpToolsCall) => Promise<Response>;

/** Time for one request of a tool. */
const TIMEOUT_MS = 30_000;

/** Creates {@link HttpTools}; confirmations are valid in this process alone. */
export function createHttpTools({ allowChanges, version, now, onDefect }: HttpToolsOptions): HttpTools {
  const confirmations = createConfirmations(now);
  return ({ request, body, caller, send }) => {
    const client = createClient({ url: 'http://in-process', fetch: send, timeoutMs: TIMEOUT_MS, retries: 0 });
    const server = () => createToolServer({ client, caller, confirmations, allowChanges, version, onDefect });
    // The tools never change, so there is nothing to subscribe to.
    return createMcpHandler(server, { maxSubscriptions: 0 }).fetch(request, { parsedBody: body });
  };
}
