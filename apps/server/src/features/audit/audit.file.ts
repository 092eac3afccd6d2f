// Verifies an exported audit log without its database, as far as the keys at hand allow.
import { AuditEntry } from '@quarterdeck/core';
import type { SecretKey } from '../../auth/secrets.ts';
import { type AuditRow, fromEntry } from './audit.repo.ts';
import { ChainWalk, KEY_ROTATE } from './chain-walk.ts';

/** Result of a check. */
export interface FileVerdict {
  /** Ids of the first and of the last entry; 0 in an empty file. */
  readonly first: number;
  readonly last: number;
  /** Entries at the start whose hashes no key at hand can compute. Only their numbers and links were checked. */
  readonly unchecked: number;
  /** Id of the first entry that does not follow; undefined where all do. */
  readonly brokenAt: number | undefined;
}

/** Verifies the lines of a file, each an entry. */
export async function verifyFile(lines: AsyncIterable<string>, keys: readonly SecretKey[]): Promise<FileVerdict> {
  let walk: ChainWalk | undefined;
  let first = 0;
  let unchecked = 0;
  const verdict = (brokenAt: number | undefined): FileVerdict => {
    return { first, last: walk?.position.id ?? 0, unchecked, brokenAt };
  };
  for await (const line of lines) {
    if (line === '') continue;
    const row = readEntry(line);
    if (row === undefined) return verdict((walk?.position.id ?? 0) + 1);
    if (walk === undefined) {
      first = row.id;
      walk = new ChainWalk(keys, { id: row.id - 1, hash: row.previous });
    }
    const isFirstKnown = walk.key === undefined;
    if (walk.accept(row)) {
      // Only a rotation ends the entries under an unknown key: others have lost their seal.
      if (isFirstKnown && unchecked > 0 && row.action !== KEY_ROTATE) return verdict(first);
    } else if (walk.skip(row)) unchecked += 1;
    else return verdict(walk.position.id + 1);
  }
  return verdict(undefined);
}

function readEntry(line: string): AuditRow | undefined {
  try {
    return fromEntry(AuditEntry.parse(JSON.parse(line)));
  } catch {
    return undefined;
  }
}
