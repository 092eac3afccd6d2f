// Keeps the keys of this server as the database has them: another server, or a command, may rotate the key.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { followKey } from '../../auth/key-check.ts';
import { encryptAgain } from './encrypt-again.ts';
import { reportKey } from './next-key.repo.ts';
import { finishKeyFiles, type KeyDeps } from './rotate-key.ts';

export { KEY_WATCH_MS } from './rotate-key.ts';

/** Follows the rotation of the key. */
export interface KeyWatch {
  /** Reads the key files and the settings about them again, and does what is left to do. */
  run(): Promise<void>;
}

/** Creates a {@link KeyWatch} for the key files of a folder. */
export function createKeyWatch({ db, key, log, dataDir }: Omit<KeyDeps, 'audit'> & { readonly log: Logger }): KeyWatch {
  const serverId = randomUUID();
  let isMissing = false;
  return {
    async run() {
      key.reload();
      const hasKey = await followKey(db.read, key);
      if (hasKey === isMissing) {
        isMissing = !hasKey;
        if (isMissing)
          log.error('the database uses a key that this server does not have; copy secret.key to its folder');
        else log.info('this server has the key of the database again');
      }
      if (isMissing) return;
      finishKeyFiles(dataDir, key);
      if (db.dialect === 'postgresql') {
        await reportKey(db, serverId, (check) => key.keys.some((one) => one.check === check));
      }
      if (key.keys.some(({ generation }) => generation < key.generation)) await encryptAgain(db, key);
    },
  };
}
