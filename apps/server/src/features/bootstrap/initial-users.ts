// Creates the users that must exist before anybody can sign in: those of the bootstrap file, and the administrator of a
// new installation.
import { ensureFirstUser } from '../user/first-user.ts';
import { MANAGER_ROLES } from '../user/user.repo.ts';
import { applyBootstrap, type BootstrapDeps } from './bootstrap.ts';
import type { Bootstrap } from './bootstrap-file.ts';

/** User whose generated password is shown once. */
export interface FirstUser {
  readonly username: string;
  readonly password: string;
}

/**
 * Creates the users. The administrator of a new installation is created unless the bootstrap file names a manager of
 * users.
 *
 * @param onFirstUser called with the generated password of the administrator as soon as it is stored: a later step may
 *   fail, and the next start does not know the password
 */
export async function ensureInitialUsers(
  deps: BootstrapDeps,
  bootstrap: Bootstrap | undefined,
  adminPassword: string | undefined,
  onFirstUser: (user: FirstUser) => void = () => {},
): Promise<void> {
  if (!bootstrap?.users.some(({ role }) => MANAGER_ROLES.includes(role))) {
    const firstUser = await ensureFirstUser(deps, adminPassword);
    if (firstUser !== undefined) onFirstUser(firstUser);
  }
  if (bootstrap !== undefined) await applyBootstrap(deps, bootstrap);
}
