// Ends long answers when their credential ends. It polls: a credential ends for a dozen reasons, on any server or by
// time alone, and a check of the credential misses none.
import type { IncomingHttpHeaders } from 'node:http';
import { type Actor, AppError } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { gatherReads } from '@quarterdeck/core/sql';
import { credentialText } from '@quarterdeck/express/parts';
import type { SecretKey } from '../auth/secrets.ts';
import type { SessionIdle } from '../auth/session-idle.ts';
import type { CredentialUse } from '../features/api-token/credential-use.ts';
import { createIdentify } from './identify.ts';

/** Milliseconds between two checks of a credential. */
export const CHECK_MS = 500;
/**
 * Milliseconds for which streams go on while their credentials cannot be checked. Without its database the server has
 * no events to send, and a restart of PostgreSQL must not make all clients reconnect at the same moment.
 */
export const UNCHECKED_MAX_MS = 10_000;

/** A request with a long answer. */
export interface LongRequest {
  readonly headers: IncomingHttpHeaders;
  /** Address of the caller, read while the connection was open. */
  readonly address: string;
  readonly id: string;
  /** The authorized caller. */
  readonly actor: Actor;
}

/** Watches the credentials of running answers. */
export interface StreamCredentials {
  /**
   * Calls `end` within a second of the credential's end or of a change of the caller's role, permissions or sources.
   * Returns the function that stops watching.
   */
  watch(request: LongRequest, end: () => void): () => void;
}

/** Checks a credential. Rejects with an AppError if it is refused, with another error if the check failed. */
export type CheckCredential = (request: LongRequest) => Promise<Actor | null>;

interface Stream {
  readonly rights: string;
  readonly end: () => void;
}

/** The streams of one credential at one address. */
interface Watched {
  readonly request: LongRequest;
  readonly streams: Set<Stream>;
  /** Time of the last successful check, by a clock that only moves forward. */
  checkedMs: number;
}

const rightsOf = (actor: Actor | null): string =>
  actor?.kind === 'user' ? [actor.role, ...actor.permissions, actor.errlogFilter].join(' ') : '';

/**
 * Creates {@link StreamCredentials} with a check, which runs once for each credential, whatever its number of streams.
 */
export function watchCredentials(check: CheckCredential): StreamCredentials {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  async function checkOne(one: Watched): Promise<void> {
    try {
      const rights = rightsOf(await check(one.request));
      one.checkedMs = performance.now();
      for (const stream of one.streams) if (stream.rights !== rights) stream.end();
    } catch (error) {
      const isRefused = error instanceof AppError;
      if (!isRefused && performance.now() - one.checkedMs < UNCHECKED_MAX_MS) return;
      for (const stream of one.streams) stream.end();
    }
  }

  async function checkAll(): Promise<void> {
    isChecking = true;
    await Promise.all([...watched.values()].map(checkOne));
    isChecking = false;
    schedule();
  }

  /** Runs one timer while there are streams. */
  function schedule(): void {
    clearTimeout(timer);
    timer = watched.size === 0 || isChecking ? undefined : setTimeout(() => void checkAll(), CHECK_MS);
  }

  return {
    watch(request, end) {
      const key = `${request.address}\n${credentialText(request.headers)}`;
      const one = watched.get(key) ?? { request, streams: new Set(), checkedMs: performance.now() };
      const stream = { rights: rightsOf(request.actor), end };
      one.streams.add(stream);
      watched.set(key, one);
      if (timer === undefined) schedule();
      return () => {
        one.streams.delete(stream);
        if (one.streams.size > 0 || watched.get(key) !== one) return;
        watched.delete(key);
        if (watched.size === 0) schedule();
      };
    },
  };
}

interface CredentialDeps {
  readonly db: Database;
  readonly key: SecretKey;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sessionIdle: Pick<SessionIdle, 'endedBeforeMs'>;
  readonly credentials: Pick<CredentialUse, 'used' | 'needed' | 'lastNoted' | 'moved'>;
  /** Must not wait for a provider: all streams are checked in one round. */
  readonly verifySignIn: (ssoId: number, dueMs: number) => Promise<boolean>;
}

/**
 * Creates {@link StreamCredentials} with the check of requests. An open stream counts as a use of its credential, but
 * raises no alarm, because it is no request.
 */
export function createStreamCredentials({ db, credentials, ...deps }: CredentialDeps): StreamCredentials {
  const { identify } = createIdentify({
    ...deps,
    db: { read: { sql: gatherReads(db) } },
    credentials: { ...credentials, reused: () => {} },
    onClone: () => {},
  });
  return watchCredentials(({ headers, address, id }) => identify(headers, address, id));
}
