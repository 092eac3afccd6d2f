// A `fetch` that gives the answers of a test, without a server.
import { AppError, type ErrorCode, failure, success } from '@quarterdeck/core';
import type { HttpRequest, Send } from '../src/index.ts';

/** A request as it was sent. */
export interface Sent extends HttpRequest {
  readonly url: string;
}

/** Answers a request; `number` counts from 1. */
export type Answering = (request: Sent, number: number) => Response | Promise<Response>;

/** Returns a `fetch` and the list of its requests. */
export function answering(answer: Answering): { readonly fetch: Send; readonly sent: readonly Sent[] } {
  const sent: Sent[] = [];
  const fetch: Send = async (url, request) => {
    sent.push({ ...request, url });
    return answer({ ...request, url }, sent.length);
  };
  return { fetch, sent };
}

/** A success with these data. */
export const dataOf = (data: unknown, headers: Record<string, string> = {}): Response =>
  Response.json(success(data, 0), { headers });

/** A refusal with this code. */
export function refusalOf(code: ErrorCode, headers: Record<string, string> = {}): Response {
  const error = new AppError(code);
  return Response.json(failure(error, 'req-1', 0), { status: error.status, headers });
}

/** Rejects when the request is aborted, and never answers before. */
export const untilAborted = ({ signal }: Sent): Promise<Response> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
