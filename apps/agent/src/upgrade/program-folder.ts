// The folder of executables that the agent has downloaded, and the file that says which of them runs. The launcher
// reads both before anything else is loaded, so this file depends on Node alone.
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DIR_MODE, writeDurably } from '../files/durable-file.ts';
import { codeOf } from '../files/error-code.ts';
import { VERSION } from './version.ts';

/** Name of the folder inside the agent's folder. */
export const PROGRAM_FOLDER = 'program';
/** Refused versions that are remembered. */
const REFUSED_MAX = 20;
const STATE_FILE = 'program.json';
const FILE_PREFIX = 'quarterdeck-agent-';
/** Ending of a file that is being downloaded. */
export const DRAFT = '.tmp';

export interface Program {
  readonly version: string;
  /** Name of the file in the folder. */
  readonly file: string;
  /** Checksum of the file, in hex. */
  readonly sha256: string;
  /** Version of the installed executable when this one was downloaded. */
  readonly over: string;
}

/** A version that did not work here. */
export interface Refusal {
  readonly version: string;
  readonly reason: string;
}

/** Content of the state file. */
export interface ProgramState {
  /** Runs in place of the installed executable. */
  readonly current?: Program | undefined;
  /** Ran before `current`; kept for a roll-back. */
  readonly previous?: Program | undefined;
  /** Runs until its first accepted report, or is rolled back. */
  readonly trial?: (Program & { readonly starts: number }) | undefined;
  readonly refused: readonly Refusal[];
}

/** State of a folder without downloads. */
export const NO_PROGRAMS: ProgramState = { refused: [] };

/** Name of the file of a version. */
export const fileOf = (version: string): string => `${FILE_PREFIX}${version}`;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Checks a stored program. Its file name follows from its version, so it never leads out of the folder. */
function programOf(value: unknown): Program | undefined {
  if (!isFields(value)) return undefined;
  const { version, sha256, over } = value;
  if (typeof version !== 'string' || !VERSION.test(version) || typeof over !== 'string') return undefined;
  if (typeof sha256 !== 'string' || !/^[\da-f]{64}$/.test(sha256)) return undefined;
  return { version, file: fileOf(version), sha256, over };
}

function stateOf(text: string): ProgramState | undefined {
  const value: unknown = JSON.parse(text);
  if (!isFields(value) || !Array.isArray(value['refused'])) return undefined;
  const trial = programOf(value['trial']);
  const starts = isFields(value['trial']) ? Number(value['trial']['starts']) : 0;
  const refused = value['refused'].flatMap((one: unknown) =>
    isFields(one) && typeof one['version'] === 'string'
      ? [{ version: one['version'], reason: String(one['reason']) }]
      : [],
  );
  return {
    current: programOf(value['current']),
    previous: programOf(value['previous']),
    trial: trial === undefined || !Number.isInteger(starts) ? undefined : { ...trial, starts },
    refused,
  };
}

/** Adds a refusal, and forgets the oldest ones. */
export function withRefusal(state: ProgramState, { version }: Program, reason: string): ProgramState {
  const others = state.refused.filter((one) => one.version !== version);
  return { ...state, refused: [...others, { version, reason }].slice(-REFUSED_MAX) };
}

/** Why an executable cannot run. */
export type Defect = 'is missing' | 'belongs to another user' | 'cannot be executed here' | 'has a wrong checksum';

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await using file = await open(path, 'r');
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

/** Never runs a file that another user, such as the one of the service, may have changed. */
const isOwn = ({ uid }: Stats): boolean => uid === process.geteuid?.();

export interface ProgramFolder {
  readonly path: string;
  /** Path of a file in the folder. */
  fileAt(name: string): string;
  /** Reads the state; that of another user counts as empty. Throws where it is damaged or cannot be read. */
  load(): Promise<ProgramState>;
  /** Replaces the state; when this returns, it is on the disk. */
  save(state: ProgramState): Promise<void>;
  /** Finds why an executable cannot run; undefined when it can. */
  defectOf(program: Program): Promise<Defect | undefined>;
  /** Removes the files that the state does not name. */
  sweep(state: ProgramState): Promise<void>;
  /** Ends a trial with the version before, and refuses the version from now on. */
  rollBack(state: ProgramState, reason: string): Promise<void>;
}

/** The programs below the agent's folder. */
export function programFolderIn(agentDir: string): ProgramFolder {
  const path = join(agentDir, PROGRAM_FOLDER);
  const fileAt = (name: string) => join(path, name);

  async function defectOf({ file, sha256 }: Program): Promise<Defect | undefined> {
    const found = await lstat(fileAt(file)).catch(() => undefined);
    if (!found?.isFile()) return 'is missing';
    if (!isOwn(found)) return 'belongs to another user';
    const isAllowed = await access(fileAt(file), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isAllowed) return 'cannot be executed here';
    return (await sha256Of(fileAt(file)).catch(() => '')) === sha256 ? undefined : 'has a wrong checksum';
  }

  const folder: ProgramFolder = {
    path,
    fileAt,
    defectOf,
    async load() {
      try {
        if (!isOwn(await lstat(path))) return NO_PROGRAMS;
        const state = stateOf(await readFile(fileAt(STATE_FILE), 'utf8'));
        if (state !== undefined) return state;
      } catch (error) {
        if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(codeOf(error)))) return NO_PROGRAMS;
        if (!(error instanceof SyntaxError)) throw error;
      }
      throw new Error(`${fileAt(STATE_FILE)} is damaged`);
    },
    async save(state) {
      await mkdir(path, { recursive: true, mode: DIR_MODE });
      await writeDurably(fileAt(STATE_FILE), `${JSON.stringify(state, undefined, 2)}\n`);
    },
    async sweep({ current, previous, trial }) {
      const kept = [current, previous, trial].map((program) => program?.file);
      for (const name of await readdir(path)) {
        if (name.startsWith(FILE_PREFIX) && !kept.includes(name)) await rm(fileAt(name), { force: true });
      }
    },
    async rollBack(state, reason) {
      if (state.trial === undefined) return;
      const rolledBack = withRefusal({ ...state, trial: undefined }, state.trial, reason);
      await folder.save(rolledBack);
      await folder.sweep(rolledBack).catch(() => undefined);
    },
  };
  return folder;
}
