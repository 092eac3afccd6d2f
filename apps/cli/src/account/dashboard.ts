// Starts the dashboard with the credentials of this user.
import { type CredentialStore, runProgram } from '@quarterdeck/tui';
import { defaultFolders } from '@quarterdeck/tui/profiles';
import { processConfig } from '../command/config.ts';
import { type Credentials, openCredentials } from './credentials.ts';

/** The store of `quarterdeck login`, as the dashboard uses it; opened for each use, because few runs need it. */
export const dashboardCredentials = (open: () => Credentials): CredentialStore => ({
  get(url) {
    const stored = open().get(url);
    if (stored === undefined) return undefined;
    return stored.kind === 'session' ? { sessionToken: stored.secret } : { apiToken: stored.secret };
  },
  keep: (url, session) => open().set(url, { kind: 'session', ...session }) !== undefined,
  remove(url, secret) {
    // Another dashboard may have stored a newer session.
    if (open().get(url)?.secret === secret) open().remove(url);
  },
});

/** Runs the dashboard. Resolves with its exit code. */
export const runDashboard = (args: readonly string[]): Promise<number> => {
  const credentials = dashboardCredentials(() => openCredentials(defaultFolders(), processConfig().hasKeyring));
  return runProgram(args, { credentials });
};
