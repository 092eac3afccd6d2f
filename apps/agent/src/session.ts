// This host's standing with one console: not enrolled, enrolled, forgotten. Knows what the console has been told.
import type { AgentFacts, AgentRegistration } from '@quarterdeck/core';
import type { Logger } from 'pino';
import { changedFacts } from './changes.ts';
import type { CollectFacts, Facts } from './facts/collect.ts';
import type { Link } from './link.ts';
import { acceptedInterval, INTERVAL_DEFAULT_S } from './pace.ts';
import { Enrolment, type State, type StateFile } from './state.ts';
import { isForgotten, isUnacceptable, reasonOf } from './trouble.ts';

/** What {@link createSession} needs. */
export interface SessionOptions {
  readonly link: Link;
  /** Address of the console; an enrolment with another one does not count. */
  readonly server: string;
  readonly enrollToken: string | undefined;
  readonly stateFile: StateFile;
  readonly state: State;
  readonly collect: CollectFacts;
  readonly log: Logger;
}

/** See the head of this file. */
export interface Session {
  /** Seconds between reports, as the console last said. */
  readonly intervalS: number;
  /** Enrols or reports, whichever is next. Throws what the link throws; the next call starts over. */
  report(signal: AbortSignal): Promise<void>;
  /** Tells the console that this agent stops; false when there is no console that knows it. */
  goodbye(): Promise<boolean>;
}

// The first times may have their reasons; a host that is enrolled over and over has a twin.
const TWIN_SUSPECTED_AFTER = 3;

/** A session that begins with what the state file remembers. */
export function createSession(options: SessionOptions): Session {
  const { link, server, enrollToken, stateFile, collect, log } = options;
  const { node_id } = options.state;
  let enrolment = options.state.enrolment?.server === server ? options.state.enrolment : undefined;
  /** What the console has; undefined when that is not certain. */
  let known: Facts | undefined;
  let saved = true;
  let enrolledAgain = 0;

  async function save(): Promise<void> {
    try {
      await stateFile.save({ node_id, ...(enrolment === undefined ? {} : { enrolment }) });
      if (!saved) log.info({ file: stateFile.path }, 'the state is saved');
      saved = true;
    } catch (error) {
      // The agent goes on with what it has in memory, and tries again with each report.
      if (saved)
        log.error({ reason: String(error) }, 'the state cannot be saved; a restart would enrol this host again');
      saved = false;
    }
  }

  async function keep(next: Enrolment): Promise<void> {
    const changed =
      next.interval !== enrolment?.interval || next.secret !== enrolment.secret || next.id !== enrolment.id;
    enrolment = next;
    if (changed || !saved) await save();
  }

  /** Sends `full`, and `bare` instead when the console cannot take it: an odd fact must not make a host disappear. */
  async function withBare<Body, Answer>(
    send: (body: Body) => Promise<Answer>,
    full: Body,
    bare: Body,
  ): Promise<Answer> {
    try {
      return await send(full);
    } catch (error) {
      if (!isUnacceptable(error)) throw error;
      const answer = await send(bare);
      log.warn(reasonOf(error), 'the server does not take these facts; going on without them');
      return answer;
    }
  }

  async function enroll(token: string, facts: Facts): Promise<number> {
    const register = (body: AgentRegistration) => link.register(token, body);
    const answer = await withBare(register, { node_id, ...facts }, { node_id, hostname: facts.hostname });
    const { id, secret } = answer;
    await keep(Enrolment.parse({ server, id, secret, interval: acceptedInterval(answer.interval) }));
    known = facts;
    return id;
  }

  async function enrollAgain(token: string, facts: Facts, why: unknown): Promise<void> {
    const id = await enroll(token, facts);
    log.warn({ id, ...reasonOf(why) }, 'enrolled again: the server did not know this agent any more');
    enrolledAgain += 1;
    if (enrolledAgain === TWIN_SUSPECTED_AFTER) {
      log.warn({ node_id }, 'enrolled again and again; a copy of this host may have the same machine id');
    }
  }

  async function heartbeat(as: Enrolment, facts: Facts, signal: AbortSignal): Promise<void> {
    const send = (body: AgentFacts) => link.heartbeat(as, body, signal);
    const changed = changedFacts(known, facts);
    const orders = await withBare(send, changed, {});
    known = facts;
    log.debug({ changed: Object.keys(changed) }, 'reported');
    await keep({ ...as, interval: acceptedInterval(orders.interval) });
  }

  async function report(signal: AbortSignal): Promise<void> {
    const facts = await collect();
    signal.throwIfAborted();
    if (enrolment === undefined) {
      if (enrollToken === undefined) throw new Error('neither enrolled nor able to enrol');
      const id = await enroll(enrollToken, facts);
      return log.info({ id, interval: session.intervalS }, 'enrolled');
    }
    try {
      await heartbeat(enrolment, facts, signal);
    } catch (error) {
      // A server that was away may come back with an older database.
      known = undefined;
      if (enrollToken === undefined || !isForgotten(error)) throw error;
      // The old secret stays until there is a new one: the answer may have come from a server that is not itself today.
      await enrollAgain(enrollToken, facts, error);
    }
  }

  const session: Session = {
    get intervalS() {
      return enrolment?.interval ?? INTERVAL_DEFAULT_S;
    },
    report,
    async goodbye() {
      if (enrolment === undefined) return false;
      await link.shutdown(enrolment);
      return true;
    },
  };
  return session;
}
