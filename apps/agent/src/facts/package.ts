// The agent's own package.
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';

/** `package` of the specification. */
export interface OwnPackage {
  /** Increases with every release. */
  readonly version: number;
  /** Build time in Unix seconds. */
  readonly timestamp: number;
}

const PART_MAX = 999;

/** Encodes `major.minor.patch` as one number that increases with every release; 0 for invalid text. */
export function versionNumber(version: string): number {
  const [, major, minor, patch] = /^(\d{1,6})\.(\d{1,9})\.(\d{1,9})(?:[-+].*)?$/.exec(version) ?? [];
  if (major === undefined) return 0;
  return Number(major) * 1_000_000 + Math.min(Number(minor), PART_MAX) * 1_000 + Math.min(Number(patch), PART_MAX);
}

/** Reads the version from a package.json; `0.0.0` when it cannot be read. */
export async function readVersion(packageJson: URL): Promise<string> {
  try {
    return z.object({ version: z.string() }).parse(JSON.parse(await readFile(packageJson, 'utf8'))).version;
  } catch {
    return '0.0.0';
  }
}

/** The agent's package: its version, and the modification time of the program file. */
export async function readOwnPackage(version: string, program: URL): Promise<OwnPackage> {
  const built = await stat(program).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return { version: versionNumber(version), timestamp: Math.max(0, Math.floor(built / 1000)) };
}
