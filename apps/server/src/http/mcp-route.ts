// `POST /mcp`: tools for assistants by the Model Context Protocol. Outside the contract: the protocol defines its input
// and its answer. Refusals before the protocol begins have this server's envelope.
import type { RequestListener } from 'node:http';
import { type Actor, AppError } from '@quarterdeck/core';
import { credentialHeaders, sendText, setHead } from '@quarterdeck/express/parts';
import type { HttpTools } from '@quarterdeck/mcp';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { VERSION } from '../process/version.ts';
import { type AuthDeps, admit } from './admit.ts';
import { readBody } from './body.ts';
import { addressOf, clientOf } from './caller.ts';
import { MCP } from './endpoints/raw-endpoints.ts';
import { inProcess } from './in-process.ts';

export interface McpDeps extends AuthDeps {
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Offer the tools that change something. */
  readonly mcpChanges: boolean;
  /** Origins of browsers that may call; programs send none. */
  readonly corsOrigins: ReadonlySet<string>;
}

/** Creates the handler of the route; `app` answers the requests of the tools. */
export function answerTools(deps: McpDeps, app: RequestListener): RequestHandler {
  const sendAs = inProcess(app);
  let tools: Promise<HttpTools> | undefined;
  return async (req, res) => {
    checkOrigin(req.headers.origin, deps.corsOrigins);
    const actor = await admit(deps, MCP, req, res);
    const body = await readBody(req, MCP);
    if (Array.isArray(body)) throw new AppError('bad_request', { message: 'Send one message at a time.' });
    // Loaded with the first request: a server without assistants spends neither memory nor time on it.
    tools ??= loadTools(deps);
    const answerTo = await tools;
    const response = await answerTo({
      request: webRequest(req, res),
      body,
      caller: callerName(actor),
      send: sendAs({ address: addressOf(req), headers: ownHeaders(req) }),
    });
    await sendResponse(req, res, response);
  };
}

async function loadTools({ mcpChanges, now, log }: McpDeps): Promise<HttpTools> {
  const { createHttpTools } = await import('@quarterdeck/mcp');
  const onDefect = (err: unknown) => log.error({ err }, 'a tool for assistants failed');
  return createHttpTools({ allowChanges: mcpChanges, version: VERSION, now, onDefect });
}

/**
 * Refuses scripts of other web pages. A browser near this server would let them reach it although it is not open to the
 * world (DNS rebinding).
 */
function checkOrigin(origin: string | undefined, allowed: ReadonlySet<string>): void {
  if (origin === undefined || allowed.has(origin)) return;
  throw new AppError('forbidden', { message: 'Scripts of this origin may not call /mcp.' });
}

function callerName(actor: Actor): string {
  if (actor.kind !== 'user') throw new AppError('forbidden');
  return `${actor.credential.kind} ${actor.credential.id}`;
}

/** Headers of the caller for the requests of the tools, which are checked and logged as the caller's own. */
function ownHeaders(req: Request): Record<string, string> {
  const client = clientOf(req.headers);
  return { ...credentialHeaders(req.headers), 'x-request-id': req.id, ...(client !== '' && { 'user-agent': client }) };
}

/** The request for the protocol's library, which reads its headers and needs no credential. */
function webRequest(req: Request, res: Response): globalThis.Request {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string' && /^(accept|last-event-id|mcp-.*)$/.test(name)) headers.set(name, value);
  }
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  if (res.destroyed) gone.abort();
  return new globalThis.Request(`http://in-process${MCP.path}`, { method: 'POST', headers, signal: gone.signal });
}

async function sendResponse(req: Request, res: Response, response: globalThis.Response): Promise<void> {
  const type = response.headers.get('content-type');
  const text = await response.text();
  // The client has left.
  if (res.destroyed) return;
  if (type !== null) return sendText(req, res, response.status, text, { type: type.split(';', 1)[0] ?? type });
  setHead(res, response.status, 'text/plain; charset=utf-8');
  res.setHeader('Content-Length', 0);
  res.end();
}
