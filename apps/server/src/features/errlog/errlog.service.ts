// Error logs: lines in, groups out.
import { type Actor, AppError, type contract, type Service, sliceOf, unixSeconds } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import {
  type IntakeResult,
  MAX_INTAKE_LINES,
  NdjsonText,
  readIntakeJson,
  readIntakeNdjson,
} from '../../ingest/http-lines.ts';
import type { LogLine } from '../../ingest/log-line.ts';
import { checkWindow } from '../page-window.ts';
import { createAnnouncer } from './errlog.announcer.ts';
import { listErrlog } from './errlog.list.ts';
import { type GroupBatch, storeBatch } from './errlog.store.ts';
import { fingerprint } from './fingerprint.ts';
import { createSources, type Sender } from './source.repo.ts';

/** Lines that may be on their way to the database at once; beyond, the sender is asked to wait. */
const IN_FLIGHT_MAX = 100_000;

/** A line with who sent it. */
export interface SentLine {
  readonly line: LogLine;
  readonly sender: Sender;
}

/** The error-log service, and what the rest of the server needs of it. */
export interface ErrlogService extends Service<(typeof contract)['errlog'], CallContext> {
  /**
   * Stores lines; resolves when they are durable.
   *
   * @throws AppError `overloaded` where too many lines are already on their way
   */
  store(lines: readonly SentLine[]): Promise<void>;
  /** Announces what is still waiting. */
  close(): Promise<void>;
}

export function errlogService(deps: Deps): ErrlogService {
  const { db, events, log, now } = deps;
  const sourceId = createSources(db, now);
  const announcer = createAnnouncer(db, events, log);
  let inFlight = 0;

  async function store(lines: readonly SentLine[]): Promise<void> {
    if (lines.length === 0) return;
    if (inFlight + lines.length > IN_FLIGHT_MAX) throw new AppError('overloaded');
    inFlight += lines.length;
    try {
      const groups = await group(lines);
      // Bulk: on a disk that fills up, lines are refused before sign-ins are.
      announcer.note(await db.write((tx) => storeBatch(tx, db.dialect, groups), { bulk: true }));
    } finally {
      inFlight -= lines.length;
    }
  }

  async function group(lines: readonly SentLine[]): Promise<GroupBatch[]> {
    const groups = new Map<string, GroupBatch>();
    for (const { line, sender } of lines) {
      const src = await sourceId(sender);
      const print = fingerprint(line.log);
      const key = `${src},${line.appId},${line.level},${print}`;
      const occurrence = { time: line.logTime, reqId: line.reqId, count: line.count, log: line.log };
      const known = groups.get(key);
      if (known === undefined) {
        groups.set(key, {
          src,
          nodeType: sender.nodeType,
          appId: line.appId,
          level: line.level,
          fingerprint: print,
          count: line.count,
          firstSeen: line.logTime,
          logTime: line.logTime,
          log: line.log,
          occurrences: [occurrence],
        });
        continue;
      }
      known.count += line.count;
      known.occurrences.push(occurrence);
      if (line.logTime < known.firstSeen) known.firstSeen = line.logTime;
      if (line.logTime >= known.logTime) {
        known.logTime = line.logTime;
        known.log = line.log;
      }
    }
    return [...groups.values()];
  }

  return {
    store,
    close: () => announcer.close(),

    list: ({ query }) => listErrlog(db.read.sql, query, checkWindow(sliceOf(query)), query.detail),

    async append({ body, actor, request }) {
      const { lines, refused } = readLines(body, unixSeconds(now()));
      if (lines.length === 0) {
        const [first] = refused;
        throw new AppError('nothing_accepted', {
          ...(first === undefined
            ? { message: 'The batch is empty.' }
            : { detail: `line ${first.index}: ${first.message}` }),
          fields: refused.map(({ index, message }) => ({ path: `body.${index}`, message })),
        });
      }
      const name = senderName(actor);
      await store(
        lines.map((line) => ({
          line,
          sender: { nodeType: line.nodeType, nodeId: line.nodeId, name, address: request.address },
        })),
      );
      return { accepted: lines.length, refused };
    },
  };
}

/** Name of the source of lines that came over HTTP: an agent speaks for its host, people all speak for the API. */
const senderName = (actor: Actor) => (actor.kind === 'agent' ? `agent ${actor.agentId}` : 'api');

function readLines(body: unknown, nowS: number): IntakeResult {
  const result = body instanceof NdjsonText ? readIntakeNdjson(body.text, nowS) : readIntakeJson(body, nowS);
  if (result.tooMany) {
    throw new AppError('too_large', { message: `A batch may hold at most ${MAX_INTAKE_LINES} lines.` });
  }
  return result;
}
