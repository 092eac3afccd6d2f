// The promises about faults and attacks, each with its figure and the program that proves it: data for `main.ts`.

/** A promise and its proof: a script of this folder, or files of tests. */
export type Promised = {
  readonly name: string;
  readonly promise: string;
} & (Scripted | Tested);

/** Proof by a script. */
interface Scripted {
  readonly script: string;
  readonly args?: readonly string[];
  /** Arguments of the short form; without them, `proven` says what `pnpm check` has instead. */
  readonly short?: readonly string[];
  readonly proven?: string;
  /** Arguments with which it runs against a deliberately broken server, and must fail. */
  readonly broken?: readonly string[];
  /** Program that it needs. */
  readonly program?: string;
  /** Lines of the output with the measured figures; the last line without it. */
  readonly figure?: RegExp;
  readonly stripsTypes?: true;
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

const SQLITE = 'http on sqlite';
const POSTGRESQL = 'http on postgresql';
const BOTH = [SQLITE, POSTGRESQL];
const USER = 'apps/server/src/features/user';

const serverFault = (name: string, promise: string, figure: RegExp): Promised => ({
  name,
  promise,
  script: 'server/main.ts',
  args: [name],
  short: [name, '--short'],
  broken: [name, '--short', '--broken'],
  figure,
});

export const PROMISES: readonly Promised[] = [
  {
    name: 'kill-intake',
    promise: '60 kill -9 during intake: no acknowledged line lost, no batch stored in part or twice',
    script: 'kill-intake.ts',
    short: ['--rounds', '4'],
  },
  {
    name: 'kill-packing',
    promise: '60 kill -9 while lines are packed and merged: each acknowledged line is there once',
    script: 'kill-packing.ts',
    short: ['--rounds', '4'],
    stripsTypes: true,
  },
  {
    name: 'ready-again',
    promise: 'kill -9 with a million groups: ready again within 2 s, nothing acknowledged lost',
    script: 'ready-again.ts',
    short: ['--groups', '20000', '--rounds', '2'],
  },
  {
    name: 'kill-rotation',
    promise: '40 kill -9 while secret.key is rotated and dropped: nobody is signed out, the audit log is intact',
    script: 'kill-rotation.ts',
    short: ['--rounds', '1'],
  },
  {
    name: 'ledger',
    promise: '1,000 kill -9 of server and agent: the ledger of lines is exact after each',
    tests: ['apps/server/test/ledger-faults.test.ts'],
    projects: ['unit'],
    kills: 1_000,
  },
  {
    name: 'agent-shipping',
    promise: 'rotated files, agent and server killed: each of 200,000 lines counts once',
    script: 'agent-shipping.ts',
    broken: ['--lines', '20000', '--broken', 'positions'],
    program: 'nginx',
    proven: 'pnpm test:all has apps/server/test/agent-shipping.test.ts',
  },
  {
    name: 'writers',
    promise: '10,000 mixed writes, half rolled back, on both databases: 0 lost, 0 dirty reads',
    tests: ['packages/core/test/db/isolation.test.ts'],
    projects: ['isolated'],
  },
  serverFault('locked', 'the event loop stalls 250 ms at most; 503 within 1 s; works again by itself', /health: .*/),
  serverFault('full', 'no false success; reads and sign-ins 200; writes within 5 s of space', /writes succeed .*/),
  {
    name: 'damaged',
    promise: 'a damaged or newer database file is refused with one line and not changed',
    tests: ['packages/core/test/db/sqlite-file.test.ts', 'apps/server/src/cli/failure.test.ts'],
    projects: ['isolated', 'unit'],
  },
  serverFault('second', 'a second server on one SQLite folder is refused within 2 s', /refused with \d+ after \d+ ms/),
  serverFault('postgres-hangs', 'every answer within 5 s; good within 3 s of its return; 0 lost', /all succeeds .*/),
  serverFault('postgres-crashes', 'every answer within 5 s; good within 3 s of its return; 0 lost', /all succeeds .*/),
  serverFault('standby', 'its promotion under load: 0 acknowledged lost, all good within 10 s', /all succeeds .*/),
  serverFault('pgbouncer', 'its restart under load: 0 lost, good within 3 s of its return', /all succeeds .*/),
  {
    name: 'two-servers',
    promise: 'two servers on one PostgreSQL: a credential revoked at one is refused by the other on the next request',
    tests: ['apps/server/test/two-servers.http.test.ts', 'apps/server/test/revocation.http.test.ts'],
    projects: [POSTGRESQL],
  },
  {
    name: 'first-starts',
    promise: '20 simultaneous first starts on one PostgreSQL: one migration, one administrator',
    script: 'first-starts.ts',
    short: ['--servers', '6'],
    broken: ['--servers', '6', '--broken'],
  },
  {
    name: 'overload',
    promise: '10 x capacity: p99 of accepted 500 ms, 90 % of the capacity, else 429 or 503; normal within 5 s',
    script: 'overload.ts',
    proven: 'the goal is not reached for batches yet: docs/explanation/promises.md',
    figure: /^.*goodput .*/,
  },
  {
    name: 'half-sent',
    promise: '2,400 half-sent requests of one address: new clients within 15 s, health at once',
    script: 'half-sent.ts',
    short: ['--seconds', '4'],
    broken: ['--seconds', '20', '--broken'],
    figure: /api +.* wait \d+ ms/,
  },
  {
    name: 'slow-clients',
    promise: '5,000 slow clients: no error for others, and their p99 at most doubles',
    script: 'slow-clients.ts',
    broken: ['--seconds', '3', '--broken'],
    proven: 'pnpm test:all has apps/server/test/connection.http.test.ts',
    figure: /the median p99 .*/,
  },
  serverFault('stop', 'SIGTERM under load: no request in flight fails, exit 0 within 10 s', /exit \d+ after .*/),
  {
    name: 'backup',
    promise: 'backups while eight senders write: restored with equal counts, sessions and tokens work',
    script: 'backup.ts',
    short: ['--rounds', '1', '--fill', '20000'],
    figure: /\d+ restored|longest stall of .*/,
  },
  serverFault('upgrade', 'the first start on data of each released version, under load: 0 lost', /\d+ occurrences .*/),
  {
    name: 'guessing',
    promise: 'at most 12 evaluated guesses per account and hour; the owner can sign in',
    script: 'guessing.ts',
    broken: ['15', '--broken'],
    program: 'hydra',
    proven: `pnpm test:all has ${USER}/sign-in-throttle.http.test.ts`,
  },
  {
    name: 'second-factor',
    promise: 'five codes in 15 minutes; a code works once, also in parallel',
    tests: [`${USER}/second-factor.http.test.ts`],
    projects: BOTH,
  },
  {
    name: 'enumeration',
    promise: 'known and unknown usernames: equal answers, and times that do not tell them apart',
    script: 'enumeration.ts',
    short: ['--names', '12'],
    broken: ['--names', '12', '--broken'],
  },
  {
    name: 'roles',
    promise: 'each endpoint with each role and kind of credential; an unlisted route fails',
    tests: ['apps/server/test/access.http.test.ts', 'apps/server/test/access-ids.http.test.ts'],
    projects: BOTH,
  },
  {
    name: 'secrets',
    promise: 'no secret in clear in database, WAL, log, backup, error or process list',
    tests: ['apps/server/test/secrets-kept.http.test.ts'],
    projects: BOTH,
  },
  {
    name: 'proxies',
    promise: 'clients behind nginx and haproxy are told apart; headers of others are ignored',
    tests: ['apps/server/test/proxies.test.ts', 'apps/server/src/http/client-address.test.ts'],
    projects: ['unit'],
  },
  {
    name: 're-authentication',
    promise: 'own password and second factor change only with the old ones, never by API token',
    tests: [`${USER}/own-account.http.test.ts`, `${USER}/confirmation.http.test.ts`],
    projects: BOTH,
  },
  {
    name: 'stream-credentials',
    promise: 'an event stream whose credential ended closes within 1 s',
    script: 'stream-credentials.ts',
    short: ['--streams', '8', '--seconds', '1'],
    broken: ['--streams', '8', '--seconds', '1', '--broken'],
  },
  {
    name: 'otlp-bombs',
    promise: '8 MiB of hostile bytes: others wait 100 ms at most, memory comes back',
    script: 'otlp-bombs.ts',
    proven: 'pnpm test:all has apps/server/test/bombs.http.test.ts',
  },
  {
    name: 'syslog-garbage',
    promise: '8 MiB of tiny lines over TCP: all stored, others wait 100 ms at most',
    script: 'syslog-garbage.ts',
    proven: 'pnpm test:all has apps/server/src/ingest/syslog-framing.test.ts',
  },
  {
    name: 'udp-flood',
    promise: '20,000 messages a second over UDP: each is stored or reported as dropped',
    script: 'udp-flood.ts',
    program: 'loggen',
    proven: 'pnpm test:all has apps/server/src/ingest/syslog-receiver.test.ts',
  },
  {
    name: 'hostile-input',
    promise: 'no 5xx from any body, header, path or query; both databases answer alike',
    tests: ['apps/server/test/bad-input.http.test.ts', 'apps/server/test/paths.http.test.ts'],
    projects: BOTH,
    runs: 1_000,
  },
  {
    name: 'hostile-text',
    promise: 'no control byte, escape sequence or direction override of data reaches a terminal',
    tests: ['apps/tui/test/terminal/hostile.test.tsx', 'apps/tui/src/text/clean.test.ts'],
    projects: ['unit'],
    runs: 400,
  },
  {
    name: 'messages',
    promise: 'kill -9 while messages are sent: each new error arrives, under one message id',
    script: 'messages.ts',
    short: ['--rounds', '1'],
    broken: ['--rounds', '2', '--broken'],
  },
  {
    name: 'night',
    promise: 'a night of incidents, restarts and kill -9: each alert is told under one id, equal counts',
    script: 'night/main.ts',
    broken: ['--minutes', '2', '--broken'],
    proven: 'it takes 30 minutes',
  },
  {
    name: 'addresses',
    promise: 'webhooks reach no private address, by name, redirect or notation',
    tests: [
      'apps/server/src/net/public-address.test.ts',
      'apps/server/src/features/webhook/transports/http-post.test.ts',
      'apps/server/src/features/webhook/webhook.http.test.ts',
    ],
    projects: ['unit', SQLITE],
  },
];
