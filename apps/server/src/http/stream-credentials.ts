// Ends long answers whose credential has ended. Polls: a credential ends for a dozen reasons, on any server, and by time
// alone; a check of the credential itself cannot miss one.
import type { IncomingHttpHeaders } from 'node:http';
import { type Actor, AppError } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { SecretKey } from '../auth/secrets.ts';
import type { SessionIdle } from '../auth/session-idle.ts';
import type { CredentialUse } from '../features/api-token/credential-use.ts';
import { gatherReads } from '../sql/gathered-reads.ts';
import { createIdentify, credentialText } from './identify.ts';

/** Milliseconds between two checks of a credential. */
export const CHECK_MS = 500;
/**
 * Milliseconds for which streams go on while their credentials cannot be checked. Without its database this server has
 * no events to send either; a restart of PostgreSQL must not make every client connect anew at the same moment.
 */
export const UNCHECKED_MAX_MS = 10_000;

/** A request whose answer is long. */
export interface LongRequest {
  readonly headers: IncomingHttpHeaders;
  /** Address of the caller, read while the connection was open. */
  readonly address: string;
  readonly id: string;
  /** The caller that was let in. */
  readonly actor: Actor;
}

/** Watches the credentials of answers that are being sent. */
export interface StreamCredentials {
  /**
   * Calls `end` within a second of the credential's end or of a change of the caller's role or permissions. Returns the
   * function that stops watching.
   */
  watch(request: LongRequest, end: () => void): () => void;
}

/** Looks a credential up. Rejects with an AppError where it is refused, with anything else where it could not be checked. */
export type CheckCredential = (request: LongRequest) => Promise<Actor | null>;

interface Stream {
  readonly rights: string;
  readonly end: () => void;
}

/** The streams of one credential at one address. */
interface Watched {
  readonly request: LongRequest;
  readonly streams: Set<Stream>;
  /** When the credential was last found good, by a clock that only moves forward. */
  checkedMs: number;
}

const rightsOf = (actor: Actor | null): string =>
  actor?.kind === 'user' ? [actor.role, ...actor.permissions].join(' ') : '';

/** Makes {@link StreamCredentials} with a check. Each distinct credential is checked once, however many streams it has. */
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

  /** Keeps one timer while there is a stream, and none otherwise. */
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
  readonly credentials: Pick<CredentialUse, 'used' | 'lastNoted'>;
}

/**
 * Makes {@link StreamCredentials} that checks as requests are checked. An open stream is a use of its credential; it raises
 * no alarm, because it is no request.
 */
export function createStreamCredentials({ db, credentials, ...deps }: CredentialDeps): StreamCredentials {
  const identify = createIdentify({
    ...deps,
    db: { read: { sql: gatherReads(db) } },
    credentials: { ...credentials, reused: () => {} },
    onClone: () => {},
  });
  return watchCredentials(({ headers, address, id }) => identify(headers, address, id));
}
