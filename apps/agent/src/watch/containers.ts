// Watches containers through the socket of Docker or Podman: their images, states and restarts.
import { z } from 'zod';
import { cleanValue, compare } from '../observe/compare.ts';
import { getJson, type ListedContainer, listContainers, nameOf } from '../observe/container-engine.ts';
import type { Observed, Watcher } from '../observe/watcher.ts';
import { compareRuns, type Run, unpackRun } from './runs.ts';

export interface ContainerWatcherOptions {
  /** Path of the socket; undefined = no containers are watched. */
  readonly socket: string | undefined;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
}

const CONTAINER_MAX_BYTES = 512 * 1024;
const CONTAINERS_MAX = 200;
const NAME_MAX = 200;

const Inspected = z.object({
  RestartCount: z.number().default(0),
  State: z.object({
    Status: z.string(),
    ExitCode: z.number().default(0),
    OOMKilled: z.boolean().default(false),
    StartedAt: z.string().default(''),
    FinishedAt: z.string().default(''),
    Health: z.object({ Status: z.string() }).nullish(),
  }),
});

/** Name of the image and the start of its digest. */
function imageOf({ Image, ImageID }: ListedContainer): string {
  const digest = /^(?:sha256:)?([\da-f]{16})/.exec(ImageID)?.[1] ?? '';
  // An image whose name moved on to a newer one is listed by its digest.
  const name = /^(?:sha256:)?[\da-f]{12,64}$/.test(Image) ? '' : cleanValue(Image, NAME_MAX);
  return `${name} sha256:${digest}`.trim();
}

function runOf({ Id }: ListedContainer, { RestartCount, State }: z.infer<typeof Inspected>): Run {
  const { Status, ExitCode, OOMKilled, StartedAt, FinishedAt, Health } = State;
  const isRunning = Status === 'running';
  const notes = isRunning
    ? [Health?.Status === 'unhealthy' ? 'unhealthy' : '']
    : [Status === 'exited' ? `code ${ExitCode}` : '', OOMKilled ? 'out of memory' : ''];
  const note = notes.filter((text) => text !== '').join(', ');
  return {
    state: cleanValue(note === '' ? Status : `${Status} (${note})`, NAME_MAX),
    run: isRunning ? cleanValue(`${Id.slice(0, 12)} ${StartedAt}`, NAME_MAX) : '',
    restarts: RestartCount,
    // The time of a failed health check is unknown.
    changedMs: note === 'unhealthy' ? 0 : Date.parse(isRunning ? StartedAt : FinishedAt) || 0,
  };
}

const STATE = ' (state)';
/** Status of a container that has run for at least an hour. */
const STEADY = /^Up (?:About an hour|\d+ (?:hours|days|weeks|months|years))( \(unhealthy\)| \(healthy\))?$/;
/** A container that is steady at two looks with less between them has not been restarted. */
const STEADY_MS = 30 * 60 * 1000;

/** The last observation of a container, if it still holds. It saves a request for each. */
function steadyRun({ Id, Status }: ListedContainer, last: string | undefined): Run | undefined {
  const [, health] = STEADY.exec(Status) ?? [];
  if (last === undefined || !STEADY.test(Status)) return undefined;
  const run = unpackRun(last);
  const state = health === ' (unhealthy)' ? 'running (unhealthy)' : 'running';
  return run.state === state && run.run.startsWith(Id.slice(0, 12)) ? run : undefined;
}

/** Creates the watcher of containers. */
export function containerWatcher({ socket, monotonicMs }: ContainerWatcherOptions): Watcher {
  let lastMs = Number.NEGATIVE_INFINITY;

  async function readRuns(socketPath: string, list: readonly ListedContainer[], last: Observed, signal: AbortSignal) {
    const runs = new Map<string, Run>();
    for (const one of list) {
      const field = `${nameOf(one)}${STATE}`;
      const steady = steadyRun(one, last[field]);
      if (steady !== undefined) {
        runs.set(field, steady);
        continue;
      }
      const path = `/containers/${one.Id}/json`;
      // A container may be removed at any moment.
      const found = await getJson(socketPath, path, CONTAINER_MAX_BYTES, signal);
      if (found !== undefined) runs.set(field, runOf(one, Inspected.parse(found)));
    }
    return runs;
  }

  return {
    name: 'containers',
    everyS: 30,
    async look(before, signal) {
      if (socket === undefined) return { observed: {}, changes: [] };
      const list = await listContainers(socket, signal);
      const watched = list.slice(0, CONTAINERS_MAX);
      const images = Object.fromEntries(watched.map((one) => [nameOf(one), imageOf(one)]));
      const startMs = monotonicMs();
      const known = startMs - lastMs < STEADY_MS ? (before ?? {}) : {};
      const runs = await readRuns(socket, watched, known, signal);
      lastMs = startMs;
      const states = compareRuns('container', before && only(before, true), runs);
      const last = before && only(before, false);
      // The state tells of containers that come and go.
      const both =
        last && Object.fromEntries(Object.entries(images).map(([name, image]) => [name, last[name] ?? image]));
      const imageChanges = compare(both, images, { kind: 'container', plural: 'containers' });
      return { observed: { ...images, ...states.observed }, changes: [...imageChanges, ...states.changes] };
    },
  };
}

/** Selects the states of containers, or their images. */
const only = (observed: Observed, isState: boolean): Observed =>
  Object.fromEntries(Object.entries(observed).filter(([field]) => field.endsWith(STATE) === isState));
