// Starts the parts of a server in the order of their dependencies, and stops them in reverse order.
import { setTimeout as sleep } from 'node:timers/promises';
import { loadExpressions } from '@quarterdeck/core';
import { storeSetting } from '@quarterdeck/core/sql';
import { answerCounts } from '@quarterdeck/express/parts';
import {
  checkSearchIndex,
  checksumWarning,
  DamageRecord,
  errlogStore,
  type LineEngine,
  type LineEngineDeps,
  segmentEngine,
} from '@quarterdeck/store';
import type { Logger } from 'pino';
import { markKeyUsed } from '../auth/key-marker.ts';
import { openSecretKey } from '../auth/key-ring.ts';
import { type Argon2Cost, createPasswords } from '../auth/passwords.ts';
import { createSessionIdle } from '../auth/session-idle.ts';
import { createBackups } from '../backup/backups.ts';
import { finishInterruptedRestore } from '../backup/restore-journal.ts';
import { startControlServer } from '../cli/control-server.ts';
import { createListeningWindow } from '../features/agent/records/listening-window.ts';
import { createAcknowledge } from '../features/alert/alert-people.ts';
import { createServerHealth } from '../features/alert/kinds/health-state.ts';
import { wakeRounds } from '../features/alert/waking.ts';
import { createCredentialUse } from '../features/api-token/credential-use.ts';
import { createTokenUses } from '../features/api-token/token-uses.ts';
import { createAuditLog } from '../features/audit/audit.log.ts';
import { createDenials } from '../features/audit/denials.ts';
import { createAuditSenders } from '../features/audit/sending/audit-sender.ts';
import { readBootstrap } from '../features/bootstrap/bootstrap-file.ts';
import { deleteOldFirstPassword } from '../features/bootstrap/first-password.ts';
import { warnOfTriggers } from '../features/bootstrap/foreign-triggers.repo.ts';
import { ensureInitialUsers, type FirstUser } from '../features/bootstrap/initial-users.ts';
import { openInstallation } from '../features/bootstrap/open-installation.ts';
import { createRetention, retentionLimits } from '../features/errlog/errlog.retention.ts';
import { createEventBus } from '../features/event/event.bus.ts';
import { createKeyWatch } from '../features/key/key-watch.ts';
import { createLiveLines } from '../features/line/live-lines.ts';
import { createProviderClients, createSingleSignOn } from '../features/single-sign-on/single-sign-on.ts';
import { createVerifyIdToken } from '../features/trust/id-token.ts';
import { fillNameKeys } from '../features/user/name-keys.repo.ts';
import { createCallback } from '../features/webhook/callback.ts';
import { createRunningAttempts } from '../features/webhook/recall.ts';
import type { Transports } from '../features/webhook/transports/transport.ts';
import { createTransports } from '../features/webhook/transports/transports.ts';
import { createSender, type Sender } from '../features/webhook/webhook.sender.ts';
import { createAdmission } from '../http/admission/admission.ts';
import { ConnectionGuard } from '../http/connection-guard.ts';
import { exposureWarning } from '../http/exposure.ts';
import { createIdentify } from '../http/identify.ts';
import type { ListenTimes } from '../http/listen.ts';
import { builtPage, readPage } from '../http/page/page-files.ts';
import { createStreamCredentials } from '../http/stream-credentials.ts';
import { createUserLimit } from '../http/user-limit.ts';
import { createWriteLimit, type WriteRate } from '../http/write-limit.ts';
import { type Jobs, startJobs } from '../jobs/jobs.ts';
import { createMetrics } from '../metrics/create-metrics.ts';
import { createHttpTimes } from '../metrics/http-times.ts';
import { createInstallationReader } from '../metrics/installation.ts';
import { countSignIns } from '../metrics/sign-ins.ts';
import { keyPairOf, renewCertificates } from '../net/certificates.ts';
import { trustsPeer } from '../net/trusted-peers.ts';
import { VERSION } from '../process/version.ts';
import type { Certificates, Config } from '../settings/config.ts';
import { prepareDataFolder } from '../settings/data-folder.ts';
import type { TelemetrySettings } from '../settings/telemetry-settings.ts';
import type { InheritedSockets } from '../systemd/inherited-sockets.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { createApp } from './app.ts';
import { quietDuringOutage } from './database-outage.ts';
import { listenOrExplain } from './listen-or-explain.ts';
import { createServices, type Deps } from './services.ts';
import { receivesSyslog, startSyslog } from './start-syslog.ts';

/** Options of a start, beside the configuration. Only tests set most of them. */
export interface ServerOptions extends ListenTimes {
  /** Create a new installation although the database of the key is missing. */
  readonly beginAnew?: boolean;
  /** Gets the administrator's generated password, on the first start only. Show it; do not store it. */
  readonly onFirstUser?: ((user: FirstUser) => void) | undefined;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Milliseconds of a clock that only moves forward. */
  readonly monotonic?: () => number;
  readonly argon2?: Argon2Cost;
  /** Rate at which one credential may change things. */
  readonly writeRate?: WriteRate | undefined;
  /** Listening sockets of the service manager, in place of hosts and ports. */
  readonly sockets?: InheritedSockets | undefined;
  /** Sends messages in place of the usual transports. */
  readonly transports?: Transports | undefined;
  /** Opens the engine of lines, in place of segments in the database (decision 110). */
  readonly openLines?: ((deps: LineEngineDeps) => LineEngine) | undefined;
  /** Folder of the built page, in place of the one beside this program. */
  readonly pageFolder?: string | undefined;
  /** Sends traces and metrics to a collector. */
  readonly telemetry?: TelemetrySettings | undefined;
  /** Evaluates rules of alerts after each commit that announces something, not only from time to time; default true. */
  readonly wakesAlerts?: boolean | undefined;
  /** Checks every answer against its schema. */
  readonly checkAnswers?: boolean;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly syslogPort: number | undefined;
  readonly syslogTlsPort: number | undefined;
  readonly deps: Deps;
  readonly jobs: Jobs;
  readonly sender: Sender;
  /** Reads certificates again, for new connections. A bad one is logged, and the old one stays. */
  renewCertificates(read: () => Certificates): void;
  /**
   * Stops: is not ready, answers for the time of the drain, accepts no more, finishes its answers, stores the lines it
   * has received. A second call ends the drain.
   */
  stop(): Promise<void>;
}

/**
 * Starts a server. Rejects with a {@link ConfigError} or a `DatabaseError`, whose messages are for the person who
 * starts it.
 */
export async function startServer(
  config: Config,
  fullLog: Logger,
  options: ServerOptions = {},
): Promise<RunningServer> {
  const { now = Date.now, sockets = {} } = options;
  const closers: (() => Promise<void> | void)[] = [];
  const endOfDrain = new AbortController();
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  let closed: Promise<void> | undefined;
  const stop = () => {
    if (closed !== undefined) endOfDrain.abort();
    closed ??= closeAll();
    return closed;
  };
  try {
    // First of all: a wrong setting changes nothing.
    const tls = keyPairOf('http', config);
    const syslogTls = config.syslogTlsPort === 'off' ? undefined : keyPairOf('syslog', config);
    const bootstrap = config.bootstrap === undefined ? undefined : readBootstrap(config.bootstrap);
    prepareDataFolder(config.dataDir);
    const interrupted = await finishInterruptedRestore(config.dataDir);
    if (interrupted !== undefined) fullLog.warn(interrupted.text);
    const key = openSecretKey(config.dataDir);
    const telemetry = options.telemetry && (await startTelemetry(options.telemetry, fullLog));
    const opened = await openInstallation(config, key, options.beginAnew ?? false);
    closers.push(() => opened.close());
    const { log, close: endOutage } = quietDuringOutage(fullLog, opened, now);
    closers.push(endOutage);
    const db = telemetry?.database(opened) ?? opened;
    // An older program that meets this database says which version to use.
    await db.write((tx) => storeSetting(tx, 'version', VERSION));
    await fillNameKeys(db, log);
    const monotonic = options.monotonic ?? (() => performance.now());
    const admission = createAdmission(monotonic);
    const hashing = await createPasswords(options.argon2, (waitedMs) => admission.isLate('sign_ins', waitedMs));
    const passwords = telemetry?.passwords(hashing) ?? hashing;

    const { agentIntervalS, tokenMaxDays, auditDays, sourceQuota, newGroupsPerMinute, maxTokensPerUser } = config;
    const { sentryUserIp } = config;
    const audit = createAuditLog(now, key);
    const people = { db, key, passwords, audit, now, tokenMaxDays };
    await ensureInitialUsers(people, bootstrap, config.adminPassword, options.onFirstUser);
    await deleteOldFirstPassword(people, config.dataDir);
    markKeyUsed(config.dataDir, log);
    const events = await createEventBus(db, log, now);
    closers.push(() => events.close());
    const damage = new DamageRecord(db, log);
    const noteDamage = damage.note.bind(damage);
    const { openLines = segmentEngine } = options;
    const maxBytes = config.errlogMaxMb * 1_000_000;
    const { packer, reads: lineReads } = openLines({ db, log, now, maxBytes, noteDamage });
    closers.push(() => packer.close());
    closers.push(() => lineReads.close());
    const liveLines = createLiveLines({ lines: lineReads, groups: errlogStore(db), log });
    closers.push(() => liveLines.close());
    // Without them the server would accept filters with expressions that are not valid.
    await loadExpressions();
    await db.write((tx) => events.publish(tx, [{ type: 'resync', data: { reason: 'restart', of: 'all' } }]));

    const listeningWindow = createListeningWindow(now, monotonic);
    const limits = { sourceQuota, newGroupsPerMinute, maxTokensPerUser };
    const settings = { agentIntervalS, tokenMaxDays, auditDays, sentryUserIp, ...limits };
    const sessionIdle = createSessionIdle(config.sessionIdleS);
    const tokenUses = createTokenUses(db, now);
    const makesBackups = config.backupDir !== undefined;
    const health = createServerHealth({ db, now, dataDir: config.dataDir, makesBackups });
    closers.push(() => health.close());
    const transports = options.transports ?? createTransports({ config, now });
    closers.push(() => transports.close());
    const { publicUrl, providers, passwordLogin, proxies } = config;
    const providerClients = createProviderClients({ providers, proxies, now, monotonic });
    const draining = new AbortController();
    const stopping = new AbortController();
    const deps: Deps = {
      db,
      log,
      key,
      passwords,
      events,
      lineReads,
      packer,
      audit,
      transports,
      attempts: createRunningAttempts(),
      folders: { dataDir: config.dataDir, backupDir: config.backupDir },
      now,
      monotonic,
      stopping: stopping.signal,
      listeningWindow,
      sessionIdle,
      tokenUses,
      health,
      publicUrl,
      providers,
      passwordLogin,
      providerClients,
      verifyIdToken: createVerifyIdToken({ allow: config.trustAllow, proxies, now, monotonic }),
      admission,
      ...settings,
    };
    await checkSearchIndex(db, log);
    const unchecked = await checksumWarning(db);
    if (unchecked !== undefined) log.warn(unchecked);
    await warnOfTriggers(db, log);
    if (config.errlogMaxMb > 0 && db.space?.canGiveBack === false) {
      log.warn('the database file keeps its unused space; stop the server and run "quarterdeckd compact" once');
    }
    const singleSignOn = createSingleSignOn(deps);
    closers.push(() => singleSignOn.check.close());
    const services = createServices(deps);
    await services.errlog.startUpgrade();
    await services.errlog.announceMissed();
    const credentials = createCredentialUse(deps);
    closers.push(() => credentials.close());
    closers.push(() => services.errlog.close());
    closers.push(() => services.agent.close());
    closers.push(() => services.alert.close());
    const retention = createRetention(db, retentionLimits(config), now);
    closers.push(() => services.user.recordBlocked());
    const backups = createBackups(config, { db, log, now });
    const sender = createSender(deps);
    closers.push(() => sender.close());
    const keyWatch = createKeyWatch({ ...deps, dataDir: config.dataDir });
    const { senders: auditSenders, ...sending } = await createAuditSenders(deps, config);
    closers.push(() => sending.close());
    const watched = {
      agents: services.agent,
      operations: services.agentOperation,
      kernelRules: services.kernelRule,
      changes: services.change,
      tokens: services.apiToken,
      audit: services.audit,
      users: services.user,
      alerts: services.alert,
      errlog: services.errlog,
      credentials,
    };
    const upkeep = { retention, packer, backups, sender, keyWatch, auditSenders };
    const jobs = startJobs({ db, log, now, events, sessionIdle, lineReads, damage, ...upkeep, ...watched });
    closers.push(() => jobs.stop());
    if (options.wakesAlerts ?? true) closers.push(wakeRounds({ db, log, monotonic }, services.alert));
    closers.push(() => backups.close());

    const syslog = receivesSyslog(config)
      ? await startSyslog(config, { deps, sockets, pair: syslogTls, errlog: services.errlog }, closers)
      : undefined;

    const denials = createDenials({ db, audit, log, now });
    closers.push(() => denials.close());
    const { identify, identifySentry, identifyLink } = createIdentify({
      db,
      key,
      now,
      sessionIdle,
      credentials,
      verifySignIn: singleSignOn.check.verify,
      onClone: services.agent.noteClone,
    });
    const { verifyAtOnce: verifySignIn } = singleSignOn.check;
    const streamCredentials = createStreamCredentials({ db, key, now, sessionIdle, credentials, verifySignIn });
    const streamLimit = createUserLimit(config.maxStreamsPerUser, 'stream_limit_reached', 'event streams');
    const exportLimit = createUserLimit(config.maxStreamsPerUser, 'export_limit_reached', 'exports');
    const writeLimit = createWriteLimit(monotonic, options.writeRate);
    const { storeOtlp, storeLoki, storeBulk, storeSentry } = services.errlog;
    const { dataDir, maxConnections: max, maxConnectionsPerAddress: maxPerAddress } = config;
    const { sendTimeoutMs } = options;
    const isTrustedPeer = trustsPeer(config);
    const guard = new ConnectionGuard({ max, maxPerAddress, isTrustedPeer, sendTimeoutMs, log, now });
    closers.push(() => guard.close());
    const http = createHttpTimes();
    const signIns = countSignIns(services.user.login);
    const installation = createInstallationReader({ db, dataDir, listeningWindow, now, monotonic, log });
    const metrics = createMetrics({
      admission: admission.stats,
      connections: () => guard.stats(),
      answers: answerCounts,
      http,
      db,
      intake: services.errlog.intakeStats,
      installation,
      passwords: passwords.stats,
      retention: retention.stats,
      signIns: signIns.outcomes,
      syslog: () => syslog?.stats(),
      subscribers: events.subscribers,
      deliveries: sender.stats,
      alerts: services.alert.stats,
      backups: backups.stats,
      auditSenders,
    });
    telemetry?.sendMetrics(metrics);
    // After the last answer, while the database can still be counted.
    closers.push(() => telemetry?.close());
    const app = createApp({
      services: { ...services, user: { ...services.user, login: signIns.login } },
      measure: http.step,
      traceRequest: telemetry?.traceRequest,
      admission,
      storeOtlp,
      storeLoki,
      storeBulk,
      storeSentry,
      noteReleases: services.change.noteReleases,
      receiveCallback: createCallback({ db, key, now, acknowledgeAlert: createAcknowledge(deps) }),
      identify,
      identifySentry,
      identifyLink,
      singleSignOn,
      publicUrl,
      streamCredentials,
      streamLimit,
      exportLimit,
      writeLimit,
      db,
      events,
      lineReads,
      liveLines,
      metrics,
      log,
      now,
      onDenied: denials.note,
      serve: config.serve,
      // The page works with the half of administration alone.
      page: config.page && config.serve.has('admin') ? readPage(options.pageFolder ?? builtPage()) : undefined,
      mcpChanges: config.mcpChanges,
      draining: draining.signal,
      stopping: stopping.signal,
      accessLogRate: config.accessLog ? config.accessLogRate : undefined,
      checkAnswers: options.checkAnswers ?? false,
      proxies: { trusted: config.trustedProxies, header: config.proxyHeader },
      corsOrigins: config.corsOrigins,
      withTls: tls !== undefined,
    });
    const listener = await listenOrExplain(app, config, guard, options, tls);
    const warning = exposureWarning(listener.address, config);
    if (warning !== undefined) log.warn({ address: listener.address, port: listener.port }, warning);
    closers.push(
      () => listener.close(),
      () => stopping.abort(),
      async () => {
        draining.abort();
        // It rejects when it is aborted.
        await sleep(config.drainS * 1000, undefined, { signal: endOfDrain.signal }).catch(() => undefined);
      },
    );
    if (db.dialect === 'sqlite') {
      const control = await startControlServer(config, deps);
      closers.push(() => control?.close());
    }
    const address = sockets.http === undefined ? config.host : listener.address;
    const host = address.includes(':') ? `[${address}]` : address;
    return {
      url: `${tls === undefined ? 'http' : 'https'}://${host}:${listener.port}`,
      port: listener.port,
      syslogPort: syslog?.port,
      syslogTlsPort: syslog?.tlsPort,
      deps,
      jobs,
      sender,
      renewCertificates: (read) => renewCertificates(read, { http: listener, syslog: syslogTls && syslog }, log),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
