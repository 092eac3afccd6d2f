// A service that channels send to, on loopback. It checks requests as the real one does and answers in its words.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Answer } from '../start-api.ts';

/** A request as it came. */
export interface ServiceRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Answer;
}

/** An answer to a request. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One thing that a person sees at the service: a message, or an alert. */
export interface Shown {
  readonly id: string;
  /** Everything that is shown, as text. */
  text: string;
  state: string;
}

/** The rules of a service. */
export interface Judge {
  /** Path of the address of the channel. */
  readonly path: string;
  /** Messages or alerts that people see there, in order. */
  readonly shown: Shown[];
  answer(request: ServiceRequest): ServiceAnswer;
}

export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly requests: ServiceRequest[];
  readonly shown: Shown[];
  /** Answers that come before those of its rules, one a request. */
  readonly next: ServiceAnswer[];
}

export async function startService(judge: Judge): Promise<Service> {
  const requests: ServiceRequest[] = [];
  const next: ServiceAnswer[] = [];
  const server = createServer(async (req, res) => {
    const { method = '', url = '', headers } = req;
    const request = { method, path: url, headers, body: JSON.parse(await text(req)) as Answer };
    requests.push(request);
    const { status, headers: more = {}, body } = next.shift() ?? judge.answer(request);
    res.writeHead(status, { 'content-type': 'application/json', ...more });
    res.end(body === undefined ? '' : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${judge.path}`,
    requests,
    next,
    shown: judge.shown,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Collects the fields that a service refuses. */
export function checkFields(checks: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(checks).flatMap(([field, isRight]) => (isRight ? [] : field));
}

export const isText = (value: unknown, max: number, min = 1): boolean =>
  typeof value === 'string' && value.length >= min && value.length <= max;
