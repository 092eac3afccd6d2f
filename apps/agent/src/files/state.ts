// The persistent state: the identity of this host and the secret that proves it. It is one small file, replaced
// atomically.

import { chmod, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentOperationReport, AgentSettings, PendingOperation } from '@quarterdeck/core';
import { z } from 'zod';
import { DIR_MODE, FILE_MODE, writeDurably } from './durable-file.ts';
import { codeOf } from './error-code.ts';

/** Data that a server gave this host at its enrollment. */
export const Enrollment = z.object({
  /** Address of the console that enrolled this host; no other console knows it. */
  server: z.string().min(1),
  id: z.int().min(1),
  secret: z.string().regex(/^[\x21-\x7e]{1,512}$/),
  /** Seconds between reports. */
  interval: z.int().min(1),
  /** Address of the server, when it differs from that of the console. */
  url: z.string().min(1).optional(),
});
export type Enrollment = z.infer<typeof Enrollment>;

/** An operation that began on this host. */
export const KnownOperation = AgentOperationReport.extend({
  kind: PendingOperation.shape.kind,
  version: z.string().optional(),
  /** True when the server answered the report of the current state. */
  acknowledged: z.boolean(),
});
export type KnownOperation = z.infer<typeof KnownOperation>;

/** The content of the state file. */
export const State = z.object({
  node_id: z.string().min(1).max(200),
  enrollment: Enrollment.optional(),
  settings: AgentSettings.optional(),
  operations: z.array(KnownOperation).optional(),
  /** Key of the installation for hashes of files, base64url. */
  hash_key: z.string().optional(),
});
export type State = z.infer<typeof State>;

/** The state cannot be read or written at all. The message is one line for people; the cause has the details. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

interface Loaded {
  readonly state: State | undefined;
  /** Path to which a damaged file was moved. */
  readonly damaged?: string;
}

/** The state file of one agent. */
export interface StateFile {
  readonly path: string;
  /**
   * Reads the state; undefined when there is no file. A damaged file is moved aside and reported.
   *
   * @throws StateError when the file exists and cannot be read
   */
  load(): Promise<Loaded>;
  /**
   * Replaces the state; when this returns, it is on the disk.
   *
   * @throws StateError when it cannot be written; the old state remains
   */
  save(state: State): Promise<void>;
}

function parse(text: string): State | undefined {
  try {
    return State.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The state file in `dir`. The folder is created by the first write. */
export function stateFileIn(dir: string): StateFile {
  const path = join(dir, 'state.json');
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
      // A copied file may have wider permissions.
      await chmod(path, FILE_MODE);
      return { state };
    } catch (cause) {
      throw new StateError(`cannot change ${path} (${codeOf(cause)})`, { cause });
    }
  }

  async function save(state: State): Promise<void> {
    try {
      await mkdir(dir, { recursive: true, mode: DIR_MODE });
      await writeDurably(path, `${JSON.stringify(State.parse(state), undefined, 2)}\n`);
    } catch (cause) {
      throw new StateError(`cannot write ${path} (${codeOf(cause)})`, { cause });
    }
  }

  return { path, load, save };
}
