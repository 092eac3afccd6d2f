// Follows the output of containers through the socket of their engine. Output waits in the sockets until it is read, so
// memory is bounded and nothing is lost while the spool is full.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { matchesGlob } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { cleanValue } from '../observe/compare.ts';
import { getJson, type ListedContainer, listContainers, nameOf, openRequest } from '../observe/container-engine.ts';
import { ContainerLog, OutputPosition, type ReadOutput } from './container-log.ts';
import type { Entry } from './entry-joiner.ts';

/** Stored positions in the output of containers. */
export const ContainerPositions = z.object({
  /** Unix seconds of the first look; output before it is not read. */
  since: z.int().min(0),
  read: z.array(OutputPosition.extend({ id: z.string() })),
});
export type ContainerPositions = z.output<typeof ContainerPositions>;

/** Socket of an engine, and the containers whose output is read. */
export interface ContainerLogSettings {
  /** Path of the socket. */
  readonly socket: string;
  /** Names of containers, with wildcards. */
  readonly names: readonly string[];
}

export interface ContainerLogsOptions extends ContainerLogSettings {
  readonly positions: ContainerPositions | undefined;
  /** Receives an entry; resolves when it is in a batch. An earlier batch must not save its position. */
  readonly onEntry: (entry: Entry, container: string) => Promise<void>;
  /** Saves the positions of the first look. */
  readonly onChange: () => Promise<void>;
  /** Called when output was gone before it was read. */
  readonly onLoss: () => void;
  /** Reports whether there is room for more entries. */
  readonly hasRoom: () => boolean;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** Milliseconds between two polls without output. */
  readonly pollEveryMs: number;
}

/** Polls between two looks at the list of containers. */
const POLLS_PER_LOOK = 5;
/** Polls to wait after repeated failures of one container. */
const POLLS_TO_RETRY = 60;
const ANSWER_MAX_MS = 10_000;
const CONTAINER_MAX_BYTES = 512 * 1024;
/** Containers whose output is read at the same time. */
const STREAMS_MAX = 100;
/** Chunks of at most 64 KiB of one poll; then the files follow. */
const CHUNKS_PER_POLL = 100;
/** Looks that must miss a container before its position is forgotten. */
const LOOKS_MISSED_MAX = 12;
const ENDED_STATES = new Set(['created', 'configured', 'exited', 'stopped', 'dead']);

const Inspected = z.object({ Config: z.object({ Tty: z.boolean().default(false) }) });

/** A container that is followed. */
interface Followed {
  readonly id: string;
  name: string;
  isRunning: boolean;
  /** True once the output of an ended container was read to its end. */
  isDrained: boolean;
  position: OutputPosition | undefined;
  stream: Stream | undefined;
  /** True while entries are on their way into a batch: the position is not behind them yet. */
  isTaking: boolean;
  /** Monotonic milliseconds before which no request is sent. */
  retryMs: number;
  hasFailed: boolean;
  missed: number;
}

/** An open request for the output of a container. */
interface Stream {
  readonly log: ContainerLog;
  readonly call: ClientRequest;
  /** True where the container ran when the request was sent. */
  readonly wasRunning: boolean;
  answer: IncomingMessage | undefined;
  /** Monotonic milliseconds of the last output. */
  quietSinceMs: number;
  failure: string | undefined;
}

export class ContainerLogs {
  readonly #options: ContainerLogsOptions;
  readonly #since: number;
  readonly #followed = new Map<string, Followed>();
  readonly #stop = new AbortController();
  #isNew: boolean;
  #isLooking = false;
  #lookMs = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #isOverLimit = false;
  /** Number of times that output was gone before it was read. */
  losses = 0;

  constructor(options: ContainerLogsOptions) {
    this.#options = options;
    const { positions, now } = options;
    this.#isNew = positions === undefined;
    this.#since = positions?.since ?? Math.floor(now() / 1000);
    for (const { id, ...position } of positions?.read ?? []) this.#add(id, position);
  }

  /** Positions after the last entries that are in a batch. */
  get positions(): ContainerPositions {
    const read = [...this.#followed.values()].flatMap(({ id, position }) =>
      position === undefined ? [] : [{ id, ...position }],
    );
    return { since: this.#since, read };
  }

  /** Reads new output; true when more can be read at once. */
  async poll(): Promise<boolean> {
    if (this.#isNew) await this.#options.onChange();
    this.#isNew = false;
    if (!this.#isLooking && this.#options.monotonicMs() >= this.#lookMs) void this.#look();
    try {
      return await this.#read();
    } catch (error) {
      // Entries that are in no batch must be read again.
      for (const one of this.#followed.values()) {
        this.#end(one);
        one.isDrained = false;
      }
      throw error;
    }
  }

  close(): void {
    this.#stop.abort();
  }

  #add(id: string, position: OutputPosition | undefined): Followed {
    const one: Followed = {
      id,
      name: id.slice(0, 12),
      isRunning: false,
      isDrained: false,
      position,
      stream: undefined,
      isTaking: false,
      retryMs: Number.NEGATIVE_INFINITY,
      hasFailed: false,
      missed: 0,
    };
    this.#followed.set(id, one);
    return one;
  }

  async #read(): Promise<boolean> {
    for (let chunks = 0; chunks < CHUNKS_PER_POLL; ) {
      const before = chunks;
      for (const one of this.#followed.values()) {
        if (one.stream === undefined) continue;
        if (!this.#options.hasRoom()) return false;
        const read = this.#readStream(one, one.stream);
        if (read === undefined) continue;
        chunks += 1;
        // The stream may have ended, and another one must not begin before these entries.
        one.isTaking = true;
        await this.#take(one, read).finally(() => {
          one.isTaking = false;
        });
      }
      if (chunks === before) return false;
      // The sockets are read between two turns of the event loop.
      await turn();
    }
    return true;
  }

  /** Reads what has come; undefined where nothing has. */
  #readStream(one: Followed, stream: Stream): ReadOutput[] | undefined {
    const { log, answer } = stream;
    const nowMs = this.#options.monotonicMs();
    const chunk = answer?.read() as Buffer | null | undefined;
    if (chunk !== null && chunk !== undefined) {
      stream.quietSinceMs = nowMs;
      return this.#decode(one, log, chunk);
    }
    if (stream.failure !== undefined || (answer?.destroyed === true && !answer.readableEnded)) {
      this.#fail(one, stream.failure ?? 'the connection broke');
      return undefined;
    }
    if (answer?.readableEnded) return this.#finish(one, stream);
    // A line that continues the entry comes within a poll.
    if (!log.isHolding || nowMs < stream.quietSinceMs + this.#options.pollEveryMs) return undefined;
    stream.quietSinceMs = nowMs;
    return log.flush(false);
  }

  #decode(one: Followed, log: ContainerLog, chunk: Buffer): ReadOutput[] | undefined {
    try {
      const read = log.push(chunk);
      one.hasFailed = false;
      return read;
    } catch (error) {
      this.#fail(one, String(error));
      return undefined;
    }
  }

  async #take(one: Followed, read: readonly ReadOutput[]): Promise<void> {
    for (const { entry, position, isAfterLoss } of read) {
      if (entry !== undefined) await this.#options.onEntry(entry, one.name);
      one.position = position;
      if (!isAfterLoss) continue;
      // Counted with the position behind it, or a restart would count it again.
      this.losses += 1;
      this.#options.log.warn({ container: one.name }, 'the engine has deleted output of the container; lines are lost');
      this.#options.onLoss();
    }
  }

  /** The output has ended, because the container has or the engine does. */
  #finish(one: Followed, { log, wasRunning }: Stream): ReadOutput[] {
    this.#end(one);
    if (!wasRunning) one.isDrained = true;
    return log.flush(true);
  }

  #end(one: Followed): void {
    one.stream?.call.destroy();
    one.stream = undefined;
  }

  #fail(one: Followed, reason: string): void {
    this.#end(one);
    if (this.#stop.signal.aborted) return;
    const { monotonicMs, pollEveryMs } = this.#options;
    one.retryMs = monotonicMs() + (one.hasFailed ? POLLS_TO_RETRY * pollEveryMs : 0);
    const level = one.hasFailed ? 'debug' : 'warn';
    one.hasFailed = true;
    this.#options.log[level]({ container: one.name, reason }, 'cannot read the output of a container; trying on');
  }

  /** Lists the containers and sends requests for the output of those that have none. Never throws. */
  async #look(): Promise<void> {
    const { socket, log, monotonicMs, pollEveryMs } = this.#options;
    this.#isLooking = true;
    this.#lookMs = monotonicMs() + POLLS_PER_LOOK * pollEveryMs;
    try {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(ANSWER_MAX_MS)]);
      this.#compare(await listContainers(socket, signal));
      await this.#openAll(signal);
      if (this.#hasFailed) log.info('the engine of containers answers again');
      this.#hasFailed = false;
    } catch (error) {
      // Containers may start and end unseen meanwhile.
      for (const one of this.#followed.values()) one.isDrained = false;
      if (!this.#hasFailed && !this.#stop.signal.aborted) {
        log.warn({ reason: String(error) }, 'the engine of containers does not answer; trying on');
      }
      this.#hasFailed = true;
    } finally {
      this.#isLooking = false;
    }
  }

  #compare(list: readonly ListedContainer[]): void {
    const { names } = this.#options;
    const listed = new Set<string>();
    for (const container of list) {
      const name = nameOf(container);
      if (!names.some((glob) => matchesGlob(name, glob))) continue;
      listed.add(container.Id);
      const one = this.#followed.get(container.Id) ?? this.#add(container.Id, undefined);
      one.name = name;
      one.missed = 0;
      one.isRunning = !ENDED_STATES.has(container.State);
      // One that ended seconds ago may have started since the last look.
      if (one.isRunning || /second/.test(container.Status)) one.isDrained = false;
    }
    for (const one of this.#followed.values()) {
      if (listed.has(one.id)) continue;
      one.missed += 1;
      one.isRunning = false;
      if (one.missed > LOOKS_MISSED_MAX && one.stream === undefined) this.#followed.delete(one.id);
    }
  }

  async #openAll(signal: AbortSignal): Promise<void> {
    const { log, monotonicMs } = this.#options;
    const all = [...this.#followed.values()];
    let streams = all.filter(({ stream }) => stream !== undefined).length;
    const waiting = all.filter(
      ({ stream, isTaking, missed, isDrained, retryMs }) =>
        stream === undefined && !isTaking && missed === 0 && !isDrained && retryMs <= monotonicMs(),
    );
    const isOverLimit = streams + waiting.filter(({ isRunning }) => isRunning).length > STREAMS_MAX;
    if (isOverLimit && !this.#isOverLimit) {
      log.warn({ containers: STREAMS_MAX }, 'too many containers; the output of some is not read');
    }
    this.#isOverLimit = isOverLimit;
    for (const one of waiting.toSorted((a, b) => Number(b.isRunning) - Number(a.isRunning))) {
      if (streams >= STREAMS_MAX) return;
      try {
        if (await this.#open(one, signal)) streams += 1;
      } catch (error) {
        signal.throwIfAborted();
        this.#fail(one, String(error));
      }
    }
  }

  /** Sends a request for the output of a container; false where the container is gone. */
  async #open(one: Followed, signal: AbortSignal): Promise<boolean> {
    const { socket, log, monotonicMs } = this.#options;
    const { id, position } = one;
    const found = await getJson(socket, `/containers/${id}/json`, CONTAINER_MAX_BYTES, signal);
    if (found === undefined) return false;
    const { Tty } = Inspected.parse(found).Config;
    const onEngineError = (text: string) =>
      log.warn({ container: one.name, reason: cleanValue(text, 200) }, 'the engine reports an error of an output');
    const path = `/containers/${id}/logs?stdout=1&stderr=1&timestamps=1&follow=1&since=${this.#sinceOf(position)}`;
    const call = openRequest(socket, path, this.#stop.signal, (answer) => {
      answer.on('error', () => undefined);
      if (answer.statusCode !== 200) {
        stream.failure = `status ${answer.statusCode}`;
        answer.destroy();
        return;
      }
      // Read on demand only.
      answer.on('readable', () => undefined);
      stream.answer = answer;
    });
    call.on('error', (error) => {
      stream.failure ??= String(error);
    });
    const stream: Stream = {
      log: new ContainerLog(position, Tty, onEngineError),
      call,
      wasRunning: one.isRunning,
      answer: undefined,
      quietSinceMs: monotonicMs(),
      failure: undefined,
    };
    one.stream = stream;
    return true;
  }

  /** Engines disagree on whether output at that very time is sent, so it begins a second earlier. */
  #sinceOf(position: OutputPosition | undefined): string {
    if (position === undefined) return `${this.#since}`;
    const [seconds, nanos] = position.time.split('.');
    return `${Math.max(0, Number(seconds) - 1)}.${nanos}`;
  }
}
