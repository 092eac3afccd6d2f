import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Credential, credentialsPath, type Keyring, openCredentials } from './credentials.ts';
import { dashboardCredentials } from './dashboard.ts';

const URL_A = 'https://a.example';
const CREDENTIAL: Credential = { kind: 'session', secret: 'qd_s_secret', username: 'ann', expire: 5 };

let folders: { config: string; state: string };
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-credentials-'));
  folders = { config: join(root, 'config'), state: root };
});
afterEach(() => rmSync(folders.state, { recursive: true }));

function memoryKeyring(): { keyring: () => Keyring; secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  class Entry {
    readonly #name: string;
    constructor(service: string, account: string) {
      this.#name = `${service} ${account}`;
    }
    getPassword = () => secrets.get(this.#name) ?? null;
    setPassword = (secret: string) => void secrets.set(this.#name, secret);
    deletePassword = () => secrets.delete(this.#name);
  }
  return { keyring: () => ({ Entry }), secrets };
}

const locked = (): Keyring => {
  throw new Error('the keyring is locked');
};

describe('credentials', () => {
  it('are in the keyring, and the file has no secret', () => {
    const { keyring, secrets } = memoryKeyring();
    const store = openCredentials(folders, true, keyring);
    expect(store.set(URL_A, CREDENTIAL)).toBe('keyring');
    expect(readFileSync(credentialsPath(folders), 'utf8')).not.toContain('secret');
    expect(openCredentials(folders, true, keyring).get(URL_A)).toEqual(CREDENTIAL);
    expect(openCredentials(folders, true, locked).get(URL_A)).toBeUndefined();
    store.remove(URL_A);
    expect(secrets.size).toBe(0);
    expect(store.get(URL_A)).toBeUndefined();
  });

  it.each([
    ['there is no keyring', true, locked],
    ['it is turned off', false, memoryKeyring().keyring],
  ])('are in a file of the owner where %s', (_why, hasKeyring, keyring) => {
    const store = openCredentials(folders, hasKeyring, keyring);
    expect(store.set(URL_A, CREDENTIAL)).toBe('file');
    expect(statSync(credentialsPath(folders)).mode & 0o777).toBe(0o600);
    expect(statSync(folders.config).mode & 0o777).toBe(0o700);
    expect(store.get(URL_A)).toEqual(CREDENTIAL);
    expect(store.get('https://b.example')).toBeUndefined();
    expect(store.get('constructor')).toBeUndefined();
  });

  it('move to the keyring with the next sign-in', () => {
    const { keyring } = memoryKeyring();
    openCredentials(folders, false, keyring).set(URL_A, CREDENTIAL);
    openCredentials(folders, true, keyring).set(URL_A, { ...CREDENTIAL, secret: 'qd_s_next' });
    expect(readFileSync(credentialsPath(folders), 'utf8')).not.toContain('qd_s_');
    expect(openCredentials(folders, true, keyring).get(URL_A)?.secret).toBe('qd_s_next');
  });

  it('survive a damaged file, and a folder that cannot be written', () => {
    const store = openCredentials(folders, false);
    store.set(URL_A, CREDENTIAL);
    writeFileSync(credentialsPath(folders), '{"https');
    expect(store.get(URL_A)).toBeUndefined();
    expect(openCredentials({ ...folders, config: '/dev/null/none' }, false).set(URL_A, CREDENTIAL)).toBeUndefined();
  });
});

describe('the credentials of the dashboard', () => {
  it('are those of the sign-in on the command line, and a newer session stays', () => {
    const store = openCredentials(folders, false);
    const credentials = dashboardCredentials(() => openCredentials(folders, false));
    expect(credentials.keep(URL_A, { secret: 'qd_s_one', username: 'ann', expire: 7 })).toBe(true);
    expect(store.get(URL_A)).toEqual({ kind: 'session', secret: 'qd_s_one', username: 'ann', expire: 7 });
    store.set(URL_A, CREDENTIAL);
    credentials.remove(URL_A, 'qd_s_one');
    expect(credentials.get(URL_A)).toEqual({ sessionToken: CREDENTIAL.secret });
    credentials.remove(URL_A, CREDENTIAL.secret);
    expect(store.get(URL_A)).toBeUndefined();
  });
});
