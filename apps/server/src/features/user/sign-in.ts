// Endpoints that sign in and out.
import { type contract, invalidField, type LoginResult, type Service } from '@quarterdeck/core';
import { networkOf } from '@quarterdeck/core/addresses';
import type { CallContext } from '../call-context.ts';
import type { CheckCredentials } from './credentials-check.ts';
import type { UserNeeds } from './needs.ts';
import { openSession } from './open-session.ts';
import type { AuthRequest } from './password-check.ts';
import { removeSession } from './session.repo.ts';
import { findUserToSignIn } from './user.repo.ts';

/** The plugin that this server answers a login with: a user name and a password. */
const BUILTIN = 'Builtin';

type SignIn = Pick<Service<(typeof contract)['user'], CallContext>, 'login' | 'logout' | 'providers'>;
type LoginCall = Parameters<SignIn['login']>[0];

/** Path at which a browser signs in with a provider. */
export const providerPath = (name: string): string => `/auth/oidc/${name}`;

/** Creates the endpoints. */
export function signIn(deps: UserNeeds, checkCredentials: CheckCredentials): SignIn {
  const { db, audit, now, providers, passwordLogin } = deps;

  /** @throws AppError for a plugin that has no password */
  function checkPlugin(plugin: string): void {
    if (plugin === BUILTIN) return;
    const provider = providers.find(({ name }) => name === plugin);
    const where = provider === undefined ? '' : `; open ${providerPath(provider.name)} in a browser to sign in with it`;
    throw invalidField('body.plugin', `must be ${BUILTIN}${where}`);
  }

  async function login({ body, request }: LoginCall): Promise<LoginResult> {
    checkPlugin(body.plugin ?? BUILTIN);
    const username = body.username.normalize('NFC');
    const network = networkOf(request.address);
    const { user: found, known } = await findUserToSignIn(db, username, network, now());
    const auth: AuthRequest = { username, user: found, known, request, purpose: 'sign_in' };
    const remember = body.remember === true;
    return checkCredentials(auth, body, (tx, user, used) =>
      openSession(deps, tx, {
        user,
        request,
        remember,
        ssoId: null,
        secondFactor: false,
        detail: { second_factor: used },
      }),
    );
  }

  return {
    login,

    async providers() {
      return {
        password_login: passwordLogin,
        providers: providers.map(({ name }) => ({ name, path: providerPath(name) })),
      };
    },

    async logout({ actor, request }) {
      const { id } = actor.credential;
      await db.write(async (tx) => {
        await removeSession(tx, actor.userId, id);
        await audit.record(tx, { action: 'user.logout', actor, request, target: { kind: 'session', id } });
      });
      return undefined;
    },
  };
}
