// Ships log lines: from the followed files through batches and the spool to the server. No line is lost and none counts
// twice, whenever the agent or the server stops: docs/decisions/015.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentShipper } from '@quarterdeck/core';
import type { Logger } from 'pino';
import { Batch } from '../api/batch.ts';
import { type ContainerLogSettings, ContainerLogs } from '../follow/container-logs.ts';
import type { Entry } from '../follow/entry-joiner.ts';
import { Follower } from '../follow/follower.ts';
import { Journal } from '../follow/journal.ts';
import type { SavedPositions } from '../follow/positions.ts';
import { ContainerNames } from '../lines/container-names.ts';
import { NewErrors } from '../lines/new-errors.ts';
import { podOf } from '../lines/pod-names.ts';
import { readLine } from '../lines/read-entry.ts';
import { UnclearLines } from '../lines/unclear-lines.ts';
import type { ReadLine } from '../lines/wire-line.ts';
import { WakeSignal } from '../process/wake-signal.ts';
import { type FollowedFiles, type LineSettings, SettingsByPath } from '../settings/followed-files.ts';
import { type SenderOptions, type ShippingCounts, sendAll } from './sender.ts';
import { Spool } from './spool.ts';

export interface ShipperOptions
  extends Pick<SenderOptions, 'serverApi' | 'enrollment' | 'accepted' | 'random' | 'signal'> {
  /** Globs of the files to follow, as absolute paths. */
  readonly files: readonly string[];
  /** Folders to whose files symbolic links may lead, beside those of the globs; none by default. */
  readonly linkRoots?: readonly string[];
  /** Settings of the lines of files; none by default. */
  readonly fileSettings?: readonly FollowedFiles[] | undefined;
  /** Units whose entries in the journal of systemd are read; none = all, undefined = the journal is not read. */
  readonly journal?: readonly string[] | undefined;
  /** Containers whose output is read through a socket; undefined = none. */
  readonly containerLogs?: ContainerLogSettings | undefined;
  /** Search path for journalctl. */
  readonly path?: string;
  /** The agent's folder. */
  readonly agentDir: string;
  /** Maximum size of the spool; reading pauses above it. */
  readonly spoolMaxBytes: number;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called for an error that this host has not had lately. */
  readonly onNewError?: (() => void) | undefined;
  /** Milliseconds between two polls of the files; a second by default. */
  readonly pollEveryMs?: number;
}

export interface Shipper {
  /** Ships until the signal is aborted. */
  run(): Promise<void>;
  /** Reopens all files at their checkpoints. */
  reopen(): void;
  state(): AgentShipper;
}

const POLL_EVERY_MS = 1_000;
const WRITE_AGAIN_MS = 1_000;

/**
 * Opens the spool; nothing is read or sent before `run`.
 *
 * @throws the error of the system when the folder cannot be used
 */
export async function openShipper(options: ShipperOptions): Promise<Shipper> {
  const {
    files,
    journal: units,
    containerLogs: named,
    path = '',
    agentDir,
    spoolMaxBytes,
    pollEveryMs = POLL_EVERY_MS,
    log,
    now,
    signal,
    onNewError,
  } = options;
  const settings = new SettingsByPath(options.fileSettings ?? []);
  const containerNames = new ContainerNames();
  const { spool, positions, lost } = await Spool.open(join(agentDir, 'spool'), spoolMaxBytes, log);
  const sent: ShippingCounts = { lines: 0, refused: 0, damaged: lost };
  const filled = new WakeSignal();
  const emptied = new WakeSignal();
  const woken = new WakeSignal();
  const counts = new UnclearLines();
  const newErrors = new NewErrors(() => performance.now());
  let batch = new Batch();
  let isFull = false;

  const follower = new Follower({
    globs: files,
    linkRoots: options.linkRoots ?? [],
    positions,
    log,
    hasRoom: () => spool.hasRoom && !signal.aborted,
    formatOf: (path) => settings.of(path).format,
    onEntries: addEntries,
    onLoss: loseOne,
    onChange: savePositions,
  });
  const journal =
    units &&
    new Journal({
      units,
      cursor: positions.journal,
      path,
      onEntry: async ({ line }) => line && add([{ line, lacksTime: false, lacksLevel: false }]),
      onSkip: () => spool.lose('skipped'),
      hasRoom: () => spool.hasRoom && !signal.aborted,
      log,
      monotonicMs: () => performance.now(),
    });

  const containers =
    named &&
    new ContainerLogs({
      ...named,
      positions: positions.containers,
      onEntry: async (entry, container) => add([readOutput(entry, {}, container)]),
      onLoss: loseOne,
      onChange: savePositions,
      hasRoom: () => spool.hasRoom && !signal.aborted,
      log,
      now,
      monotonicMs: () => performance.now(),
      pollEveryMs,
    });

  /** Positions after the last line of the batch. */
  function currentPositions(): SavedPositions {
    const cursor = journal?.cursor;
    return {
      ...follower.positions(),
      ...(cursor === undefined ? {} : { journal: cursor }),
      ...(containers === undefined ? {} : { containers: containers.positions }),
    };
  }

  async function savePositions(): Promise<void> {
    if (batch.isEmpty && !spool.hasLosses) await untilWritten(() => spool.save(currentPositions()));
    else await seal();
  }

  function loseOne(): void {
    spool.lose(isFull || !spool.hasRoom ? 'spool_full' : 'rotation');
  }

  /** Adds lines to one batch; a promise when a batch before it must be written first. */
  function add(lines: readonly ReadLine[]): Promise<void> | undefined {
    if (onNewError !== undefined) for (const { line } of lines) if (newErrors.note(line)) onNewError();
    return batch.add(...lines) ? undefined : addToNext(lines);
  }

  async function addToNext(lines: readonly ReadLine[]): Promise<void> {
    await seal();
    batch.add(...lines);
  }

  /** Adds entries of a file to one batch. */
  function addEntries(entries: readonly Entry[], path: string): Promise<void> | undefined {
    const own = settings.of(path);
    if (own.format !== undefined || entries.some(({ timeS }) => timeS !== undefined)) return addStored(entries, path);
    const nowS = Math.floor(now() / 1000);
    return addRead(
      path,
      entries.map(({ text, isTrace }) => readLine(text, nowS, own, isTrace)),
    );
  }

  async function addStored(entries: readonly Entry[], path: string): Promise<void> {
    await addRead(path, await Promise.all(entries.map((entry) => readStored(entry, path))));
  }

  function addRead(path: string, lines: readonly ReadLine[]): Promise<void> | undefined {
    counts.add(path, lines);
    return add(lines);
  }

  /** Reads an entry of a file whose form is that of an engine of containers. */
  async function readStored(entry: Entry, path: string): Promise<ReadLine> {
    const rest = settings.of(path);
    const pod = podOf(path);
    const { line, ...lacks } = readOutput(entry, rest, pod?.container ?? (await containerNames.of(path)));
    const fields = { ...pod?.fields, ...(entry.stream === undefined ? {} : { 'log.iostream': entry.stream }) };
    return { line: { ...line, fields: { ...fields, ...line.fields } }, ...lacks };
  }

  /** Reads an entry that an engine of containers has stored with its time. */
  function readOutput({ text, isTrace, timeS }: Entry, rest: LineSettings, container: string): ReadLine {
    const { line, lacksTime, lacksLevel } = readLine(text, timeS ?? Math.floor(now() / 1000), rest, isTrace);
    const service = line.service ?? container;
    // The container may live in another time zone than its host, so its own times may be wrong.
    const own = { ...(timeS === undefined ? {} : { log_time: timeS }), ...(service === '' ? {} : { service }) };
    return { line: { ...line, ...own }, lacksTime: lacksTime && timeS === undefined, lacksLevel };
  }

  /**
   * Writes the batch to the disk with the current positions: those after its last line. A batch without lines carries
   * losses.
   */
  async function seal(): Promise<void> {
    if (batch.isEmpty && !spool.hasLosses) return;
    const sealed = batch.seal();
    await untilWritten(() => spool.put(sealed, currentPositions()));
    batch = new Batch();
    filled.notify();
  }

  /** Retries a write until it succeeds. Reading pauses meanwhile. */
  async function untilWritten(write: () => Promise<void>): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      signal.throwIfAborted();
      try {
        await write();
        if (failures > 0) log.info('lines can be written to the disk again');
        return;
      } catch (error) {
        if (failures === 0)
          log.error({ reason: String(error) }, 'cannot write lines to the disk; reading pauses until it works');
      }
      await pause(WRITE_AGAIN_MS, undefined, { signal });
    }
  }

  /** Polls the files once; true when more can be read at once. */
  async function poll(): Promise<boolean> {
    const hasMore = [await follower.poll(), await journal?.poll(), await containers?.poll()].includes(true);
    await seal();
    const wasFull = isFull;
    isFull = !spool.hasRoom;
    if (isFull && !wasFull)
      log.warn({ bytes: spool.bytes }, 'the spool is full; reading pauses until its lines are sent');
    return hasMore;
  }

  async function follow(): Promise<void> {
    let lastError = '';
    while (!signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await poll();
        lastError = '';
      } catch (error) {
        if (signal.aborted) break;
        if (String(error) !== lastError) log.error({ reason: String(error) }, 'cannot read the log files; retrying');
        lastError = String(error);
      }
      if (!hasMore) await (isFull ? emptied : woken).wait(pollEveryMs, signal);
    }
    journal?.close();
    containers?.close();
    await follower.close();
  }

  return {
    async run() {
      await Promise.all([follow(), sendAll({ ...options, spool, counts: sent, filled, emptied })]);
    },
    reopen() {
      follower.reopen();
      woken.notify();
    },
    state: () => ({
      files: follower.count,
      files_refused: follower.refused,
      lines: sent.lines,
      bytes_waiting: follower.bytesWaiting + spool.bytes,
      lines_dropped: follower.losses + (journal?.losses ?? 0) + (containers?.losses ?? 0) + sent.damaged,
      lines_refused: sent.refused,
      ...counts.report(),
    }),
  };
}
