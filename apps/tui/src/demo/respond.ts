// Responder of the demo server: finds the endpoint in the contract, validates the request with its schemas, and wraps
// the result in the envelope. The demo thereby uses the real API.
import { contract, type Endpoint, ERRORS, type ErrorCode } from '@quarterdeck/core';

/** A validated request. */
export interface DemoCall {
  readonly params: Readonly<Record<string, number>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Handlers by noun and verb. An undefined result is an answer without data. */
export type DemoHandlers = {
  readonly [N in keyof typeof contract]?: { readonly [V in keyof (typeof contract)[N]]?: (call: DemoCall) => unknown };
};

/** A refusal with a code of core's table. */
export class DemoRefusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

interface Route {
  readonly endpoint: Endpoint;
  readonly pattern: RegExp;
  readonly handler: ((call: DemoCall) => unknown) | undefined;
}

function routesOf(handlers: DemoHandlers): Route[] {
  return Object.entries(contract).flatMap(([noun, table]) =>
    Object.entries(table as Readonly<Record<string, Endpoint>>).map(([verb, endpoint]): Route => {
      const own = (handlers as Readonly<Record<string, Readonly<Record<string, Route['handler']>> | undefined>>)[noun];
      const pattern = endpoint.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
      return { endpoint, pattern: new RegExp(`^${pattern}/?$`), handler: own?.[verb] };
    }),
  );
}

function refusal(code: ErrorCode): Response {
  const { status, message } = ERRORS[code];
  return Response.json({ status, msg: message, time: 1, err: { code, request_id: 'demo' } }, { status });
}

function answer({ endpoint }: Route, result: unknown): Response {
  if (endpoint.bareList === true) {
    const { data, meta } = result as { data: unknown[]; meta: { count: number } };
    return Response.json({ status: 0, time: 1, data }, { headers: { 'X-Total-Count': String(meta.count) } });
  }
  return Response.json(result === undefined ? { status: 0 } : { status: 0, time: 1, data: result });
}

/** Creates a responder. Endpoints without a handler answer 404. */
export function createResponder(handlers: DemoHandlers): (method: string, url: URL, body: unknown) => Response {
  const routes = routesOf(handlers);
  return (method, url, body) => {
    for (const route of routes) {
      const { endpoint, pattern, handler } = route;
      const match = endpoint.method === method || endpoint.alsoMethod === method ? pattern.exec(url.pathname) : null;
      if (match === null) continue;
      if (handler === undefined) return refusal('not_found');
      const params = endpoint.params?.safeParse(match.groups ?? {});
      const query = endpoint.query?.safeParse(Object.fromEntries(url.searchParams));
      const sent = endpoint.body?.safeParse(body ?? {});
      if (params?.success === false || query?.success === false || sent?.success === false)
        return refusal('bad_request');
      try {
        const call = { params: params?.data ?? {}, query: query?.data ?? {}, body: sent?.data ?? {} } as DemoCall;
        return answer(route, handler(call));
      } catch (error) {
        if (error instanceof DemoRefusal) return refusal(error.code);
        throw error;
      }
    }
    return refusal('not_found');
  };
}
