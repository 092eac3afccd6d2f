// Error logs: lines in, groups out.
import {
  type AgentActor,
  AppError,
  type contract,
  type ErrlogReceipt,
  type Service,
  sliceOf,
  type UserActor,
  unixSeconds,
} from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import {
  type IntakeLine,
  type IntakeResult,
  MAX_INTAKE_LINES,
  NdjsonText,
  readIntakeJson,
  readIntakeNdjson,
} from '../../ingest/http-lines.ts';
import type { IntakeStats } from '../../metrics.ts';
import { checkWindow } from '../page-window.ts';
import { errlogChanges } from './changes/errlog.changes.ts';
import { createAnnouncer } from './errlog.announcer.ts';
import { createIntake, type SentLine } from './intake/errlog.intake.ts';
import { previewLines } from './intake/errlog.preview.ts';
import { earlierAnswer, hashBody, readKey } from './intake/errlog.receipts.ts';
import { listSources, type Sender } from './intake/source.repo.ts';
import { errlogFacets } from './read/errlog.facets.ts';
import { errlogHistogram } from './read/errlog.histogram.ts';
import { listErrlog } from './read/errlog.list.ts';
import { listOccurrences } from './read/errlog.occurrences.ts';
import { createManager, getErrlog } from './upkeep/errlog.manage.ts';

/** The error-log service, and what the rest of the server needs of it. */
export interface ErrlogService extends Service<(typeof contract)['errlog'], CallContext> {
  /**
   * Stores lines; resolves when they are durable.
   *
   * @throws AppError `overloaded` where too many lines are already on their way
   */
  store(lines: readonly SentLine[]): Promise<void>;
  /** What the intake has done since the start. */
  intakeStats(): IntakeStats;
  /** Announces what is still waiting. */
  close(): Promise<void>;
}

export function errlogService(deps: Deps): ErrlogService {
  const { db, events, log, now } = deps;
  const announcer = createAnnouncer(db, events, log);
  const intake = createIntake(deps, announcer.note);
  const manager = createManager(deps);
  const nowS = () => unixSeconds(now());

  async function append(lines: readonly SentLine[], answer: ErrlogReceipt, body: unknown, caller: Caller) {
    const header = caller.request.idempotencyKey;
    if (header === undefined) {
      await intake.store(lines);
      return answer;
    }
    const key = { owner: ownerOf(caller.actor), key: readKey(header), bodyHash: hashBody(textOf(body)) };
    const earlier = await earlierAnswer(db.read.sql, key);
    if (earlier !== undefined) return earlier;
    if (await intake.store(lines, { ...key, answer, timeMs: now() })) return answer;
    // The same batch came twice at the same moment, and the other one was stored.
    return (await earlierAnswer(db.read.sql, key)) ?? answer;
  }

  return {
    async store(lines) {
      await intake.store(lines);
    },
    intakeStats: () => intake.stats(),
    close: () => announcer.close(),

    list({ query: { page, page_size, start, end, sort, rollup, detail, ...filter } }) {
      const slice = checkWindow(sliceOf({ page, page_size, start, end }));
      return listErrlog(db, { filter, sort, rollup, detail, slice });
    },
    histogram: ({ query: { buckets, ...filter } }) => errlogHistogram(db, filter, buckets, nowS()),
    facets: ({ query: { top, ...filter } }) => errlogFacets(db, filter, top),
    get: ({ params: { id } }) => getErrlog(db.read.sql, id),
    update: ({ params: { id }, body, ...caller }) => manager.update(id, body, caller),
    bulk: ({ body, ...caller }) => manager.bulk(body, caller),
    changes: ({ params: { id }, query }) => errlogChanges(db, { id, ...query }, now()),
    sources: ({ query }) => listSources(db, query, checkWindow(sliceOf(query))),

    async occurrences({ params: { id }, query }) {
      const { app_id: appId = 0 } = await getErrlog(db.read.sql, id);
      return listOccurrences(db.read.sql, { id, appId }, checkWindow(sliceOf(query)));
    },

    async append({ body, query, actor, request }) {
      const { lines, refused } = readLines(body, nowS());
      if (lines.length === 0) throw nothingAccepted(refused);
      const sent = withSenders(lines, senderOf(actor, request.address));
      if (query.dry_run)
        return { accepted: lines.length, refused, preview: await previewLines(db.read.sql, sent, refused) };
      return append(sent, { accepted: lines.length, refused }, body, { actor, request });
    },
  };
}

/** Who may send lines. */
type LineSender = UserActor | AgentActor;

interface Caller {
  readonly actor: LineSender;
  readonly request: CallContext['request'];
}

const ownerOf = (actor: LineSender) => (actor.kind === 'agent' ? `agent:${actor.agentId}` : `user:${actor.userId}`);

const textOf = (body: unknown) => (body instanceof NdjsonText ? body.text : JSON.stringify(body));

/** Who lines that came over HTTP are from: an agent speaks for its host, people all speak for the API. */
const senderOf = (actor: LineSender, address: string) =>
  actor.kind === 'agent'
    ? { name: `agent ${actor.agentId}`, agentId: actor.agentId, address }
    : { name: 'api', address };

/** Lines with their senders, one object per sender. */
function withSenders(lines: readonly IntakeLine[], from: ReturnType<typeof senderOf>): SentLine[] {
  const senders = new Map<string, Sender>();
  return lines.map((line) => {
    const key = `${line.nodeType},${line.nodeId}`;
    let sender = senders.get(key);
    if (sender === undefined) {
      sender = { nodeType: line.nodeType, nodeId: line.nodeId, ...from };
      senders.set(key, sender);
    }
    return { line, sender };
  });
}

function nothingAccepted(refused: IntakeResult['refused']): AppError {
  const [first] = refused;
  return new AppError('nothing_accepted', {
    ...(first === undefined ? { message: 'The batch is empty.' } : { detail: `line ${first.index}: ${first.message}` }),
    fields: refused.map(({ index, message }) => ({ path: `body.${index}`, message })),
  });
}

function readLines(body: unknown, nowS: number): IntakeResult {
  const result = body instanceof NdjsonText ? readIntakeNdjson(body.text, nowS) : readIntakeJson(body, nowS);
  if (result.tooMany) {
    throw new AppError('too_large', { message: `A batch may hold at most ${MAX_INTAKE_LINES} lines.` });
  }
  return result;
}
