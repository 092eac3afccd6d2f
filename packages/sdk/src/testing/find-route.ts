// Finds the endpoint of a request, as the server does.
import { AppError, type Contract, type Endpoint } from '@quarterdeck/core';

/** An endpoint with its name, `errlog.list`. */
export interface NamedEndpoint {
  readonly name: string;
  readonly endpoint: Endpoint;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new AppError('bad_request');
  }
}

/** The endpoint of a request, and the values of its placeholders. */
export interface Found extends NamedEndpoint {
  readonly params: Readonly<Record<string, string>>;
}

/** A refusal of a method, with those that the path has. */
export class MethodNotAllowed extends AppError {
  readonly allow: string;
  constructor(methods: readonly string[]) {
    super('method_not_allowed');
    this.allow = (methods.includes('GET') ? ['HEAD', ...methods] : methods).join(', ');
  }
}

/** Names the endpoints of a contract. */
export const namedEndpoints = (contract: Contract): NamedEndpoint[] =>
  Object.entries(contract).flatMap(([noun, table]) =>
    Object.entries(table).map(([verb, endpoint]) => ({ name: `${noun}.${verb}`, endpoint })),
  );

const methodsOf = ({ endpoint }: NamedEndpoint): string[] =>
  [endpoint.method, endpoint.alsoMethod].filter((method) => method !== undefined);

/**
 * Creates the function that finds the endpoint of a method and a path.
 *
 * @throws AppError `unknown_path`, `method_not_allowed` or `bad_request`
 */
export function createRouter(endpoints: readonly NamedEndpoint[]): (method: string, path: string) => Found {
  // The first path that fits decides, also about the methods.
  const paths = [...new Set(endpoints.map(({ endpoint }) => endpoint.path))].map((path) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
    handlers: endpoints.filter(({ endpoint }) => endpoint.path === path),
  }));
  return (method, path) => {
    for (const { pattern, handlers } of paths) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const handler = handlers.find((one) => methodsOf(one).includes(method));
      if (handler === undefined) throw new MethodNotAllowed(handlers.flatMap(methodsOf));
      const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decoded(value)]);
      return { ...handler, params: Object.fromEntries(params) };
    }
    throw new AppError('unknown_path');
  };
}
