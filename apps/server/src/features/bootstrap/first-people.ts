// Whoever has to be there before anybody can sign in: those of the bootstrap file, and the administrator of a new
// installation.
import { ensureFirstUser } from '../user/first-user.ts';
import { applyBootstrap, type BootstrapDeps } from './bootstrap.ts';
import type { Bootstrap } from './bootstrap-file.ts';

/**
 * A bootstrap file that names a master makes the administrator of a new installation itself; otherwise there is one as
 * without a file.
 *
 * @returns the administrator's password where one was made up, to be shown once
 */
export async function ensureFirstPeople(
  deps: BootstrapDeps,
  bootstrap: Bootstrap | undefined,
  adminPassword: string | undefined,
): Promise<{ username: string; password: string } | undefined> {
  if (bootstrap?.users.some(({ role }) => role === 'master')) {
    await applyBootstrap(deps, bootstrap);
    return undefined;
  }
  const firstUser = await ensureFirstUser(deps, adminPassword);
  if (bootstrap !== undefined) await applyBootstrap(deps, bootstrap);
  return firstUser;
}
