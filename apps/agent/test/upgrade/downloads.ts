// A server of executables: scripts that print a version, signed with a new key.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Installed, type Launch, takeLaunch } from '../../src/upgrade/hand-over.ts';
import { FILE_HASH, type PublicKey, signedComment, writeSignature } from '../../src/upgrade/minisign.ts';
import { type ProgramFolder, programFolderIn } from '../../src/upgrade/program-folder.ts';
import { createUpgrader, type Upgrader, type UpgradeSettings } from '../../src/upgrade/upgrader.ts';
import { temporaryFolder } from '../temporary.ts';

/** Name of the executable of the tests. */
export const NAME = 'quarterdeck-agent-linux-x64';

/** A key pair of minisign. */
export interface KeyPair extends PublicKey {
  readonly secret: KeyObject;
}

export function makeKey(id: Buffer = randomBytes(8)): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { id, key: publicKey, secret: privateKey };
}

/** A public key as minisign writes it. */
export function publicText({ id, key }: PublicKey): string {
  const { x = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from('Ed'), id, Buffer.from(x, 'base64url')]).toString('base64');
}

/** Signs bytes as minisign does. */
export function signatureOf(content: string | Buffer, trustedComment: string, { id, secret }: KeyPair): string {
  const ofFile = sign(null, createHash(FILE_HASH).update(content).digest(), secret);
  const ofComment = sign(null, signedComment({ ofFile, trustedComment }), secret);
  return writeSignature({ keyId: id, ofFile, trustedComment, ofComment }, 'a test');
}

/** An executable that says it is a version. */
export const script = (version: string): string => `#!/bin/sh\necho quarterdeck-agent ${version}\n`;

/** The trusted comment of a version. */
export const commentOf = (version: string, name = NAME): string => `timestamp:1 file:${name} version:${version}`;

/** See the head of this file. */
export interface Downloads {
  readonly url: string;
  readonly key: KeyPair;
  /** Content of the files by their names. */
  readonly files: Map<string, string | Buffer>;
  /** Offers an executable with a valid signature. */
  offer(version: string, content?: string): void;
  /** Replaces the answer to a path. */
  readonly answers: Map<string, RequestListener>;
  readonly requested: string[];
}

/** Starts a server that offers nothing yet. */
export async function startDownloads(): Promise<Downloads> {
  const files = new Map<string, string | Buffer>();
  const answers = new Map<string, RequestListener>();
  const requested: string[] = [];
  const key = makeKey();
  const server = createServer((request, response) => {
    const path = request.url?.slice(1) ?? '';
    requested.push(path);
    const answer = answers.get(path);
    if (answer !== undefined) return void answer(request, response);
    const content = files.get(path);
    if (content === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-length': Buffer.byteLength(content) }).end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    files,
    answers,
    requested,
    offer(version, content = script(version)) {
      files.set(NAME, content);
      files.set(`${NAME}.minisig`, signatureOf(content, commentOf(version), key));
    },
  };
}

/** A host whose installed executable is a version. */
export interface Host {
  readonly folder: ProgramFolder;
  readonly installed: Installed;
  /** An upgrader of the version that runs. */
  upgrader(version?: string, more?: Partial<UpgradeSettings>): Upgrader;
  /** The start of a process of a downloaded version, or of the installed one. */
  launch(downloaded?: string): Launch;
}

/** Makes a host without downloaded executables. */
export async function makeHost({ url, key }: Downloads, version = '0.1.0', dir?: string): Promise<Host> {
  const folder = programFolderIn(dir ?? (await temporaryFolder()));
  const installed = { path: '/usr/bin/quarterdeck-agent', version };
  return {
    folder,
    installed,
    upgrader: (running = version, more = {}) =>
      createUpgrader({
        settings: { url, keys: [key], allowOlder: false, ...more },
        folder,
        installed,
        version: running,
        arch: 'x64',
      }),
    launch: (downloaded) => ({ ...takeLaunch({}, installed), downloaded }),
  };
}

/** Gets the offered version and puts it on trial. */
export async function stageOffer(upgrader: Upgrader, force = false): Promise<void> {
  const { signal } = new AbortController();
  await upgrader.stage(await upgrader.check(signal), { signal, force });
}
