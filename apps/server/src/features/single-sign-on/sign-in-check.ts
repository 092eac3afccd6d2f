// Asks providers again about the people whom they signed in (decision 089). A role that was taken away there is taken
// away here within CHECKED_FOR_MS. Requests of the session cause the question, so that an unused session costs nothing.
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type RoleName } from '@quarterdeck/core';
import type { OidcProvider } from '../../settings/oidc-settings.ts';
import { isEnabled, lockUser, lockUsers } from '../user/user.repo.ts';
import { judge, neededClaims } from './claims.ts';
import { endAtProvider } from './end-sign-ins.ts';
import { claimSignIn, findSignIn, renewSignIn, type SignInRow } from './identity.repo.ts';
import type { SingleSignOnNeeds } from './needs.ts';
import { applyRole } from './person.ts';
import type { Renewed } from './provider-client.ts';

/** Longest time for which an answer of a provider counts. */
export const CHECKED_FOR_MS = 5 * 60_000;
/** Time before its end from which a request causes the question, and does not wait for the answer. */
const AHEAD_MS = 60_000;
/** Time after which another server may ask, because the first one has ended. */
const CLAIM_MS = 30_000;
/** Longest wait for the answer that another server gets, and the pause between two looks. */
const WAIT_MAX_MS = 10_000;
const WAIT_STEP_MS = 100;
/** Time for which a failed question is not repeated. */
const PAUSE_MS = 5_000;

/**
 * Time until which a sign-in counts without a question; 0 = without end. Where no claim decides anything and the
 * provider gave no token to ask with, there is nothing to ask.
 */
export const dueMsOf = (settings: OidcProvider, refreshToken: string | undefined, nowMs: number): number =>
  refreshToken === undefined && neededClaims(settings).length === 0 ? 0 : nowMs + CHECKED_FOR_MS;

/** Checks sign-ins at providers. */
export interface SignInCheck {
  /**
   * Resolves where the sign-in behind a session still counts: with true where the provider was asked, and the session
   * may differ from before.
   *
   * @throws AppError `session_expired` where it has ended, `identity_unavailable` where the provider does not answer
   */
  verify(ssoId: number, dueMs: number): Promise<boolean>;
  /** The same without a wait for the provider: as long as it has not answered, it does not answer. */
  verifyAtOnce(ssoId: number, dueMs: number): Promise<boolean>;
  /** Resolves when the questions that run have been answered. */
  close(): Promise<void>;
}

const UNAVAILABLE = 'The provider that you signed in with does not answer. Try again shortly.';

/** Creates a {@link SignInCheck}. */
export function createSignInCheck(deps: SingleSignOnNeeds & { readonly monotonic: () => number }): SignInCheck {
  const { db, key, log, now, monotonic, providerClients } = deps;
  const running = new Map<number, Promise<void>>();
  /** Providers that did not answer, by their names. */
  const pausedUntilMs = new Map<string, number>();

  /** Stores what a provider has answered. */
  async function accept(row: SignInRow, settings: OidcProvider, renewed: NonNullable<Renewed>): Promise<void> {
    let role: RoleName | undefined;
    try {
      role = judge(settings, renewed.claims).role;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await endAtProvider(deps, row, 'claims', settings.roleMap.size > 0);
      return;
    }
    const { refreshToken } = renewed;
    const stored =
      refreshToken === undefined
        ? {}
        : { refreshToken: key.encrypt(Buffer.from(refreshToken), `sso:${row.identityId}`) };
    await db.write(async (tx) => {
      await lockUsers(tx);
      const user = await lockUser(tx, row.identity.userId);
      if (user === undefined || !isEnabled(user)) return;
      if (role !== undefined) await applyRole(deps, tx, user, role, settings.name);
      await renewSignIn(tx, row.id, { dueMs: now() + CHECKED_FOR_MS, ...stored });
    });
  }

  const decrypted = (stored: Uint8Array | null, identityId: number): string | undefined => {
    if (stored === null) return undefined;
    try {
      return Buffer.from(key.decrypt(stored, `sso:${identityId}`)).toString();
    } catch {
      // Its key was replaced meanwhile: the person signs in again.
      return undefined;
    }
  };

  const isSoonDue = (dueMs: number): boolean => dueMs !== 0 && now() >= dueMs - AHEAD_MS;

  /** Lets the next request ask. */
  const release = (ssoId: number) => db.write((tx) => claimSignIn(tx, ssoId, 0, Number.MAX_SAFE_INTEGER));

  /** Asks the provider, unless another server does so now. */
  async function ask(ssoId: number): Promise<void> {
    const claimed = await db.write((tx) => claimSignIn(tx, ssoId, now(), now() - CLAIM_MS));
    if (!claimed) return awaitOther(ssoId);
    const row = await findSignIn(db.read, ssoId);
    if (row === undefined) return;
    // Another server has asked a moment ago.
    if (!isSoonDue(Number(row.dueMs))) return void (await release(ssoId));
    const client = providerClients.get(row.provider);
    // The settings no longer have the provider.
    if (client === undefined) return void (await endAtProvider(deps, row, 'provider_removed'));
    const refreshToken = decrypted(row.refreshToken, row.identityId);
    const accessToken = decrypted(row.accessToken, row.identityId);
    try {
      const renewed = await client.renew(row.identity.subject, {
        ...(refreshToken === undefined ? {} : { refreshToken }),
        ...(accessToken === undefined ? {} : { accessToken }),
      });
      if (renewed === undefined) await endAtProvider(deps, row, 'refused');
      else await accept(row, client.settings, renewed);
    } catch (error) {
      await release(ssoId);
      pausedUntilMs.set(row.provider, monotonic() + PAUSE_MS);
      log.warn({ err: error, provider: row.provider }, 'a provider did not confirm a sign-in');
    }
  }

  async function awaitOther(ssoId: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < WAIT_MAX_MS; waitedMs += WAIT_STEP_MS) {
      const row = await findSignIn(db.read, ssoId);
      if (row === undefined || Number(row.askedMs) === 0) return;
      await delay(WAIT_STEP_MS);
    }
  }

  /** Asks once for all requests that want to know. */
  function askOnce(ssoId: number): Promise<void> {
    const known = running.get(ssoId);
    if (known !== undefined) return known;
    const asked = ask(ssoId).finally(() => running.delete(ssoId));
    running.set(ssoId, asked);
    return asked;
  }

  /** `isPatient`: waits for the provider. */
  async function verify(ssoId: number, dueMs: number, isPatient: boolean): Promise<boolean> {
    if (!isSoonDue(dueMs)) return false;
    const before = await findSignIn(db.read, ssoId);
    if (before === undefined) throw new AppError('session_expired');
    // Another request has asked since the session was read.
    if (!isSoonDue(Number(before.dueMs))) return true;
    const isDue = now() >= Number(before.dueMs);
    if (monotonic() >= (pausedUntilMs.get(before.provider) ?? 0)) {
      const asked = askOnce(ssoId);
      if (!isDue || !isPatient) asked.catch((err: unknown) => log.warn({ err }, 'a sign-in could not be checked'));
      else await asked;
    }
    if (!isDue) return false;
    const row = await findSignIn(db.read, ssoId);
    if (row === undefined) throw new AppError('session_expired');
    if (Number(row.dueMs) !== 0 && now() >= Number(row.dueMs)) {
      throw new AppError('identity_unavailable', { message: UNAVAILABLE });
    }
    return true;
  }

  return {
    verify: (ssoId, dueMs) => verify(ssoId, dueMs, true),
    verifyAtOnce: (ssoId, dueMs) => verify(ssoId, dueMs, false),
    async close() {
      await Promise.allSettled(running.values());
    },
  };
}
