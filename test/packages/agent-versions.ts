// Versions of the agent's executable for a test: the packed one, later ones that work, and later ones that do not. A
// server offers them with signatures of a new key.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { executableName, makeExecutables } from '../../scripts/release/executable.ts';
import { readManifest } from '../../scripts/release/packages.ts';
import { KEY_FILE, releaseComment, signFile } from '../../scripts/release/signature.ts';

/** Name of the executable that this machine runs. */
export const NAME = executableName('x64');

/** Ways in which a version differs from the packed one. */
const CHANGES = {
  works: (bundle: string) => bundle,
  /** Prints its version and ends at once otherwise. */
  crashes: (_: string, version: string) =>
    `if (process.argv.includes('--version')) console.log('quarterdeck-agent ${version}'); else process.exit(70);\n`,
  /** Never gets an answer to a report. */
  isSilent: (bundle: string) => bundle.replaceAll('{id}/heartbeat`', '{id}/no-such-path`'),
  /** Refuses a setting that the packed version allows: a trial longer than a minute. */
  refuses: (bundle: string) => bundle.replaceAll('.min(10).max(86400)', '.min(10).max(60)'),
} as const;

/** Makes the executable of a version in `target`, from the tarball of the packed one. */
export async function makeVersion(
  tarball: string,
  target: string,
  version: string,
  change: keyof typeof CHANGES = 'works',
): Promise<void> {
  const folder = join(target, 'package');
  mkdirSync(folder, { recursive: true });
  extract({ file: tarball, cwd: folder, strip: 1, sync: true });
  const manifest = readManifest(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  const path = join(folder, 'dist/quarterdeck-agent.mjs');
  const bundle = readFileSync(path, 'utf8').replaceAll(`\`${manifest.version}\``, `\`${version}\``);
  writeFileSync(path, CHANGES[change](bundle, version));
  const packed = join(target, 'package.tgz');
  create({ cwd: target, file: packed, sync: true, gzip: { level: 1 } }, ['package']);
  await makeExecutables(packed, target, ['x64']);
}

/** Writes a new key pair in the format of minisign and makes it the key of releases. Returns the public key. */
export function useNewKey(folder: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const [id, seed, point] = [randomBytes(8), Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  // Marks, parameters of a password that is not there, the key, and a checksum that nothing reads.
  const secret = Buffer.concat([Buffer.from('Ed\0\0B2'), Buffer.alloc(48), id, seed, point, Buffer.alloc(32)]);
  const file = join(folder, 'release.key');
  writeFileSync(file, `untrusted comment: secret key of a test\n${secret.toString('base64')}\n`, { mode: 0o600 });
  process.env[KEY_FILE] = file;
  return Buffer.concat([Buffer.from('Ed'), id, point]).toString('base64');
}

export interface Downloads {
  readonly url: string;
  /** Offers the executable of a folder as a version, signed. */
  offer(folder: string, version: string): Promise<void>;
  /** Folder whose files are offered. */
  folder: string;
  stop(): void;
}

/** Starts a server of executables that offers nothing yet. */
export async function startDownloads(): Promise<Downloads> {
  const server: Server = createServer((request, response) => {
    const path = join(downloads.folder, request.url ?? '');
    if (downloads.folder === '' || !existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-length': statSync(path).size });
    createReadStream(path).pipe(response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const downloads: Downloads = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder: '',
    async offer(folder, version) {
      await signFile(join(folder, NAME), releaseComment(NAME, version));
      downloads.folder = folder;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return downloads;
}
