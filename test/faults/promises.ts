// The promises about faults and attacks, each with its figure and the program that proves it: data for `main.ts`.

/** A promise and its proof: a script of this folder, or files of tests. */
export type Promised = {
  readonly name: string;
  readonly promise: string;
} & (Scripted | Tested);

interface Scripted {
  /** The script of that name without it. */
  readonly script?: string;
  readonly args?: readonly string[];
  /** Arguments of the short form; without them, `proven` says what `pnpm check --all` has instead. */
  readonly short?: readonly string[];
  readonly proven?: string;
  /** Arguments for a deliberately broken server, with which it must fail; true: those of the short form. */
  readonly broken?: true | readonly string[];
  /** Line of the output that the broken server causes, where a slow machine alone makes the script fail. */
  readonly symptom?: RegExp;
  /** Program that it needs. */
  readonly program?: string;
  /** Lines of the output with the measured figures; the last line without it. */
  readonly figure?: RegExp;
  /** It loads sources of packages and not their builds. */
  readonly needsSource?: true;
}

/** Proof by tests with more rounds. The short form leaves them to `pnpm test:all`, which has them. */
interface Tested {
  readonly tests: readonly string[];
  readonly projects: readonly string[];
  /** Rounds, as QUARTERDECK_TEST_RUNS. */
  readonly runs?: number;
  /** Kills, as QUARTERDECK_TEST_FAULTS. */
  readonly kills?: number;
}

const SQLITE = 'sqlite';
const POSTGRESQL = 'postgresql';
const BOTH = [SQLITE, POSTGRESQL];
const USER = 'apps/server/src/features/user';

const script = (name: string, promise: string, how: Scripted): Promised => ({ name, promise, ...how });

const serverFault = (name: string, promise: string, figure: RegExp): Promised =>
  script(name, promise, { script: 'server/main.ts', args: [name], short: [name, '--short'], broken: true, figure });

const testsOf = (
  name: string,
  promise: string,
  projects: readonly string[],
  tests: readonly string[],
  how: Pick<Tested, 'runs' | 'kills'> = {},
): Promised => ({ name, promise, projects, tests, ...how });

export const PROMISES: readonly Promised[] = [
  script('kill-intake', '60 kill -9 during intake: no acknowledged line lost, no batch stored in part or twice', {
    short: ['--rounds', '4'],
  }),
  script('kill-packing', '60 kill -9 while lines are packed and merged: each acknowledged line is there once', {
    short: ['--rounds', '4'],
    needsSource: true,
  }),
  script('slow-disk', 'syncs of 400 ms: health and reads answer within 50 ms, and no write before its sync', {
    short: ['--seconds', '5'],
    program: 'strace',
    broken: true,
  }),
  script('ready-again', 'kill -9 with a million groups: ready again within 2 s, nothing acknowledged lost', {
    short: ['--groups', '20000', '--rounds', '2'],
  }),
  script(
    'kill-rotation',
    '40 kill -9 while secret.key is rotated and dropped: nobody is signed out, the audit log is intact',
    { short: ['--rounds', '1'] },
  ),
  testsOf(
    'ledger',
    '1,000 kill -9 of server and agent: the ledger of lines is exact after each',
    ['unit'],
    ['apps/server/test/ledger-faults.thorough.test.ts'],
    { kills: 1_000 },
  ),
  testsOf(
    'flipped-bits',
    '1,000 flipped bits in stored lines on each database: no wrong answer that says it is complete, no error',
    BOTH,
    ['apps/server/test/store/integrity/flipped-bits.http.test.ts'],
    { runs: 1_000 },
  ),
  script('agent-shipping', 'rotated files, agent and server killed: each of 200,000 lines counts once', {
    broken: ['--lines', '20000', '--broken', 'positions'],
    program: 'nginx',
    short: ['--lines', '10000'],
  }),
  testsOf(
    'writers',
    '10,000 mixed writes, half rolled back, on both databases: 0 lost, 0 dirty reads',
    ['unit'],
    ['packages/core/test/db/isolation.test.ts'],
  ),
  serverFault('locked', 'the event loop stalls 250 ms at most; 503 within 1 s; works again by itself', /health: .*/),
  serverFault('full', 'no false success; reads and sign-ins 200; writes within 5 s of space', /writes succeed .*/),
  testsOf(
    'damaged',
    'a damaged or newer database file is refused with one line and not changed',
    ['unit'],
    ['packages/core/test/db/sqlite-file.test.ts', 'apps/server/src/cli/failure.test.ts'],
  ),
  serverFault('second', 'a second server on one SQLite folder is refused within 2 s', /refused with \d+ after \d+ ms/),
  serverFault(
    'postgres-hangs',
    'every answer within 5 s; good within 3 s of its return; 0 lost',
    /reads and writes succeed .*/,
  ),
  serverFault(
    'postgres-crashes',
    'every answer within 5 s; good within 3 s of its return; 0 lost',
    /reads and writes succeed .*/,
  ),
  serverFault(
    'standby',
    'its promotion under load: 0 acknowledged lost, all good within 10 s',
    /reads and writes succeed .*/,
  ),
  serverFault(
    'pgbouncer',
    'its restart under load: 0 lost, good within 3 s of its return',
    /reads and writes succeed .*/,
  ),
  testsOf(
    'two-servers',
    'two servers on one PostgreSQL: a credential revoked at one is refused by the other on the next request',
    [POSTGRESQL],
    ['apps/server/test/two-servers.http.test.ts', 'apps/server/test/revocation.http.test.ts'],
  ),
  script(
    'several-servers',
    'kill -9 of one of two servers behind haproxy: one error of a connection at most, nothing acknowledged lost',
    { script: 'servers/several-servers.ts', short: ['--rounds', '1'], broken: true, program: 'haproxy' },
  ),
  script(
    'rolling-restart',
    'both servers behind haproxy restart one after the other: no request fails, streams miss no event',
    { script: 'servers/rolling-restart.ts', short: ['--rounds', '1'], broken: true, program: 'haproxy' },
  ),
  script('jobs-once', 'messages and audit entries of two servers are sent once, also while one is stopped or killed', {
    script: 'servers/jobs-once.ts',
    broken: true,
    proven: 'it takes three minutes',
  }),
  script('event-times', 'events of one server reach streams of another one within 100 ms at the 99th percentile', {
    script: 'servers/event-times.ts',
    short: ['--events', '50'],
    broken: true,
    figure: /.* p99 \d+ ms/,
  }),
  script('first-starts', '20 simultaneous first starts on one PostgreSQL: one migration, one administrator', {
    short: ['--servers', '6'],
    broken: true,
  }),
  script(
    'overload',
    '10 x capacity: p99 of accepted 500 ms, 90 % of the capacity, else 429 or 503 in 100 ms; normal within 2 s',
    {
      short: ['--seconds', '2', '--work', 'batches'],
      broken: ['--seconds', '4', '--work', 'batches', '--broken'],
      figure: /^.*goodput .*/,
    },
  ),
  script('half-sent', '2,400 half-sent requests of one address: new clients within 15 s, health at once', {
    short: ['--seconds', '4'],
    broken: ['--seconds', '20', '--broken'],
    figure: /api +.* wait \d+ ms/,
  }),
  script('slow-clients', '5,000 slow clients: no error for others, and their p99 at most doubles', {
    broken: ['--seconds', '3', '--broken'],
    proven: 'pnpm test:all has apps/server/test/connection.http.test.ts',
    figure: /the median p99 .*/,
  }),
  serverFault('stop', 'SIGTERM under load: no request in flight fails, exit 0 within 10 s', /exit \d+ after .*/),
  script('backup', 'backups while eight senders write: restored with equal counts, sessions and tokens work', {
    short: ['--rounds', '1', '--fill', '20000'],
    figure: /\d+ restored|longest stall of .*/,
  }),
  serverFault('upgrade', 'the first start on data of each released version, under load: 0 lost', /\d+ occurrences .*/),
  testsOf(
    'guessing',
    'at most 12 evaluated guesses per account and hour; the owner can sign in',
    ['unit', ...BOTH],
    ['apps/server/src/auth/throttle.test.ts', `${USER}/sign-in-throttle.http.test.ts`],
  ),
  testsOf('second-factor', 'five codes in 15 minutes; a code works once, also in parallel', BOTH, [
    `${USER}/second-factor.http.test.ts`,
  ]),
  script('enumeration', 'known and unknown usernames: equal answers, and times that do not tell them apart', {
    short: ['--names', '12'],
    broken: true,
  }),
  testsOf('roles', 'each endpoint with each role and kind of credential; an unlisted route fails', BOTH, [
    'apps/server/test/access.http.test.ts',
    'apps/server/test/access-ids.http.test.ts',
  ]),
  testsOf('secrets', 'no secret in clear in database, WAL, log, backup, error or process list', BOTH, [
    'apps/server/test/secrets-kept.http.test.ts',
  ]),
  testsOf(
    'proxies',
    'clients behind nginx and haproxy are distinguished; headers of others are ignored',
    ['unit'],
    ['apps/server/test/proxies.thorough.test.ts', 'apps/server/src/http/client-address.test.ts'],
  ),
  testsOf(
    're-authentication',
    'own password and second factor change only with the old ones, never by API token',
    BOTH,
    [`${USER}/own-account.http.test.ts`, `${USER}/confirmation.http.test.ts`],
  ),
  script('ended-credentials', 'a credential that ends at one of two servers: its streams at both close within 1 s', {
    script: 'servers/ended-credentials.ts',
    short: ['--people', '1', '--streams', '8'],
    broken: true,
  }),
  script('otlp-bombs', '8 MiB of hostile bytes: others wait 100 ms at most, memory comes back', {
    proven: 'pnpm test:all has apps/server/test/bombs.thorough.http.test.ts',
  }),
  script('syslog-garbage', '8 MiB of tiny lines over TCP: all stored, others wait 100 ms at most', {
    proven: 'pnpm test:all has packages/intake/src/syslog/syslog-framing.test.ts',
  }),
  script('udp-flood', '20,000 messages a second over UDP: each is stored or reported as dropped', {
    program: 'loggen',
    proven: 'pnpm test:all has packages/intake/src/syslog/syslog-receiver.test.ts',
  }),
  testsOf(
    'hostile-input',
    'no 5xx from any body, header, path or query; both databases answer alike',
    BOTH,
    ['apps/server/test/bad-input.http.test.ts', 'apps/server/test/paths.http.test.ts'],
    { runs: 1_000 },
  ),
  testsOf(
    'hostile-text',
    'no control byte, escape sequence or direction override of data reaches a terminal',
    ['tui'],
    ['apps/tui/test/terminal/hostile.test.tsx', 'apps/tui/src/text/clean.test.ts'],
    { runs: 400 },
  ),
  testsOf('erased-text', 'erased text is in no table, no file and no message afterwards, in any encoding', BOTH, [
    'apps/server/src/features/line/erase-everywhere.thorough.http.test.ts',
    'apps/server/src/features/line/erase-places.http.test.ts',
  ]),
  testsOf(
    'changed-backup',
    'a backup that somebody changed is not restored',
    ['unit'],
    ['apps/server/src/backup/restore.thorough.test.ts'],
  ),
  script('messages', 'kill -9 while messages are sent: each new error arrives, under one message id', {
    short: ['--rounds', '1'],
    broken: ['--rounds', '2', '--broken'],
  }),
  script('night', 'a night of incidents, restarts and kill -9: each alert is notified under one id, equal counts', {
    script: 'night/main.ts',
    broken: ['--minutes', '2', '--broken'],
    symptom: /WRONG .* has \d+ ids$/m,
    proven: 'it takes 30 minutes',
  }),
  testsOf(
    'addresses',
    'webhooks reach no private address, by name, redirect or notation',
    ['unit', SQLITE],
    [
      'apps/server/src/net/public-address.test.ts',
      'apps/server/src/features/webhook/transports/http-post.test.ts',
      'apps/server/src/features/webhook/webhook.http.test.ts',
    ],
  ),
];
