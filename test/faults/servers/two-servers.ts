// Two built servers on one PostgreSQL, with an administrator whom both know.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startPostgres } from '../../../packages/core/test/postgres.ts';
import { signIn } from '../honest-clients.ts';
import { type Server, startServer } from '../server/world.ts';

/** Two servers and their database. */
export interface TwoServers extends AsyncDisposable {
  /** The servers. A restarted one takes the place of the old one. */
  readonly servers: [Server, Server];
  readonly databaseUrl: string;
  /** Session token of the administrator. */
  readonly session: string;
  /** Starts the server at this index again, at its address and with its data folder. */
  restart(index: 0 | 1): Promise<Server>;
}

/** Starts them, with these settings. */
export async function startTwoServers(settings: Readonly<Record<string, string>> = {}): Promise<TwoServers> {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-servers-'));
  const postgres = await startPostgres();
  try {
    const databaseUrl = await postgres.createDatabase();
    const password = randomUUID();
    const start = (port: string) =>
      startServer(
        // The servers share secret.key; a folder of each would need a copy.
        { dataDir: folder, databaseUrl },
        {
          QUARTERDECK_LOG_LEVEL: 'warn',
          QUARTERDECK_NEW_GROUPS_PER_MINUTE: '1000000',
          QUARTERDECK_ADMIN_PASSWORD: password,
          QUARTERDECK_PORT: port,
          ...settings,
        },
      );
    const ports = [String(await freePort()), String(await freePort())] as const;
    const servers: [Server, Server] = [await start(ports[0]), await start(ports[1])];
    return {
      servers,
      databaseUrl,
      session: await signIn(servers[0].url, 'admin', password),
      async restart(index) {
        servers[index] = await start(ports[index]);
        return servers[index];
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(servers.map((server) => (isOver(server) ? undefined : server.end('SIGTERM'))));
        await postgres.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const isOver = ({ child }: Server): boolean => child.exitCode !== null || child.signalCode !== null;
