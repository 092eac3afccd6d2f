// What the agent must remember: who this host is, and the secret that proves it. One small file, written so that a crash
// or a full disk leaves the old one or the new one, never half of one.
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What a server gave this host when it was enrolled. */
export const Enrolment = z.object({
  /** Address of the console that gave it; another console knows nothing of it. */
  server: z.string().min(1),
  id: z.int().min(1),
  secret: z.string().regex(/^[\x21-\x7e]{1,512}$/),
  /** Seconds between reports. */
  interval: z.int().min(1),
});
export type Enrolment = z.infer<typeof Enrolment>;

/** The content of the state file. */
export const State = z.object({ node_id: z.string().min(1).max(200), enrolment: Enrolment.optional() });
export type State = z.infer<typeof State>;

/** The state cannot be read or written at all. The message is one line, fit to print; the cause says more. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

/** What {@link StateFile.load} found. */
interface Loaded {
  readonly state: State | undefined;
  /** Where a file that could not be understood was moved to. */
  readonly damaged?: string;
}

/** The state file of one agent. */
export interface StateFile {
  readonly path: string;
  /**
   * Reads the state; none is the beginning, not an error. A damaged file is moved aside and reported.
   *
   * @throws StateError when the file exists and may not be read
   */
  load(): Promise<Loaded>;
  /**
   * Replaces the state; when this returns, it is on the disk.
   *
   * @throws StateError when it cannot be written; the old state is still there then
   */
  save(state: State): Promise<void>;
}

const FILE_MODE = 0o600;
const DIR_MODE = 0o700;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';

async function sync(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

function parse(text: string): State | undefined {
  try {
    return State.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The state file in `dir`, which is made when something is first written. */
export function stateFileIn(dir: string): StateFile {
  const path = join(dir, 'state.json');
  const draft = `${path}.tmp`;
  const damaged = `${path}.damaged`;

  async function load(): Promise<Loaded> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return { state: undefined };
      throw new StateError(`cannot read ${path} (${codeOf(cause)})`, { cause });
    }
    try {
      const state = parse(text);
      if (state === undefined) {
        await rename(path, damaged);
        return { state, damaged };
      }
      // Somebody may have copied it here with looser rights.
      await chmod(path, FILE_MODE);
      return { state };
    } catch (cause) {
      throw new StateError(`cannot change ${path} (${codeOf(cause)})`, { cause });
    }
  }

  async function write(state: State): Promise<void> {
    await mkdir(dir, { recursive: true, mode: DIR_MODE });
    // A left-over of a crash goes first: `wx` never writes through what somebody else put there.
    await rm(draft, { force: true });
    {
      await using file = await open(draft, 'wx', FILE_MODE);
      await file.writeFile(`${JSON.stringify(State.parse(state), undefined, 2)}\n`);
      await file.sync();
    }
    await rename(draft, path);
    await sync(dir);
  }

  async function save(state: State): Promise<void> {
    try {
      await write(state);
    } catch (cause) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw new StateError(`cannot write ${path} (${codeOf(cause)})`, { cause });
    }
  }

  return { path, load, save };
}
