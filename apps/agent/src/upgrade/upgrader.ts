// Gets a new executable: reads what is offered, downloads it, verifies it, tries it and puts it on trial. The trial
// itself begins with the next start (hand-over.ts).
import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Proxies } from '@quarterdeck/core/network';
import { commandEnvironment } from '../facts/exec.ts';
import { syncFolder } from '../files/durable-file.ts';
import { DownloadError, downloadProgram, downloadText } from './download.ts';
import type { Installed } from './hand-over.ts';
import {
  type PublicKey,
  readSignature,
  type Signature,
  SignatureError,
  verifyComment,
  verifyFile,
} from './minisign.ts';
import { DRAFT, fileOf, NO_PROGRAMS, type ProgramFolder, type ProgramState } from './program-folder.ts';
import { compareVersions, VERSION } from './version.ts';

const SIGNATURE_MAX_BYTES = 4096;
const PROGRAM_MAX_BYTES = 512 * 1024 * 1024;
const PROBE_MS = 30_000;

export interface UpgradeSettings {
  /** Proxies of the environment. */
  readonly proxies?: Proxies | undefined;
  /** Address of the folder with the executables and their signatures, without a slash at the end. */
  readonly url: string;
  /** Keys of which one must have signed an executable. */
  readonly keys: readonly PublicKey[];
  /** True where an older version may replace a newer one. */
  readonly allowOlder: boolean;
}

/** An upgrade that is refused. The message is one line for people. */
export class UpgradeError extends Error {
  override readonly name = 'UpgradeError';
}

/** A version that the address offers, with a valid signature of one of the keys. */
export interface Offer {
  readonly version: string;
  readonly signature: Signature;
  readonly key: PublicKey;
}

export interface UpgraderOptions {
  readonly settings: UpgradeSettings;
  readonly folder: ProgramFolder;
  readonly installed: Installed;
  /** Version that runs, or that the next start runs. */
  readonly version: string;
  /** Processor, as Node names it. */
  readonly arch: string;
}

export interface StageOptions {
  readonly signal: AbortSignal;
  /** True to take a version that was rolled back here before. */
  readonly force?: boolean;
  readonly onProgress?: (percent: number) => void;
}

/** See the head of this file. Its methods throw the errors that {@link isUpgradeFailure} knows. */
export interface Upgrader {
  /** Reads the offered version and verifies its signature, but not the executable. */
  check(signal: AbortSignal): Promise<Offer>;
  /** Downloads and verifies the offered executable and puts it on trial. */
  stage(offer: Offer, options: StageOptions): Promise<void>;
}

/** Reports whether an error is a reason for people, not a bug. */
export const isUpgradeFailure = (error: unknown): error is Error =>
  error instanceof UpgradeError || error instanceof DownloadError || error instanceof SignatureError;

/** Reads the name and the version that a trusted comment names. */
function signedNames(comment: string): { file: string | undefined; version: string | undefined } {
  const word = (name: string) => new RegExp(`(?:^|\\s)${name}:(\\S+)`).exec(comment)?.[1];
  return { file: word('file'), version: word('version') };
}

function refuse(offer: Offer, { version, settings }: UpgraderOptions, state: ProgramState, force: boolean): void {
  if (state.trial !== undefined) {
    throw new UpgradeError(`version ${state.trial.version} is on trial until its first accepted report`);
  }
  const order = compareVersions(offer.version, version);
  if (order === 0) throw new UpgradeError(`version ${version} runs already`);
  if (order < 0 && !settings.allowOlder) {
    throw new UpgradeError(`version ${offer.version} is older than ${version}; upgrade_allow_older permits that`);
  }
  const refused = state.refused.find((one) => one.version === offer.version);
  if (refused !== undefined && !force) {
    throw new UpgradeError(`version ${offer.version} was rolled back on this host: ${refused.reason}`);
  }
}

/** Runs the new executable once: one for another processor or C library fails here, while the old one still runs. */
async function probe(path: string, version: string): Promise<void> {
  const options = { env: commandEnvironment('/usr/bin:/bin'), timeout: PROBE_MS };
  const { stdout } = await promisify(execFile)(path, ['--version'], options).catch((cause: unknown) => {
    throw new UpgradeError(`version ${version} does not run on this host`, { cause });
  });
  if (stdout !== `quarterdeck-agent ${version}\n`) {
    throw new UpgradeError(`the executable says that it is another version than ${version}`);
  }
}

export function createUpgrader(options: UpgraderOptions): Upgrader {
  const { settings, folder, installed, arch } = options;
  const name = `quarterdeck-agent-linux-${arch}`;
  const address = `${settings.url}/${name}`;

  async function check(signal: AbortSignal): Promise<Offer> {
    const text = await downloadText(`${address}.minisig`, {
      maxBytes: SIGNATURE_MAX_BYTES,
      signal,
      proxies: settings.proxies,
    });
    const signature = readSignature(text);
    const key = verifyComment(signature, settings.keys);
    const { file, version } = signedNames(signature.trustedComment);
    if (file !== name) throw new SignatureError(`the signature is one of another file than ${name}`);
    if (version === undefined || !VERSION.test(version)) throw new SignatureError('the signature names no version');
    return { version, signature, key };
  }

  /** Downloads and verifies the file, under its final name. Returns its checksum. */
  async function get({ version, signature, key }: Offer, { signal, onProgress }: StageOptions): Promise<string> {
    const path = folder.fileAt(fileOf(version));
    const draft = `${path}${DRAFT}`;
    const limits = { maxBytes: PROGRAM_MAX_BYTES, signal, proxies: settings.proxies };
    const { hash, sha256 } = await downloadProgram(address, draft, limits, (percent) => onProgress?.(percent));
    verifyFile(signature, key, hash);
    await rename(draft, path);
    await syncFolder(folder.path);
    await probe(path, version);
    return sha256;
  }

  /** Goes back to a state. A failed save may have replaced the file all the same, so that file decides what is left. */
  async function undo(state: ProgramState): Promise<void> {
    await folder.save(state).catch(() => undefined);
    await folder.sweep(await folder.load());
  }

  async function stage(offer: Offer, how: StageOptions): Promise<void> {
    // A damaged state is replaced.
    const state = await folder.load().catch(() => NO_PROGRAMS);
    refuse(offer, options, state, how.force ?? false);
    // Also creates the folder, and shows that it can be written before 100 MB are downloaded.
    await folder.save(state);
    try {
      await folder.sweep(state);
      const { version } = offer;
      const sha256 = await get(offer, how);
      const refused = state.refused.filter((one) => one.version !== version);
      const trial = { version, file: fileOf(version), sha256, over: installed.version, starts: 0 };
      await folder.save({ ...state, refused, trial });
    } catch (error) {
      await undo(state).catch(() => undefined);
      throw error;
    }
  }

  return { check, stage };
}
