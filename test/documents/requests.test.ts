// Requests of documents: their paths exist, and their parameters and bodies have no name that the API does not have.
import { expect, it } from 'vitest';
import { OPEN_ENDPOINTS, RAW_ENDPOINTS } from '../../apps/server/src/http/endpoints/raw-endpoints.ts';
import { type Contract, checkUnknownInput, contract, type Endpoint } from '../../packages/core/src/index.ts';
import { nonEmpty } from '../non-empty.ts';
import { blocksIn } from './documents.ts';

const ENDPOINTS: readonly Endpoint[] = [
  ...Object.values(RAW_ENDPOINTS),
  ...OPEN_ENDPOINTS.map(({ endpoint }) => endpoint),
  ...Object.values(contract as Contract).flatMap((table) => Object.values(table)),
];

/** One request of a shell command. */
interface DocumentedRequest {
  readonly place: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Undefined for none, and for one that is made when the command runs. */
  readonly body: unknown;
}

const PATH =
  /(?:https?:\/\/[\w.:-]+|\$\w+|\$\{\w+\})(\/(?:admin-api|api\/(?:agents|v1)|v1|mcp|metrics|healthz|readyz)[^\s'"]*)/;

const curls = blocksIn('sh', 'yaml').flatMap(({ place, text }) =>
  text
    .replaceAll(/\\\n\s*/g, ' ')
    .split(/(?=\bcurl\b)/)
    .flatMap((command): DocumentedRequest[] => {
      const [, url] = PATH.exec(command) ?? [];
      // A command that prints `.err` shows a refusal.
      if (url === undefined || !command.startsWith('curl') || command.includes('.err.code')) return [];
      const [path = '', search = ''] = url.split('?');
      const urlencoded = [...command.matchAll(/--data-urlencode '(\w+)=/g)].map(([, name = '']) => [name, 'x']);
      const isBody = /(?:--data(?:-binary)?|-d) /.test(command);
      const [, json = ''] = /(?:--data|-d) '(\{[^']*\})'/.exec(command) ?? [];
      return [
        {
          place,
          method: /--request (\w+)|-X (\w+)/.exec(command)?.slice(1).find(Boolean) ?? (isBody ? 'POST' : 'GET'),
          path: path.replace(/^\/api\/v1\//, '/admin-api/').replaceAll(/\$\w+/g, '1'),
          query: Object.fromEntries([...new URLSearchParams(search), ...urlencoded]),
          body: json === '' ? undefined : JSON.parse(json),
        },
      ];
    }),
);

function endpointOf({ method, path }: DocumentedRequest): Endpoint | undefined {
  const fits = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path);
  return ENDPOINTS.find((one) => [one.method, one.alsoMethod].includes(method as Endpoint['method']) && fits(one.path));
}

it.each(nonEmpty(curls))('names fields and parameters that exist: $place $method $path', (request) => {
  const endpoint = endpointOf(request);
  expect(endpoint).toBeDefined();
  if (endpoint !== undefined) expect(checkUnknownInput(endpoint, request)).toEqual([]);
});
