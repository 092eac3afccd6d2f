// Encrypts what is under the key before again, under the key in use.
import type { Database } from '@quarterdeck/core/db';
import type { KeyRing } from '../../auth/key-ring.ts';
import { ENCRYPTED_COLUMNS, type EncryptedColumn, readEncrypted, replaceEncrypted } from './encrypted.repo.ts';

/** Rows that are read and replaced at a time. */
const SLICE = 100;

/** Encrypts everything under the key in use. What cannot be decrypted stays as it is. */
export async function encryptAgain(db: Database, keys: KeyRing): Promise<void> {
  for (const column of ENCRYPTED_COLUMNS) await encryptColumn(db, keys, column);
}

async function encryptColumn(db: Database, keys: KeyRing, column: EncryptedColumn): Promise<void> {
  for (let lastId = 0; ; ) {
    const rows = await readEncrypted(db, column, keys.generation, lastId, SLICE);
    const moved = rows.flatMap((row) => {
      const context = column.context(row.id);
      const plain = decryptIfPossible(keys, row.bytes, context);
      return plain === undefined ? [] : [{ row, to: keys.encrypt(plain, context) }];
    });
    if (moved.length > 0) {
      await db.write(async (tx) => {
        for (const { row, to } of moved) await replaceEncrypted(tx, column, row, to);
      });
    }
    lastId = rows.at(-1)?.id ?? lastId;
    if (rows.length < SLICE) return;
  }
}

function decryptIfPossible(keys: KeyRing, bytes: Uint8Array, context: string): Uint8Array | undefined {
  try {
    return keys.decrypt(bytes, context);
  } catch {
    return undefined;
  }
}
