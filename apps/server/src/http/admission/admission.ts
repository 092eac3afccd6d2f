// Decides at the head of a request whether it is served, before its credential is checked and its body is read. Each
// kind of work has a lane with a limit of its own, so a flood of one kind leaves the others their time.
import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError, contract } from '@quarterdeck/core';
import { credentialText, type Incoming, pathOf, type Step } from '@quarterdeck/express/parts';
import { BULK, LOKI_PUSH, OTLP_LOGS } from '../endpoints/raw-endpoints.ts';
import { Lane, type LaneStats, SENDER_SLOTS } from './lane.ts';
import { isSentryPath, sentryRefusal } from './sentry-refusal.ts';

/** Lanes of the server. Everything else, such as reads of people, is not limited here. */
export type LaneName = 'lines' | 'sign_ins' | 'heartbeats';

/** Admission of requests. */
export interface Admission {
  /** Refuses a request whose lane is full. It comes after the steps that bring its target to one form. */
  readonly step: Step;
  /** Tells whether a request that waited in its queue for so many milliseconds should be refused instead. */
  isLate(lane: LaneName, waitedMs: number): boolean;
  stats(): Readonly<Record<LaneName, LaneStats>>;
}

/** A request that counts in its lane. */
interface Admitted {
  readonly req: IncomingMessage;
  readonly slot: number;
  readonly startMs: number;
}

/** A lane and the requests that count in it. */
interface OpenLane {
  readonly lane: Lane;
  readonly admitted: Set<Admitted>;
  checkedMs: number;
}

/** Milliseconds that a client has to send its body. Then its request counts no more: it occupies nothing. */
const ARRIVAL_MS = 250;
/** Milliseconds between two searches for such requests. */
const CHECK_EVERY_MS = 50;
/** Bytes of a refused body that are read and dropped to keep the connection for the next request. */
const DROPPED_MAX = 1024 * 1024;
/** Bounds of the greatest `Retry-After` in seconds. */
const SPREAD_MIN_S = 5;
const SPREAD_MAX_S = 30;
const FNV_PRIME = 16_777_619;

/** Mean time from admission to answer under overload, in milliseconds. */
const TARGET_MS = 200;

const HEARTBEAT_START = '/api/agents/';
const HEARTBEAT_END = '/heartbeat';

/** Creates {@link Admission}. `monotonic` is in milliseconds and only moves forward. */
export function createAdmission(monotonic: () => number): Admission {
  const open = (first: number, least: number, most: number): OpenLane => ({
    lane: new Lane({ first, least, most, targetMs: TARGET_MS }),
    admitted: new Set(),
    checkedMs: 0,
  });
  const lanes: Readonly<Record<LaneName, OpenLane>> = {
    lines: open(64, 4, 1_024),
    sign_ins: open(8, 3, 64),
    heartbeats: open(256, 64, 2_048),
  };
  const byPath: ReadonlyMap<string, LaneName> = new Map([
    [contract.errlog.append.path, 'lines'],
    [OTLP_LOGS.path, 'lines'],
    [LOKI_PUSH.path, 'lines'],
    [contract.user.login.path, 'sign_ins'],
  ]);
  // Clients cannot choose texts that share a slot with those of others.
  const seed = randomInt(2 ** 32 - 1);

  function laneOf(req: IncomingMessage): LaneName | undefined {
    if (req.method !== 'POST') return undefined;
    const path = pathOf(req).replace(/\/$/, '');
    const isHeartbeat = path.startsWith(HEARTBEAT_START) && path.endsWith(HEARTBEAT_END);
    // Also below the name of an index.
    if (isHeartbeat) return 'heartbeats';
    return path.endsWith(BULK.path) || isSentryPath(path) ? 'lines' : byPath.get(path);
  }

  /** Slot of a sender: of its credential, which is not checked yet, or of its address without one. */
  function slotOf(req: Incoming, name: LaneName): number {
    const text = name === 'sign_ins' ? req.address : credentialText(req.headers);
    let hash = seed;
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
    for (let i = 0; i < req.address.length; i += 1) hash = Math.imul(hash ^ req.address.charCodeAt(i), FNV_PRIME);
    return ((hash ^ (hash >>> 15)) >>> 0) % SENDER_SLOTS;
  }

  return {
    step(req, res) {
      const name = laneOf(req);
      if (name === undefined) return;
      const { lane, admitted } = lanes[name];
      const [slot, startMs] = [slotOf(req, name), monotonic()];
      if (!lane.enter(slot, startMs) && !(passOverWaiting(lanes[name], startMs) && lane.enter(slot, startMs))) {
        if (isLong(req)) res.setHeader('Connection', 'close');
        const refusal = refusalAfter(lane.refusedForOne);
        throw isSentryPath(pathOf(req)) ? sentryRefusal(refusal, res) : refusal;
      }
      const one: Admitted = { req, slot, startMs };
      admitted.add(one);
      res.once('close', () => {
        if (!admitted.delete(one)) return;
        const nowMs = monotonic();
        lane.leave(slot, nowMs, isServed(res.statusCode) ? nowMs - startMs : undefined);
      });
    },
    isLate: (name, waitedMs) => lanes[name].lane.isLate(waitedMs, monotonic()),
    stats: () => ({
      lines: lanes.lines.lane.stats(),
      sign_ins: lanes.sign_ins.lane.stats(),
      heartbeats: lanes.heartbeats.lane.stats(),
    }),
  };
}

/**
 * Stops counting requests whose clients have not sent their bodies: whoever sends half a request would otherwise keep
 * everybody else out. Tells whether there were any.
 */
function passOverWaiting(open: OpenLane, nowMs: number): boolean {
  const { lane, admitted } = open;
  if (nowMs - open.checkedMs < CHECK_EVERY_MS) return false;
  open.checkedMs = nowMs;
  const waiting = [...admitted].filter(({ req, startMs }) => !req.complete && nowMs - startMs > ARRIVAL_MS);
  for (const one of waiting) {
    admitted.delete(one);
    lane.leave(one.slot, nowMs, undefined);
  }
  return waiting.length > 0;
}

const isServed = (status: number) => status < 400;

/** Tells whether the rest of a refused request would take longer to drop than a new connection takes. */
function isLong({ headers }: IncomingMessage): boolean {
  if (headers.expect !== undefined) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > DROPPED_MAX;
}

/** Refusals by `Retry-After`. Making an error, with its stack, costs a fifth of a refusal. */
const REFUSALS = Array.from({ length: SPREAD_MAX_S }, (_, i) => new AppError('overloaded', { retryAfterS: 1 + i }));

/** The more are refused, the later they return, each at another time. */
function refusalAfter(refusedForOne: number): AppError {
  const spreadS = Math.max(SPREAD_MIN_S, Math.min(SPREAD_MAX_S, Math.ceil(refusedForOne)));
  return REFUSALS[Math.floor(Math.random() * spreadS)] as AppError;
}
