// The keys of a server: the key in use, and during a rotation another one that it accepts. The database decides which
// one is in use, so a process that ends between two steps of a rotation leaves a working installation.
import { generationOfEncrypted } from './encryption.ts';
import { KEY_FILES, type KeyFile, openKeyFile, readKeyFile } from './key-files.ts';
import type { SecretKey } from './secrets.ts';

/** The accepted keys. As a key it is the key in use; it also decrypts what the others encrypted. */
export interface KeyRing extends SecretKey {
  /** Accepted keys, the key in use first. */
  readonly keys: readonly SecretKey[];
  /** Finds the accepted key of a check. Reads the files again where no key fits. */
  withCheck(check: string): SecretKey | undefined;
  /**
   * Chooses the key in use by its check, and drops keys of generations before `oldest`. False where no key fits: the
   * keys stay as they were.
   */
  use(check: string, oldest: number): boolean;
  /** Reads the key files again. */
  reload(): void;
}

/** Creates a ring of keys, the key in use first. `read` returns the keys of the files, in any order. */
export function createKeyRing(read: () => readonly SecretKey[]): KeyRing {
  let keys = unique(read());
  let oldest = 1;
  const inUse = (): SecretKey => keys[0] as SecretKey;
  const arrange = (all: readonly SecretKey[], check: string) => {
    const first = all.filter((key) => key.check === check);
    const others = all.filter((key) => key.check !== check && key.generation >= oldest);
    keys = [...first, ...others];
  };
  const find = (check: string) => keys.find((key) => key.check === check);
  const reload = () => {
    const found = read().map((key) => find(key.check) ?? key);
    arrange(unique([...found, inUse()]), inUse().check);
  };
  const withCheck = (check: string) => {
    const found = find(check);
    if (found !== undefined) return found;
    reload();
    return find(check);
  };
  return {
    get keys() {
      return keys;
    },
    get generation() {
      return inUse().generation;
    },
    get check() {
      return inUse().check;
    },
    digest: (secret) => inUse().digest(secret),
    digests: (secret) => keys.map((key) => key.digest(secret)),
    mac: (text) => inUse().mac(text),
    macFor: (purpose, text) => inUse().macFor(purpose, text),
    encrypt: (plain, context) => inUse().encrypt(plain, context),
    decrypt(stored, context) {
      const generation = generationOfEncrypted(stored);
      const key = keys.find((one) => one.generation === generation) ?? inUse();
      return key.decrypt(stored, context);
    },
    withCheck,
    use(check, oldestAccepted) {
      if (withCheck(check) === undefined) return false;
      oldest = oldestAccepted;
      arrange(keys, check);
      return true;
    },
    reload,
  };
}

function unique(keys: readonly SecretKey[]): readonly SecretKey[] {
  return keys.filter(({ check }, at) => keys.findIndex((key) => key.check === check) === at);
}

/**
 * Opens the keys of an existing data folder, and creates the first one on the first start.
 *
 * @throws ConfigError where a file exists and is not a key
 */
export function openSecretKey(dataDir: string): KeyRing {
  openKeyFile(dataDir, 'current');
  const files = Object.keys(KEY_FILES) as KeyFile[];
  return createKeyRing(() => files.map((file) => readKeyFile(dataDir, file)).filter((key) => key !== undefined));
}
