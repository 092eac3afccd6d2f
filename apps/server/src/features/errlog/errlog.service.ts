// Error logs: takes lines in and serves groups.
import {
  type Actor,
  AppError,
  type contract,
  type ErrlogFilter,
  type ErrlogReceipt,
  invalidField,
  isRestricted,
  parseFilter,
  type Service,
  sliceOf,
  unixSeconds,
} from '@quarterdeck/core';
import type { LinesBody, SeenRelease } from '@quarterdeck/intake';
import { rejectedReply } from '@quarterdeck/intake';
import { errlogStore, type SpanQuery } from '@quarterdeck/store';
import { linesOf, type SentLine } from '@quarterdeck/store/line-columns';
import { hasPermissions } from '../../auth/require-permissions.ts';
import type { CallContext } from '../call-context.ts';
import { checkWindow } from '../page-window.ts';
import { accessOf, listsOf } from '../seen-sources.ts';
import { oddOfError } from '../suspects/odd-one-out.ts';
import { findSuspects } from '../suspects/suspects.ts';
import { createAnnouncer } from './errlog.announcer.ts';
import { createGrouping } from './errlog.grouping.ts';
import { createManager, getErrlog } from './errlog.manage.ts';
import { createFingerprintUpgrade } from './fingerprint-upgrade.ts';
import { readNumbers } from './intake/batch-numbers.ts';
import { nothingAccepted } from './intake/body-lines.ts';
import { readKey } from './intake/idempotency-key.ts';
import type { IncomingBody } from './intake/incoming.ts';
import { createIntake, type IntakeStats } from './intake/intake.ts';
import { unpackBatch } from './intake/packed-batch.ts';
import { previewLines } from './intake/preview.ts';
import { type LineSender, senderOf } from './intake/senders.ts';
import type { ErrlogNeeds } from './needs.ts';
import { proofOf } from './proof.ts';

/** The error-log service, with the functions that the rest of the server uses. */
export interface ErrlogService extends Service<(typeof contract)['errlog'], CallContext> {
  /**
   * Stores lines; resolves when they are durable.
   *
   * @throws AppError `overloaded` if too many lines are in flight
   */
  store(lines: readonly SentLine[]): Promise<void>;
  /**
   * Reads a body of OpenTelemetry and stores its records. Resolves when they are durable, with what could not be
   * stored. A resource without a host and a service becomes `otlp`.
   *
   * @throws AppError `bad_request`, `malformed_json`, `too_large` for an unreadable body, `overloaded` if too much is
   *   in flight
   */
  storeOtlp(body: LinesBody, actor: LineSender, address: string): Promise<OtlpReceipt>;
  /**
   * Stores the entries of a push request of Loki; resolves when they are durable.
   *
   * @throws AppError as {@link storeOtlp}
   */
  storeLoki(body: LinesBody, actor: LineSender, address: string): Promise<void>;
  /**
   * Stores the documents of a bulk request; resolves when they are durable, with the answer as JSON without `took`. An
   * equal request whose documents all have an id is stored once within a day. A refusal for load is in the items.
   *
   * @throws AppError as {@link storeOtlp}
   */
  storeBulk(body: LinesBody, actor: LineSender, address: string): Promise<string>;
  /**
   * Stores the events and log records of a request of Sentry's SDKs; resolves when they are durable. Events with the
   * same ids are stored once within a day.
   *
   * @throws AppError as {@link storeOtlp}
   */
  storeSentry(body: LinesBody, actor: LineSender, address: string): Promise<SentryReceipt>;
  /** Starts the change of groups that an upgrade requires. Comes before the first line. */
  startUpgrade(): Promise<void>;
  /** Carries out merges and splits that a server which was stopped has left. */
  continueCorrections(stopped: () => boolean): Promise<void>;
  /** Announces the new groups of a server that was killed before it did so. Comes before the first line. */
  announceMissed(): Promise<void>;
  /** Returns the numbers of the intake since the start. */
  intakeStats(): IntakeStats;
  /** Announces the groups that still wait. */
  close(): Promise<void>;
}

/** Answer to Sentry as JSON, and the releases that its lines name. */
export interface SentryReceipt {
  readonly reply: string;
  readonly releases: readonly SeenRelease[];
}

/** Losses of a body of OpenTelemetry: records that were not stored, or not as sent. */
export interface OtlpReceipt {
  /** Records without anything to store. */
  readonly rejected: number;
  /** Records with a warning, and the first one. */
  readonly warned: number;
  readonly warning: NonNullable<ErrlogReceipt['warnings']>[number] | undefined;
}

/** Most bytes in the lines of a dry run: the answer contains each of them twice. */
const DRY_RUN_BYTES = 1024 * 1024;

export function errlogService(deps: ErrlogNeeds): ErrlogService {
  const { db, events, log, now } = deps;
  const announcer = createAnnouncer(db, events, log);
  const intake = createIntake(deps, announcer.note, announcer.noteUnknown);
  const upgrade = createFingerprintUpgrade(deps);
  const manager = createManager(deps);
  const grouping = createGrouping(deps);
  const store = errlogStore(db);
  const nowS = () => unixSeconds(now());

  /** Returns the account of an answer about errors. */
  const accountOf = async (actor: Actor, query: SpanQuery, isEmpty: boolean, searched: boolean) =>
    store.accountOf(query, { isEmpty, searched, about: 'errors' }, nowS(), await accessOf(db, actor));

  /** Reads a group that a caller may see. */
  const groupFor = async (actor: Actor, id: number) => getErrlog(store, id, await accessOf(db, actor));

  return {
    startUpgrade: () => upgrade.start(),
    continueCorrections: (stopped) => grouping.continueAll(stopped),
    announceMissed: () => announcer.announceMissed(),
    async store(lines) {
      upgrade.checkDone();
      if (lines.length > 0) await intake.store({ lines });
    },
    async storeOtlp(body, actor, address) {
      upgrade.checkDone();
      const batch = await intake.read(incomingBody(body, senderOf(actor, address)), false);
      const { warned = 0, warnings } = batch.size + batch.rejected > 0 ? await intake.store(batch) : {};
      return { rejected: batch.rejected, warned, warning: warnings?.[0] };
    },
    async storeLoki(body, actor, address) {
      upgrade.checkDone();
      await intake.store(incomingBody(body, senderOf(actor, address)));
    },
    async storeBulk(body, actor, address) {
      upgrade.checkDone();
      const batch = await intake.read(incomingBody(body, senderOf(actor, address)), true);
      const { reply = '', key } = batch;
      const receipt = key === undefined ? undefined : { owner: ownerOf(actor), key: `bulk ${key}` };
      try {
        if (batch.size > 0) await intake.store(batch, receipt);
      } catch (error) {
        if (error instanceof AppError && isOfLoad(error)) return rejectedReply(reply, error.message);
        throw error;
      }
      return reply;
    },
    async storeSentry(body, actor, address) {
      upgrade.checkDone();
      const incoming = { ...incomingBody(body, senderOf(actor, address)), keepsUserIp: deps.sentryUserIp };
      const batch = await intake.read(incoming, true);
      const { reply = '{}', key, releases = [] } = batch;
      const receipt = key === undefined ? undefined : { owner: incoming.from.credential, key: `sentry ${key}` };
      await intake.store(batch, receipt);
      return { reply, releases };
    },
    intakeStats: () => intake.stats(),
    async close() {
      await upgrade.close();
      await intake.close();
      await announcer.close();
    },

    async list({ query: { page, page_size, start, end, cursor, sort, rollup, detail, ...filter }, actor }) {
      const window = { page, page_size, start, end };
      const slice = checkWindow(sliceOf(window));
      if (cursor !== undefined) checkCursor(cursor, window, rollup);
      const { data, meta } = await (await listsOf(deps, actor)).list({
        filter,
        sort,
        rollup,
        detail,
        slice,
        ...(rollup ? {} : { cursor }),
      });
      const query = spanQueryOf(filter);
      if (!store.hasSpan(query, nowS())) return { data, meta };
      const { count, capped, complete = capped === undefined } = meta;
      return { data, meta: { ...meta, ...(await accountOf(actor, query, count === 0, complete)) } };
    },
    async histogram({ query: { buckets, ...filter }, actor }) {
      const { counted, ...found } = await (await listsOf(deps, actor)).histogram(filter, buckets);
      const query = { ...spanQueryOf(filter), startTime: counted.from, endTime: counted.to - 1 };
      const isEmpty = found.buckets.every(({ count }) => count === 0);
      return { ...found, meta: await accountOf(actor, query, isEmpty, found.partial === undefined) };
    },
    async facets({ query: { top, ...filter }, actor }) {
      const found = await (await listsOf(deps, actor)).facets(filter, top);
      const isEmpty = found.levels.length === 0;
      return { ...found, meta: await accountOf(actor, spanQueryOf(filter), isEmpty, found.partial === undefined) };
    },
    async get({ params: { id }, version, actor }) {
      const group = await groupFor(actor, id);
      version?.show(group);
      const proof = await proofOf(store, group, nowS());
      return { ...group, ...(proof && { proof }) };
    },
    ...grouping.endpoints,
    update: ({ params: { id }, body, ...caller }) => manager.update(id, body, caller),
    bulk: ({ body, query, ...caller }) => manager.bulk({ ...body, dry_run: body.dry_run || query.dry_run }, caller),
    async changes({ params: { id }, query, actor }) {
      const access = await accessOf(db, actor);
      const group = await getErrlog(store, id, access);
      return findSuspects(db, { group, ...query, showsAgents: hasPermissions(actor, ['agent:read']), access }, now());
    },
    async odd({ params: { id }, actor }) {
      const access = await accessOf(db, actor);
      const group = await getErrlog(store, id, access);
      return oddOfError(db, { group, showsAgents: hasPermissions(actor, ['agent:read']), access }, now());
    },
    sources: async ({ query, actor }) => store.sources(query, checkWindow(sliceOf(query)), await accessOf(db, actor)),

    async occurrences({ params: { id }, query, actor }) {
      const group = await groupFor(actor, id);
      return deps.lineReads.occurrences(group.id, checkWindow(sliceOf(query)));
    },

    async append({ body, query, actor, request }) {
      // The contract describes the body for its senders; the intake parses it.
      const numbers = actor.kind === 'agent' ? readNumbers(request.batchNumbers) : undefined;
      const incoming = incomingBody(body as unknown as LinesBody, senderOf(actor, request.address), numbers);
      if (query.dry_run) {
        const batch = await intake.read(incoming, false);
        if (batch.bytes > DRY_RUN_BYTES) {
          throw new AppError('too_large', { message: `A dry run takes lines of at most ${DRY_RUN_BYTES} bytes.` });
        }
        const { lines: columns, refused, warnings, warned } = unpackBatch(batch);
        const lines = linesOf(columns);
        const fingerprints = Array.from(columns.printOf, (print) => columns.prints[print] as string);
        if (lines.length === 0) throw nothingAccepted(refused);
        // A sender that may not read all errors must not learn which ones there are.
        const seesAll = !isRestricted(actor) && hasPermissions(actor, ['errlog:read']);
        const findGroup = seesAll ? store.findGroup : async () => undefined;
        const corrected = await store.correctedPrints(lines, fingerprints);
        const preview = await previewLines(findGroup, lines, corrected, refused);
        return { accepted: lines.length, refused, ...(warnings && { warnings, warned }), preview };
      }
      upgrade.checkDone();
      const header = request.idempotencyKey;
      const receipt = header === undefined ? undefined : { owner: ownerOf(actor), key: readKey(header) };
      return intake.store(incoming, receipt);
    },
  };
}

/** Tells whether a refusal ends by waiting. */
const isOfLoad = ({ code }: AppError): boolean =>
  code === 'overloaded' || code === 'quota_exceeded' || code === 'database_busy';

type Window = Parameters<typeof sliceOf>[0];

/** @throws AppError `validation_failed` for parameters that have no meaning with a cursor */
function checkCursor(cursor: string, { page, page_size, start, end }: Window, rollup: boolean): void {
  const refuse = (field: string, message: string) => {
    throw invalidField(`query.${field}`, message);
  };
  if (page !== 1 || start !== undefined || end !== undefined)
    refuse('cursor', 'cannot be combined with page, start or end');
  // An empty one is ignored: a client that gets no meta.next reads by pages.
  if (rollup && cursor !== '') refuse('cursor', 'must be empty or absent with rollup');
  if (page_size === 0) refuse('page_size', 'must be at least 1 with a cursor');
}

/** Returns the part of a filter that the account of an answer depends on. */
const spanQueryOf = ({ filter = '', src, node_type, node_id, start_time, end_time }: ErrlogFilter): SpanQuery => ({
  filter: parseFilter(filter),
  src,
  nodeType: node_type,
  nodeId: node_id,
  startTime: start_time,
  endTime: end_time,
});

const incomingBody = (
  { bytes, form, encoding, target }: LinesBody,
  from: IncomingBody['from'],
  numbers?: IncomingBody['numbers'],
): IncomingBody => ({ bytes, form, encoding, target, from, numbers });

const ownerOf = (actor: LineSender) => (actor.kind === 'agent' ? `agent:${actor.agentId}` : `user:${actor.userId}`);
