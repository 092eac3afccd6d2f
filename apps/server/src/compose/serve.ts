// Starts the server, greets the person who started it, and stops it on a signal.
import { notifierFor } from '@quarterdeck/core/systemd';
import { pino } from 'pino';
import { explain } from '../cli/failure.ts';
import { PROGRAM } from '../cli/help.ts';
import { storeFirstPassword } from '../features/bootstrap/first-password.ts';
import type { FirstUser } from '../features/bootstrap/initial-users.ts';
import { EXIT } from '../process/exit-codes.ts';
import { letHeapsGrow, letThreadsSizeTheirHeaps } from '../process/heaps.ts';
import { IS_RELEASE } from '../process/version.ts';
import {
  configOf,
  isJournal,
  readCertificates,
  readSettings,
  readTelemetry,
  takeServiceManager,
  trustConfigured,
} from '../settings/config.ts';
import { inheritedSockets } from '../systemd/inherited-sockets.ts';
import { type RunningServer, type ServerOptions, startServer } from './server.ts';

/** Maximum time of a stop, beyond that of the drain. */
const STOP_MAX_MS = 15_000;

/** Exits with one line for an error that a person can correct, and with the stack for a bug. */
async function refuse(error: unknown): Promise<never> {
  const { text, exitCode } = await explain(error);
  process.stderr.write(`${PROGRAM}: ${text}\n`);
  process.exit(exitCode);
}

/** Greets a person at a terminal; the log has the same for programs. */
function greet({ url, syslogPort }: RunningServer): void {
  const lines: string[] = [];
  if (process.stdout.isTTY) {
    lines.push(`Quarterdeck answers at ${url}`);
    if (syslogPort !== undefined) lines.push(`and receives syslog on port ${syslogPort}, UDP and TCP.`);
    lines.push(`Open the dashboard in another terminal: ${IS_RELEASE ? 'quarterdeck' : 'npx -y pnpm@12 tui'}`);
  }
  show(lines);
}

/** Shows the first password, or where it is: the journal must not keep a secret. */
function showFirstUser(user: FirstUser, dataDir: string): void {
  if (isJournal(process.stdout.fd)) {
    show([`First start. Sign in as ${user.username} with the password in ${storeFirstPassword(dataDir, user)}`]);
    return;
  }
  const lines = [
    `First start. Sign in as ${user.username} with the password ${user.password}`,
    'It is not shown again.',
  ];
  show(lines, (error) => {
    const path = storeFirstPassword(dataDir, user);
    process.stderr.write(`${PROGRAM}: the first password is in ${path}: standard output failed: ${error.message}\n`);
  });
}

function show(lines: readonly string[], onFailure: (error: Error) => void = () => undefined): void {
  if (lines.length === 0) return;
  const text = `\n${lines.map((line) => `  ${line}\n`).join('')}\n`;
  process.stdout.write(text, (error) => {
    if (error != null) onFailure(error);
  });
}

/** Standard output for the log. A disk without space must not end the server: standard error says so once. */
function createOutput() {
  const output = pino.destination({ fd: 1, sync: true });
  let isNotified = false;
  output.on('error', (error: NodeJS.ErrnoException) => {
    // A reader of the log that has gone is no failure.
    if (!isNotified && error.code !== 'EPIPE')
      process.stderr.write(`${PROGRAM}: the log cannot be written: ${error.message}\n`);
    isNotified = true;
  });
  return output;
}

/** Serves until a signal. */
export async function serve(options: Pick<ServerOptions, 'beginAnew' | 'openLines'>): Promise<void> {
  letThreadsSizeTheirHeaps();
  try {
    const manager = takeServiceManager();
    const settings = readSettings();
    const config = configOf(settings);
    trustConfigured(config);
    const log = pino({ level: config.logLevel, base: null }, createOutput());
    for (const warning of settings.warnings) log.warn(warning);
    const onFailure = (err: Error) => log.warn({ err }, 'could not tell the service manager about this server');
    const notifier = notifierFor(manager, { path: manager.path, onFailure });
    const server = await startServer(config, log, {
      ...options,
      sockets: inheritedSockets(manager.sockets, config),
      telemetry: readTelemetry(),
      onFirstUser: (user) => showFirstUser(user, config.dataDir),
    });
    letHeapsGrow(config.databaseUrl === undefined ? 'sqlite' : 'postgresql');

    const stop = (signal: NodeJS.Signals) => {
      log.info({ signal, drain_s: config.drainS }, 'stopping');
      notifier.stopping('stops; requests in progress are answered');
      // A second signal ends the drain; one more ends the process.
      if (config.drainS > 0) process.once(signal, () => void server.stop());
      setTimeout(
        () => {
          log.error('could not stop in time');
          process.exit(EXIT.refused);
        },
        config.drainS * 1000 + STOP_MAX_MS,
      ).unref();
      server.stop().then(
        () => log.info('stopped'),
        (error: unknown) => {
          log.error({ err: error }, 'stopped with an error');
          process.exitCode = EXIT.refused;
        },
      );
      // Keeps the process until the service manager knows, however soon the server has stopped.
      void notifier.sent();
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    // Without TLS this signal ends the process, as a closed terminal does. A service has no terminal, and `systemctl
    // reload` sends the signal.
    const { notifySocket } = manager;
    if (config.tlsCert !== undefined || config.syslogTlsPort !== 'off' || notifySocket !== undefined) {
      process.on('SIGHUP', () => server.renewCertificates(readCertificates));
    }

    const { url, syslogPort = 'off', syslogTlsPort = 'off' } = server;
    const database = server.deps.db.dialect;
    notifier.ready(`answers at ${url}; syslog: ${syslogPort}; ${database}`);
    log.info({ url, syslog_port: syslogPort, syslog_tls_port: syslogTlsPort, database }, 'ready');
    greet(server);
  } catch (error) {
    await refuse(error);
  }
}
