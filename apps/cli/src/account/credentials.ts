// Credentials of servers: in the keyring of the system where there is one, else in a file that only its owner reads.
// They are stored by address, so that a profile whose address changes sends nothing to the new one.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Folders, readText, writeAtomically } from '@quarterdeck/tui/profiles';

export interface Credential {
  readonly kind: 'session' | 'api_token';
  readonly secret: string;
  readonly username: string;
  /** Unix milliseconds; 0 = never. */
  readonly expire: number;
}

/** Entry of the file: without the secret where the keyring has it. */
type StoredCredential = Omit<Credential, 'secret'> & { readonly secret?: string };

/** The part of the keyring package that is used. */
export interface Keyring {
  readonly Entry: new (
    service: string,
    account: string,
  ) => { getPassword(): string | null; setPassword(secret: string): void; deletePassword(): unknown };
}

const SERVICE = 'quarterdeck';

export interface Credentials {
  readonly get: (url: string) => Credential | undefined;
  /** Stores a credential. Returns the place, or undefined where it cannot be written. */
  readonly set: (url: string, credential: Credential) => 'keyring' | 'file' | undefined;
  readonly remove: (url: string) => void;
}

/** Path of the file. */
export const credentialsPath = (folders: Folders): string => join(folders.config, 'credentials.json');

/** Loads the keyring package, which is optional: some systems have no keyring. */
const loadKeyring = (): Keyring => createRequire(import.meta.url)('@napi-rs/keyring') as Keyring;

/** Opens the store. The keyring is loaded only where it is used; without one, or where it fails, there is the file. */
export function openCredentials(folders: Folders, hasKeyring: boolean, keyringOf = loadKeyring): Credentials {
  const path = credentialsPath(folders);
  const all = (): Record<string, StoredCredential> => {
    try {
      return (JSON.parse(readText(path) ?? '{}') ?? {}) as Record<string, StoredCredential>;
    } catch {
      return {};
    }
  };
  const save = (entries: Record<string, StoredCredential>): boolean =>
    writeAtomically(path, `${JSON.stringify(entries, null, 2)}\n`);

  /** Runs on the entry of the keyring; undefined where there is no keyring. */
  const inKeyring = <T>(url: string, work: (entry: InstanceType<Keyring['Entry']>) => T): T | undefined => {
    if (!hasKeyring) return undefined;
    try {
      return work(new (keyringOf().Entry)(SERVICE, url));
    } catch {
      return undefined;
    }
  };

  return {
    get(url) {
      const stored = Object.hasOwn(all(), url) ? all()[url] : undefined;
      if (stored === undefined) return undefined;
      const secret = stored.secret ?? inKeyring(url, (entry) => entry.getPassword());
      return typeof secret === 'string' ? { ...stored, secret } : undefined;
    },
    set(url, { secret, ...rest }) {
      const isKept = inKeyring(url, (entry) => {
        entry.setPassword(secret);
        return entry.getPassword() === secret;
      });
      const entries = { ...all(), [url]: isKept === true ? rest : { ...rest, secret } };
      if (!save(entries)) return undefined;
      return isKept === true ? 'keyring' : 'file';
    },
    remove(url) {
      const { [url]: removed, ...rest } = all();
      if (removed === undefined) return;
      if (removed.secret === undefined) inKeyring(url, (entry) => entry.deletePassword());
      save(rest);
    },
  };
}
