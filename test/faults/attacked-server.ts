// A server that gets hostile bytes while other clients use it, on each database.
import { freePort } from '../free-port.ts';
import { asAdmin, DATABASES, newPlace, type Server, startServer } from './built-server.ts';
import { formatWaits, type OtherClients, quietWaits, startOtherClients } from './other-clients.ts';
import { conclude, readOptions } from './script.ts';

/** Promised maximum wait of other clients. */
const WAIT_MAX_MS = 100;

/** The options of an attack: `only` selects parts of it by their names. */
export const attackOptions = (name: string) => readOptions(name, { database: '', only: '' });

/** A server under attack. */
export interface Attacked {
  readonly server: Server;
  readonly syslogPort: number;
  readonly session: string;
  readonly clients: OtherClients;
  /** Notes a broken promise. */
  wrong(what: string): void;
}

/** Begins to watch the other clients; the returned function ends it. A wait that is too long is a broken promise. */
export async function watch({ server, clients, wrong }: Attacked, part: string): Promise<() => Promise<string>> {
  await clients.take();
  server.memory.resetPeak();
  const before = server.mainThreadMs();
  return async () => {
    const waits = await clients.take();
    const { ran, queued } = server.mainThreadMs();
    const longest = Math.max(...waits.map(({ max }) => max));
    if (longest > WAIT_MAX_MS) wrong(`${part}: a client waited ${longest} ms`);
    const [ranMs, queuedMs] = [Math.round(ran - before.ran), Math.round(queued - before.queued)];
    return `others waited ${formatWaits(waits)}; the main thread ran ${ranMs}, waited ${queuedMs} for a processor`;
  };
}

/** Attacks a new server on each chosen database, and prints the result. */
export async function attackEach(
  { database: only }: ReturnType<typeof attackOptions>,
  attack: (attacked: Attacked) => Promise<void>,
  good: string,
): Promise<void> {
  const wrong: string[] = [];
  for (const database of DATABASES.filter((name) => only === '' || name === only)) {
    await using place = await newPlace(database === 'postgresql');
    const syslogPort = await freePort();
    const settings = { QUARTERDECK_SYSLOG_PORT: String(syslogPort), QUARTERDECK_LOG_LEVEL: 'error' };
    await using server = await startServer(place, settings);
    const { session } = await asAdmin(server);
    const clients = startOtherClients(server.url, session);
    console.log(`\n${database}: without an attack others wait ${formatWaits(await quietWaits(clients))}`);
    await attack({ server, syslogPort, session, clients, wrong: (what) => wrong.push(`${database}: ${what}`) });
    await clients.stop();
  }
  console.log('');
  conclude(wrong, good);
}
