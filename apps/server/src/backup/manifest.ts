// The manifest of a backup: a file of JSON beside the copy of the database.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';

const BYTES_MAX = 1024 * 1024;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.int().nonnegative();

const Manifest = z.strictObject({
  format: z.literal('quarterdeck-backup'),
  version: z.literal(1),
  /** Version of the server that made the backup. */
  quarterdeck: z.string(),
  database: z.enum(['sqlite', 'postgresql']),
  timeMs: Count,
  bytes: Count,
  sha256: Sha256,
  /** Digest of the file with the encrypted key; null where the backup holds no key. */
  keySha256: Sha256.nullable(),
  migrations: z.array(z.string()).readonly(),
  rows: z.record(z.string(), Count).readonly(),
});

/** The manifest of a backup. */
export type Manifest = z.infer<typeof Manifest>;

/** The manifest is damaged, or of a later version. */
export class BadManifest extends Error {
  override readonly name = 'BadManifest';
}

/** Computes a SHA-256 in hexadecimal. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Encodes a manifest with its checksum. */
export function encodeManifest(given: Manifest): string {
  // The order of the schema: equal manifests have equal texts.
  const manifest = Manifest.parse(given);
  return `${JSON.stringify({ manifest, checksum: sha256(JSON.stringify(manifest)) })}\n`;
}

/**
 * Reads a manifest; undefined where there is none.
 *
 * @throws BadManifest
 */
export function readManifest(file: string): Manifest | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return undefined;
  if (size > BYTES_MAX) throw new BadManifest(`${file} is no manifest of a backup`);
  const text = readFileSync(file, 'utf8');
  try {
    const { manifest } = z.object({ manifest: Manifest }).parse(JSON.parse(text));
    // A changed byte shows wherever it is, also between two fields.
    if (encodeManifest(manifest) === text) return manifest;
  } catch {
    // Neither JSON nor a manifest.
  }
  throw new BadManifest(`${file} is damaged, or of a later version of Quarterdeck`);
}
