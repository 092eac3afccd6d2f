// Two built servers on one PostgreSQL, with an administrator whom both know.
import { randomUUID } from 'node:crypto';
import { freePort } from '../../free-port.ts';
import { newPlace, type Server, startServer } from '../built-server.ts';
import { signIn } from '../honest-clients.ts';

export interface TwoServers extends AsyncDisposable {
  /** The servers. A restarted one takes the place of the old one. */
  readonly servers: [Server, Server];
  /** Session token of the administrator. */
  readonly session: string;
  /** Starts the server at this index again, at its address and with its data folder. */
  restart(index: 0 | 1): Promise<Server>;
}

/** Starts them, with these settings. */
export async function startTwoServers(settings: Readonly<Record<string, string>> = {}): Promise<TwoServers> {
  await using stack = new AsyncDisposableStack();
  // The servers share secret.key too; a folder of each would need a copy.
  const place = stack.use(await newPlace(true));
  const password = randomUUID();
  const ports = [String(await freePort()), String(await freePort())] as const;
  const start = (index: 0 | 1) =>
    startServer(place, {
      QUARTERDECK_NEW_GROUPS_PER_MINUTE: '1000000',
      QUARTERDECK_ADMIN_PASSWORD: password,
      QUARTERDECK_PORT: ports[index],
      ...settings,
    });
  const servers: [Server, Server] = [stack.use(await start(0)), stack.use(await start(1))];
  const session = await signIn(servers[0].url, 'admin', password);
  const started = stack.move();
  return {
    servers,
    session,
    async restart(index) {
      servers[index] = started.use(await start(index));
      return servers[index];
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
