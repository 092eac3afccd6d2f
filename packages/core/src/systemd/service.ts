// Reads the variables in which systemd describes its sockets and its watchdog to a program.

/** A listening socket that the service manager has opened. */
export interface PassedSocket {
  /** File descriptor in this process. */
  readonly fd: number;
  /** `FileDescriptorName=` of the socket unit; `unknown` without one. */
  readonly name: string;
}

/** The offer of the service manager; empty for a program that it did not start. */
export interface Service {
  /** Variables of notifications and watchdog, as they were given. */
  readonly variables: Readonly<Record<string, string>>;
  /** Socket of notifications (sd_notify(3)). */
  readonly notifySocket: string | undefined;
  /** Milliseconds without a sign of life after which the program is killed (sd_watchdog_enabled(3)). */
  readonly watchdogMs: number | undefined;
  /** Sockets for this process, in the order of their descriptors (sd_listen_fds(3)). */
  readonly sockets: readonly PassedSocket[];
}

const NOTIFY_VARIABLES = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'];
const LISTEN_VARIABLES = ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES', 'LISTEN_PIDFDID'];
/** The first passed descriptor: `SD_LISTEN_FDS_START`. */
const FIRST_FD = 3;
/** Bound of the passed descriptors; a larger number is a mistake. */
const SOCKETS_MAX = 100;

/** Reads a whole number above zero; undefined for anything else. */
const count = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;

function socketsOf(env: NodeJS.ProcessEnv, pid: number): PassedSocket[] {
  const sockets = count(env['LISTEN_FDS']) ?? 0;
  // The variables of another process: its descriptors are not ours.
  if (count(env['LISTEN_PID']) !== pid || sockets > SOCKETS_MAX) return [];
  const names = env['LISTEN_FDNAMES']?.split(':') ?? [];
  return Array.from({ length: sockets }, (_, index) => ({ fd: FIRST_FD + index, name: names[index] || 'unknown' }));
}

/**
 * Reads the variables of the service manager and removes them from `env`: a program that this process starts must not
 * speak in its name.
 */
export function takeService(env: NodeJS.ProcessEnv, pid: number = process.pid): Service {
  const given = NOTIFY_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  const watchdogUs = count(env['WATCHDOG_USEC']);
  const isOurs = env['WATCHDOG_PID'] === undefined || count(env['WATCHDOG_PID']) === pid;
  const service = {
    variables: Object.fromEntries(given),
    notifySocket: env['NOTIFY_SOCKET'] || undefined,
    watchdogMs: watchdogUs === undefined || !isOurs ? undefined : watchdogUs / 1000,
    sockets: socketsOf(env, pid),
  };
  for (const name of [...NOTIFY_VARIABLES, ...LISTEN_VARIABLES]) delete env[name];
  return service;
}

/**
 * Returns an environment for a program that replaces this process (`execve`) and takes over its notifications and its
 * watchdog. It names no sockets: Node closes them when the process is replaced.
 */
export const environmentWith = ({ variables }: Service, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  ...variables,
});
