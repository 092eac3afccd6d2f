// The way of a person through a provider: to it, and back with an answer.
import { AppError, type LoginResult, type UserActor } from '@quarterdeck/core';
import { networkOf } from '@quarterdeck/core/addresses';
import { isUniqueViolation, type Tx } from '@quarterdeck/core/db';
import { ADDRESS, createThrottle } from '../../auth/throttle.ts';
import type { CallContext } from '../call-context.ts';
import { actorOf, openSession } from '../user/open-session.ts';
import { confirmSession, findLiveSession } from '../user/session.repo.ts';
import { judge, provesSecondFactor, type Verdict } from './claims.ts';
import { endAtProvider } from './end-sign-ins.ts';
import { beginFlow, checksOf, type Flow, type FlowPurpose, openFlow, sealFlow } from './flow.ts';
import { createIdentity, createSignIn, findIdentity, noteSignIn } from './identity.repo.ts';
import type { SingleSignOnNeeds } from './needs.ts';
import { checkSecondFactor, findPerson, takeRole } from './person.ts';
import type { ProvenPerson, ProviderClient } from './provider-client.ts';
import { dueMsOf } from './sign-in-check.ts';

/** A person who begins. */
export interface Beginning {
  readonly provider: string;
  readonly purpose: FlowPurpose;
  /** Path to go to afterwards. */
  readonly to: string;
  /** Address to which the provider sends the answer. */
  readonly redirectUri: string;
  /** The caller, to link or confirm their session. */
  readonly actor: UserActor | undefined;
}

export interface Answer {
  readonly provider: string;
  /** The address to which the provider sent it, with its parameters. */
  readonly url: URL;
  /** The sealed flow of the browser. */
  readonly sealed: string | undefined;
  readonly request: CallContext['request'];
}

/** The end of a flow. */
export interface Finished {
  readonly to: string;
  /** The new session; absent where an existing one was linked or confirmed. */
  readonly login?: LoginResult;
}

/** Signs people in with providers. */
export interface SignInWithProvider {
  /** @throws AppError `not_found`, `credential_missing`, `reauthentication_required`, `identity_unavailable` */
  begin(beginning: Beginning): Promise<{ readonly url: URL; readonly sealed: string }>;
  /** @throws AppError `bad_request`, `forbidden`, `conflict`, `too_many_requests`, `identity_unavailable` */
  finish(answer: Answer): Promise<Finished>;
}

/** Creates {@link SignInWithProvider}. */
export function createSignInWithProvider(
  deps: SingleSignOnNeeds,
  clientOf: (provider: string) => ProviderClient,
): SignInWithProvider {
  const { db, key, audit, now } = deps;
  const throttle = createThrottle(db, now);

  function sessionFor(purpose: FlowPurpose, actor: UserActor | undefined): number {
    if (purpose === 'sign_in') return 0;
    if (actor?.credential.kind !== 'session') throw new AppError('credential_missing');
    // To be linked, both have to be proved: the session here now, the person at the provider next.
    if (purpose === 'link' && !actor.credential.confirmed) throw new AppError('reauthentication_required');
    return actor.credential.id;
  }

  /** Decides by the claims. A person whom the provider no longer lets in loses what it gave them before. */
  async function judgePerson({ settings }: ProviderClient, { subject, claims }: ProvenPerson): Promise<Verdict> {
    try {
      return judge(settings, claims);
    } catch (error) {
      const { issuer, name: provider, roleMap } = settings;
      await endAtProvider(deps, { issuer, provider, subject }, 'claims');
      // Without a session too: API tokens have the rights of their owner.
      if (roleMap.size > 0) await takeRole(deps, issuer, subject, provider);
      throw error;
    }
  }

  /** Opens a session for a person. */
  async function signIn(
    tx: Tx,
    client: ProviderClient,
    person: ProvenPerson,
    verdict: Verdict,
    request: CallContext['request'],
  ) {
    const { settings } = client;
    const { identity, user } = await findPerson(deps, tx, client, person, verdict, request);
    const secondFactor = provesSecondFactor(settings, person.idToken);
    await checkSecondFactor(tx, user, secondFactor);
    const nowMs = now();
    const encrypted = (token: string | undefined) =>
      token === undefined ? null : key.encrypt(Buffer.from(token), `sso:${identity.id}`);
    const { sid, refreshToken, accessToken } = person;
    const tokens = { refreshToken: encrypted(refreshToken), accessToken: encrypted(accessToken) };
    const signedIn = { identityId: identity.id, provider: settings.name, sid, ...tokens };
    const ssoId = await createSignIn(tx, { ...signedIn, dueMs: dueMsOf(settings, refreshToken, nowMs) }, nowMs);
    await noteSignIn(tx, identity.id, nowMs);
    return openSession(deps, tx, {
      user,
      request,
      remember: false,
      // A provider that does not say when it asked for the credentials may have done so days ago.
      confirmedMs: person.authenticatedMs ?? 0,
      ssoId,
      secondFactor,
      detail: { provider: settings.name, subject: person.subject, second_factor: secondFactor ? 'provider' : 'none' },
    });
  }

  /** Links a person to the user of a session, or confirms that session. */
  async function prove(
    tx: Tx,
    client: ProviderClient,
    person: ProvenPerson,
    flow: Flow,
    request: CallContext['request'],
  ) {
    const { issuer, name: provider } = client.settings;
    const { subject, authenticatedMs } = person;
    const session = await findLiveSession(tx, flow.sessionId, now());
    if (session === undefined) throw new AppError('session_expired');
    const { id, user, userId } = session;
    const credential = { kind: 'session', id, name: '', errlogFilter: '', confirmed: true } as const;
    const actor = actorOf(user, { ...credential, expireMs: Number(session.expireMs) });
    const found = await findIdentity(tx, issuer, subject);
    if (found !== undefined && found.userId !== userId) {
      throw new AppError('conflict', { message: 'This person of the provider belongs to another user here.' });
    }
    const target = { kind: 'user', id: userId };
    if (flow.purpose === 'confirm') {
      if (found === undefined) throw new AppError('forbidden', { message: 'The provider named somebody else.' });
      if (authenticatedMs === undefined)
        throw new AppError('forbidden', { message: 'The provider did not ask again.' });
      await confirmSession(tx, userId, flow.sessionId, Math.min(authenticatedMs, now()));
      await audit.record(tx, { action: 'user.confirm', actor, request, target, detail: { provider } });
      return;
    }
    if (found !== undefined) return;
    judge(client.settings, person.claims);
    await createIdentity(tx, { userId, issuer, subject }, now());
    const detail = { username: user.username, provider, issuer, subject };
    await audit.record(tx, { action: 'user.identity_link', actor, request, target, detail });
  }

  async function conclude(client: ProviderClient, person: ProvenPerson, flow: Flow, request: CallContext['request']) {
    const { to } = flow;
    try {
      if (flow.purpose === 'sign_in') {
        const verdict = await judgePerson(client, person);
        return { to, login: await db.write((tx) => signIn(tx, client, person, verdict, request)) };
      }
      await db.write((tx) => prove(tx, client, person, flow, request));
      return { to };
    } catch (error) {
      // Two first sign-ins of one person at the same time.
      if (isUniqueViolation(error)) throw new AppError('conflict', { cause: error });
      throw error;
    }
  }

  /** Records a refused sign-in. `cause` has texts from outside, which the log of the server keeps. */
  async function recordRefusal(
    provider: string,
    purpose: FlowPurpose,
    error: AppError,
    request: CallContext['request'],
  ) {
    const detail = { provider, purpose, reason: error.code, message: error.message };
    await db.write((tx) => audit.record(tx, { action: 'user.login_failed', actor: null, request, detail }));
  }

  return {
    async begin({ provider, purpose, to, redirectUri, actor }) {
      const client = clientOf(provider);
      const sessionId = sessionFor(purpose, actor);
      const flow = beginFlow({ provider, purpose, to, sessionId, startedMs: now() });
      const url = await client.authorizationUrl(redirectUri, checksOf(key, flow), purpose === 'confirm');
      return { url, sealed: sealFlow(key, flow) };
    },

    async finish({ provider, url, sealed, request }) {
      const client = clientOf(provider);
      const opened = openFlow(key.keys, sealed, now());
      if (opened === undefined || opened.flow.provider !== provider) {
        throw new AppError('bad_request', {
          message: 'This sign-in was not started in this browser, has ended, or took too long. Sign in again.',
        });
      }
      const { flow } = opened;
      // Wrong answers cost requests to the provider and entries of the audit log.
      const counted = `oidc:${networkOf(request.address)}`;
      const attempt = await throttle.reserve([{ key: counted, budget: ADDRESS, onSuccess: 'give_back' }]);
      try {
        const person = await client.redeem(url, checksOf(opened.key, flow), flow.purpose === 'confirm');
        const finished = await conclude(client, person, flow, request);
        await db.write((tx) => throttle.succeed(tx, attempt));
        return finished;
      } catch (error) {
        const isRefused = error instanceof AppError && error.status < 500;
        await db.write((tx) => (isRefused ? throttle.fail(tx, attempt) : throttle.giveBack(tx, attempt)));
        if (isRefused) await recordRefusal(provider, flow.purpose, error, request);
        throw error;
      }
    },
  };
}
