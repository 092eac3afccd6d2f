// Stores callers of every kind in the database, and calls endpoints as them: for the access tests.
import type { ErrorCode, Permission, RoleName } from '@quarterdeck/core';
import { newSecret } from '../src/auth/secrets.ts';
import { MATRIX, type Row } from './access-matrix.ts';
import { exampleOf, type Route } from './endpoints.ts';
import type { TestApi } from './start-api.ts';

export const HOUR_MS = 3_600_000;
/** Id of nothing. */
export const NO_ID = 2_147_483_647;

export type Headers = Readonly<Record<string, string>>;

/** Caller with the refusal that a row of the matrix expects for it; `undefined` where it is let in. */
export interface Caller {
  readonly name: string;
  readonly headers: Headers;
  refusal(row: Row): ErrorCode | undefined;
  /** Agent for which it may call. */
  readonly agentId?: number;
}

/** Credential of a person: `confirmed` is true for a session confirmed lately, `scopes` are those of an API token. */
interface By {
  readonly kind: 'session' | 'api_token';
  readonly confirmed?: boolean;
  readonly scopes?: readonly Permission[] | undefined;
}

export const personRefusal =
  (role: RoleName, { kind, confirmed = true, scopes }: By) =>
  (row: Row): ErrorCode | undefined => {
    if ('by' in row) return row.by === 'person' || row.by === kind ? undefined : 'forbidden';
    if (!row.roles.includes(role)) return 'forbidden';
    if (row.confirmed && kind === 'api_token') return 'forbidden';
    if (row.confirmed && !confirmed) return 'reauthentication_required';
    const needs = [row.scope, row.data].filter((scope) => scope !== undefined);
    return scopes === undefined || needs.every((scope) => scopes.includes(scope)) ? undefined : 'scope_missing';
  };

export const agentRefusal = (row: Row): ErrorCode | undefined => {
  const isLetIn = 'by' in row ? row.by === 'agent' : row.agents === true;
  return isLetIn ? undefined : 'forbidden';
};

/** HTTP statuses of the codes about the caller. */
export const HTTP = {
  credential_missing: 401,
  credential_invalid: 401,
  session_expired: 401,
  token_expired: 401,
  forbidden: 403,
  scope_missing: 403,
  address_not_allowed: 403,
  second_factor_demanded: 403,
  reauthentication_required: 403,
  not_found: 404,
} as Partial<Record<ErrorCode, number>>;

/** Finds the row of a route; one endpoint may have several methods. */
export function rowOf({ name }: Route): Row {
  const row = MATRIX[name.split(' ')[0] ?? ''];
  if (row === undefined) throw new Error(`test/access-matrix.ts has no row for ${name}`);
  return row;
}

export const withoutBody = ({ method, endpoint }: Route) => method === 'GET' || endpoint.body === undefined;

/** Bodies of routes whose smallest example is refused for the user or the token that it names. */
const BODIES: Readonly<Record<string, object>> = { 'alert.assign': { user: null }, 'apiToken.exchange': {} };

/** Returns the smallest body that a route accepts. */
export const bodyFor = (route: Route) =>
  withoutBody(route) || route.endpoint.body === undefined
    ? undefined
    : JSON.stringify(BODIES[route.name] ?? exampleOf(route.endpoint.body));

/** Creates the functions that store callers in the server of a test file. */
export function accessCalls(api: () => TestApi) {
  /** Stores a session; returns its id and its secret. */
  async function storeSession(userId: number, expireMs: number, confirmed = true) {
    const secret = newSecret('session');
    const { db, key } = api().server.deps;
    const createdMs = BigInt(api().now());
    const data = {
      userId,
      tokenHash: key.digest(secret),
      remember: false,
      address: '',
      client: '',
      createdMs,
      expireMs: BigInt(expireMs),
      confirmedMs: confirmed ? createdMs : 0n,
    };
    const { id } = await db.write((tx) => tx.prisma.session.create({ data }));
    return { id, secret };
  }

  let passwordHash: Promise<string> | undefined;

  /** Stores a user whose network is known. */
  async function storeUser(role: RoleName): Promise<number> {
    const { db, passwords } = api().server.deps;
    passwordHash ??= passwords.hash('nobody will ever type this');
    const stored = await passwordHash;
    const times = { createdMs: BigInt(api().now()), modifiedMs: BigInt(api().now()) };
    return db.write(async (tx) => {
      const username = `${role}-${newSecret('session')}`;
      const { id } = await tx.prisma.user.create({ data: { username, passwordHash: stored, role, ...times } });
      // A known network has a budget of its own, so wrong passwords do not use up that of the address.
      await tx.prisma.knownAddress.create({ data: { userId: id, address: '127.0.0.1', lastMs: BigInt(api().now()) } });
      return id;
    });
  }

  /** Calls a route and returns its status and code. A stream is closed once it has begun. */
  async function answer(route: Route, url: string, headers: Headers, body: string | undefined): Promise<string> {
    const response = await fetch(api().url + url, {
      method: route.method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
    });
    // Outside the contract a success has no envelope, and the event stream has no end.
    if (response.status === 200 && !response.headers.get('content-type')?.startsWith('application/json')) {
      await response.body?.cancel();
      return '200 let in';
    }
    const { status, err, jsonrpc } = JSON.parse(await response.text());
    // The Model Context Protocol has answers of its own, also to what it refuses.
    if (jsonrpc !== undefined) return '200 let in';
    return response.status === 200 && status === 0 ? '200 let in' : `${response.status} ${err.code}`;
  }

  return { storeSession, storeUser, answer };
}
