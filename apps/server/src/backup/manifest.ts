// The manifest of a backup: a file of JSON beside the copy of the database, with its seal.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { SecretKey } from '../auth/secrets.ts';
import { Seal, sealOf } from './seal.ts';

const BYTES_MAX = 1024 * 1024;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.int().nonnegative();

/** Of versions that sealed no backup. */
const FirstManifest = z.strictObject({
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

const SealedManifest = FirstManifest.extend({
  version: z.literal(2),
  /** Name of the copy of the database. Those of the other files follow from it. */
  name: z.string().min(1),
});

const Manifest = z.discriminatedUnion('version', [FirstManifest, SealedManifest]);
const StoredFile = z.strictObject({ manifest: Manifest, checksum: Sha256, seal: Seal.optional() });

/** The manifest of a backup. */
export type Manifest = z.infer<typeof Manifest>;

/** A manifest as its file has it. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly seal: Seal | undefined;
}

/** The manifest is damaged, or of a later version. */
export class BadManifest extends Error {
  override readonly name = 'BadManifest';
}

/** Computes a SHA-256 in hexadecimal. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The text of a manifest that is sealed. Equal manifests have equal texts: the schema decides the order. */
export const manifestText = (manifest: Manifest): string => JSON.stringify(Manifest.parse(manifest));

/** Encodes a manifest with its checksum, sealed where there is a key. */
export function encodeManifest(manifest: Manifest, key?: SecretKey): string {
  const text = manifestText(manifest);
  return fileText(text, key === undefined ? undefined : sealOf(key, text));
}

const fileText = (manifest: string, seal: Seal | undefined) =>
  `{"manifest":${manifest},"checksum":"${sha256(manifest)}"${seal === undefined ? '' : `,"seal":${JSON.stringify(seal)}`}}\n`;

/**
 * Reads a manifest; undefined where there is none.
 *
 * @throws BadManifest
 */
export function readManifest(file: string): StoredManifest | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return undefined;
  if (size > BYTES_MAX) throw new BadManifest(`${file} is no manifest of a backup`);
  const text = readFileSync(file, 'utf8');
  try {
    const { manifest, seal } = StoredFile.parse(JSON.parse(text));
    // A changed byte shows wherever it is, also between two fields.
    if (fileText(manifestText(manifest), seal) === text) return { manifest, seal };
  } catch {
    // Neither JSON nor a manifest.
  }
  throw new BadManifest(`${file} is damaged, or of a later version of Quarterdeck`);
}
