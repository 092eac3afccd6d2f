// Whoever has to be there before anybody can sign in: those of the bootstrap file, and the administrator of a new
// installation.
import { ensureFirstUser } from '../user/first-user.ts';
import { applyBootstrap, type BootstrapDeps } from './bootstrap.ts';
import type { Bootstrap } from './bootstrap-file.ts';

/** A user whose password was made up, to be shown once. */
export interface FirstUser {
  readonly username: string;
  readonly password: string;
}

/**
 * A bootstrap file that names a master makes the administrator of a new installation itself; otherwise there is one as
 * without a file.
 *
 * @param onFirstUser is told the administrator's password where one was made up, as soon as it is stored: what follows
 *   may fail, and the next start does not know it
 */
export async function ensureInitialUsers(
  deps: BootstrapDeps,
  bootstrap: Bootstrap | undefined,
  adminPassword: string | undefined,
  onFirstUser: (user: FirstUser) => void = () => {},
): Promise<void> {
  if (!bootstrap?.users.some(({ role }) => role === 'master')) {
    const firstUser = await ensureFirstUser(deps, adminPassword);
    if (firstUser !== undefined) onFirstUser(firstUser);
  }
  if (bootstrap !== undefined) await applyBootstrap(deps, bootstrap);
}
