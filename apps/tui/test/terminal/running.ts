// The built dashboard in a pty, with a server.
import { entry, FakeServer } from '../fake-server.ts';
import { serve } from '../serve.ts';
import { MAIN, type Pty, startPty } from './pty.ts';

/** Number of groups at the start. */
const groups = (count: number) => Array.from({ length: count }, (_, index) => entry(index + 1));

/** The built dashboard on a server of 200 groups. */
export interface Running extends AsyncDisposable {
  readonly server: FakeServer;
  readonly dashboard: Pty;
}

/** Starts both. With `shell`, starts a shell instead, which can start the dashboard. */
export async function running(
  env: Record<string, string> = {},
  options: { columns?: number; rows?: number; shell?: boolean; args?: readonly string[] } = {},
): Promise<Running> {
  const server = new FakeServer();
  server.errlog = groups(200);
  const listening = await serve(server);
  const { shell = false, args = [], ...size } = options;
  const dashboard = startPty({
    ...size,
    command: shell ? ['bash', '--norc', '--noprofile', '-i'] : [process.execPath, MAIN, ...args],
    env: { QUARTERDECK_URL: listening.url, QUARTERDECK_TOKEN: server.token, PS1: 'shell> ', ...env },
  });
  if (!shell) await dashboard.waitForText(/ live/);
  return {
    server,
    dashboard,
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]();
      await listening[Symbol.asyncDispose]();
    },
  };
}

/** Opens the error logs. */
export const toErrors = async (dashboard: Pty): Promise<void> => {
  dashboard.type(':logs\r');
  // The overview shows errors too.
  await dashboard.waitForText(/1 of 20\d/);
};
