// The route of a request, as metrics and traces name it.
import { contract } from '@quarterdeck/core';
import type { Request } from 'express';
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

/** The path of the contract that a request was routed to; `other` for unknown paths. */
export function routeOf(req: object): string {
  const path: unknown = (req as Partial<Pick<Request, 'route'>>).route?.path;
  return (typeof path === 'string' ? TEMPLATES.get(path) : undefined) ?? UNKNOWN_ROUTE;
}
