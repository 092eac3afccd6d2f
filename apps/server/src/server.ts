// Puts the parts together in the order in which they need each other, and takes them apart in the reverse order.
import { unixSeconds } from '@quarterdeck/core';
import { openDatabase } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { checkKey } from './auth/key-check.ts';
import { type Argon2Cost, createPasswords } from './auth/passwords.ts';
import { openSecretKey } from './auth/secrets.ts';
import type { Config } from './config.ts';
import type { Deps } from './deps.ts';
import { createVigil } from './features/agent/agent.vigil.ts';
import { createCredentialWatch } from './features/api-token/credential-watch.ts';
import { createAuditLog } from './features/audit/audit.log.ts';
import { createDenials } from './features/audit/denials.ts';
import { readBootstrap } from './features/bootstrap/bootstrap-file.ts';
import { ensureFirstPeople } from './features/bootstrap/first-people.ts';
import type { ErrlogService } from './features/errlog/errlog.service.ts';
import { makePrintIndex } from './features/errlog/print-index.ts';
import { makeSearchIndex } from './features/errlog/read/search-index.ts';
import { createRetention, retentionLimits } from './features/errlog/upkeep/errlog.retention.ts';
import { createEventBus } from './features/event/event.bus.ts';
import { createIdentify } from './http/identify.ts';
import { listen } from './http/listen.ts';
import { answerCounts } from './http/send.ts';
import { startSyslogReceiver } from './ingest/syslog-receiver.ts';
import { type Jobs, startJobs } from './jobs/jobs.ts';
import { createMetrics } from './metrics.ts';
import { createServices } from './services.ts';

/** What a test may replace. */
export interface ServerOptions {
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Milliseconds since some moment; nobody can set this clock. */
  readonly monotonic?: () => number;
  readonly argon2?: Argon2Cost;
  /** Checks every answer against its schema. */
  readonly checkAnswers?: boolean;
  /** Milliseconds that idle connections are kept when the server stops. */
  readonly graceMs?: number;
}

/** A server that runs. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly syslogPort: number | undefined;
  readonly syslogTlsPort: number | undefined;
  /** The administrator's made-up password, on the first start only. Show it; keep it nowhere. */
  readonly firstUser: { readonly username: string; readonly password: string } | undefined;
  readonly deps: Deps;
  readonly jobs: Jobs;
  /** Stops: not ready, accepts no more, answers what it is answering, stores what it has received. */
  stop(): Promise<void>;
}

/** Starts a server. Rejects with a {@link ConfigError} or a `DatabaseError`, whose messages are fit to print. */
export async function startServer(config: Config, log: Logger, options: ServerOptions = {}): Promise<RunningServer> {
  const now = options.now ?? Date.now;
  const closers: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const bootstrap = config.bootstrap === undefined ? undefined : readBootstrap(config.bootstrap);
    const key = openSecretKey(config.dataDir);
    const db = await openDatabase(
      config.databaseUrl === undefined
        ? { kind: 'sqlite', dataDir: config.dataDir }
        : { kind: 'postgresql', url: config.databaseUrl },
    );
    closers.push(() => db.close());
    await checkKey(db, key);
    const passwords = await createPasswords(options.argon2);
    const { agentIntervalS, tokenMaxDays, auditDays, sourceQuota } = config;
    const audit = createAuditLog(now, key);
    const people = { db, key, passwords, audit, now, tokenMaxDays };
    const firstUser = await ensureFirstPeople(people, bootstrap, config.adminPassword);
    const events = await createEventBus(db, log, now);
    closers.push(() => events.close());
    await db.write((tx) => events.publish(tx, [{ type: 'resync', data: { reason: 'restart', of: 'all' } }]));

    const vigil = createVigil(now, options.monotonic ?? (() => performance.now()));
    const settings = { agentIntervalS, tokenMaxDays, auditDays, sourceQuota };
    const deps: Deps = { db, log, key, passwords, events, audit, now, vigil, ...settings };
    await makePrintIndex(db);
    await makeSearchIndex(db, log);
    const services = createServices(deps);
    const credentials = createCredentialWatch(deps);
    closers.push(() => credentials.close());
    closers.push(() => services.errlog.close());
    closers.push(() => services.agent.close());
    const retention = createRetention(db, retentionLimits(config), now);
    const {
      agent: agents,
      agentOperation: operations,
      kernelRule: kernelRules,
      apiToken: tokens,
      audit: trail,
    } = services;
    const watched = { agents, operations, kernelRules, tokens, audit: trail, credentials };
    const jobs = startJobs({ db, log, now, events, retention, ...watched });
    closers.push(() => jobs.stop());

    const syslog = await startSyslog(config, services.errlog, log, now);
    if (syslog !== undefined) closers.push(() => syslog.close());

    const denials = createDenials({ db, audit, log, now });
    closers.push(() => denials.close());
    const stopping = new AbortController();
    const identify = createIdentify({ db, key, now, credentials, onClone: agents.noteClone });
    const { storeOtlp } = services.errlog;
    const metrics = createMetrics({
      answers: answerCounts,
      intake: services.errlog.intakeStats,
      syslog: () => syslog?.stats(),
      subscribers: events.subscribers,
    });
    const app = createApp({
      ...{ services, storeOtlp, identify, db, events, metrics, log, now },
      ...{ onDenied: denials.note, serve: config.serve, stopping: stopping.signal },
      checkAnswers: options.checkAnswers ?? false,
    });
    const http = await listenOrExplain(app, config, now, options.graceMs);
    closers.push(
      () => http.close(),
      () => stopping.abort(),
    );
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    return {
      url: `http://${host}:${http.port}`,
      port: http.port,
      syslogPort: syslog?.port,
      syslogTlsPort: syslog?.tlsPort,
      firstUser,
      deps,
      jobs,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Source 0, which the first migration makes. */
const THIS_SERVER = { nodeType: 1, nodeId: -1, name: 'quarterdeck', address: '' };

/** Starts the syslog receiver: one source per sender, known by the name it gives itself, or by its address. */
async function startSyslog(config: Config, errlog: ErrlogService, log: Logger, now: () => number) {
  const { host, syslogPort: port, syslogTlsPort, syslogTlsCert: cert, syslogTlsKey: key, serve } = config;
  // Two processes, one for each half, would want the same port.
  if (port === 'off' || !serve.has('admin')) return undefined;
  const withTls = syslogTlsPort !== 'off' && cert !== undefined && key !== undefined;
  try {
    return await startSyslogReceiver({
      host,
      port,
      tls: withTls ? { port: syslogTlsPort, cert, key, clientCa: config.syslogTlsClientCa } : undefined,
      log,
      now: () => unixSeconds(now()),
      onLines: (lines, { address, hostname }) => {
        const name = hostname || address;
        const sender = name === '' ? THIS_SERVER : { nodeType: 0, nodeId: -1, name, address };
        return errlog.store(lines.map((line) => ({ line, sender })));
      },
    });
  } catch (cause) {
    throw new ConfigError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function listenOrExplain(
  app: Parameters<typeof listen>[0],
  config: Config,
  now: () => number,
  graceMs: number | undefined,
) {
  try {
    return await listen(app, config.host, config.port, now, graceMs);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new ConfigError(
      `cannot listen on ${config.host}:${config.port} (${code}); see QUARTERDECK_HOST and QUARTERDECK_PORT`,
      {
        cause,
      },
    );
  }
}
