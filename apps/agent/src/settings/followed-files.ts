// Settings of the files to follow: a glob, and what holds for the lines of its files.

import { cleanName, levelOfName, timeZoneOf } from '@quarterdeck/core/lines';
import { z } from 'zod';
import { matchesGlob } from '../process/newer-node.ts';
import { globPattern } from './config-values.ts';

/** Form in which a program stores the lines of others: Docker's driver of this name. */
export type LineFormat = 'json-file';

/** Holds for all lines of a file. */
export interface LineSettings {
  /** Service of the lines; absent = the program that a line names. */
  readonly service?: string;
  /** Level of lines that name none; absent = INFO. */
  readonly level?: number;
  /** Form of the lines in the file; absent = as they are. */
  readonly format?: LineFormat;
  /** Name of the zone of times that name none; absent = that of the host. */
  readonly zone?: string;
}

export interface FollowedFiles extends LineSettings {
  readonly glob: string;
}

/** Describes what {@link followedFiles} accepts behind a path. */
export const SETTINGS_ALLOWED = ';service=NAME, ;level=NAME, ;zone=NAME and ;format=json-file';

/** A glob with settings behind it: `/var/log/app/*.log;service=app;level=warn`. */
export const followedFiles = z.string().transform((text, context): FollowedFiles => {
  const [path = '', ...parts] = text.split(';').map((part) => part.trim());
  const glob = globPattern.safeParse(path);
  const settings = readSettings(parts);
  if (!glob.success) context.addIssue(glob.error.issues[0]?.message ?? '');
  else if (settings === undefined) context.addIssue(`must have only ${SETTINGS_ALLOWED} behind the path`);
  return { glob: glob.data ?? '', ...settings };
});

/** Reads `service=NAME`, `level=NAME`, `zone=NAME` and `format=json-file`; undefined for anything else. */
function readSettings(parts: readonly string[]): LineSettings | undefined {
  const settings: { -readonly [name in keyof LineSettings]: LineSettings[name] } = {};
  for (const part of parts) {
    const [, name, value = ''] = /^(service|level|zone|format)=(.+)$/.exec(part) ?? [];
    const level = levelOfName(value);
    if (name === 'service') settings.service = cleanName(value);
    else if (name === 'level' && level !== undefined) settings.level = level;
    else if (name === 'zone' && timeZoneOf(value) !== undefined) settings.zone = value;
    else if (name === 'format' && value === 'json-file') settings.format = value;
    else return undefined;
  }
  return settings;
}

/** Maximum number of paths whose settings are known. */
const MAX_KNOWN = 1_000;

/** Finds the settings of a file by its path before a rotation. The first glob that matches counts. */
export class SettingsByPath {
  readonly #files: readonly FollowedFiles[];
  readonly #known = new Map<string, LineSettings>();

  constructor(files: readonly FollowedFiles[]) {
    this.#files = files;
  }

  of(path: string): LineSettings {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = this.#files.find(({ glob }) => matchesGlob(path, glob)) ?? {};
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(path, found);
    return found;
  }
}
