// Routes of Express for endpoints outside the contract, and the route of a request, as metrics and traces name it.
import { contract, type Endpoint, type Method } from '@quarterdeck/core';
import { refuseMethod } from '@quarterdeck/express/parts';
import type { Request, RequestHandler, Router } from 'express';
import { OPEN_ENDPOINTS, RAW_ENDPOINTS } from './raw-endpoints.ts';

/** Route of all paths that nothing answers. */
export const UNKNOWN_ROUTE = 'other';

/** Template of Express -> path of the contract. */
const TEMPLATES: ReadonlyMap<string, string> = new Map(
  [
    ...Object.values(contract).flatMap((table) => Object.values(table)),
    ...Object.values(RAW_ENDPOINTS),
    ...OPEN_ENDPOINTS.map(({ endpoint }) => endpoint),
  ].map(({ path }) => [templateOf(path), path]),
);

function templateOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Routes the requests to an endpoint, and refuses all other methods of its path. */
export function addRoute(
  router: Router,
  { method, path }: Endpoint,
  handle: RequestHandler,
  methods: readonly Method[] = [method],
): void {
  const route = router.route(templateOf(path));
  for (const one of methods) route[one.toLowerCase() as 'get' | 'post' | 'put' | 'delete'](handle);
  route.all(refuseMethod(methods));
}

/** The path of the contract that a request was routed to; `other` for unknown paths. */
export function routeOf(req: object): string {
  const path: unknown = (req as Partial<Pick<Request, 'route'>>).route?.path;
  return (typeof path === 'string' ? TEMPLATES.get(path) : undefined) ?? UNKNOWN_ROUTE;
}
