// Watches certificates in files, in folders and on ports: replaced ones, and those that expire.
import { X509Certificate } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { HOST_CERTIFICATES_MAX, type HostCertificate } from '@quarterdeck/core';
import { openSafely } from '../files/safe-open.ts';
import { cleanValue, compare } from '../observe/compare.ts';
import type { Observed, Watcher } from '../observe/watcher.ts';
import { statusOf } from './file-stamp.ts';

export type CertificatePlace =
  | { readonly path: string }
  | {
      /** Name or address; a name is also sent as the server name. */
      readonly host: string;
      readonly port: number;
    };

export interface CertificateWatcherOptions {
  readonly places: readonly CertificatePlace[];
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds to wait for a port. */
  readonly timeoutMs?: number;
}

const FILES_MAX = 500;
const FOLDER_ENTRIES_MAX = 5_000;
const DEPTH_MAX = 3;
const FILE_MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 3_000;
const NAME_MAX = 120;
const DAY_MS = 86_400_000;
/** Bytes of the certificates in a report. */
const REPORT_MAX_BYTES = 128 * 1024;

const CERTIFICATE_FILE = /\.(?:pem|crt|cer)$/i;
const KEY_FILE = /key/i;
const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** States of a certificate, the most urgent first; `leftMs` is the remaining time from which a state holds. */
const STATES = [
  { leftMs: 0, text: 'expired' },
  { leftMs: 3 * DAY_MS, text: 'expires within 3 days' },
  { leftMs: 14 * DAY_MS, text: 'expires within 14 days' },
];

/** A certificate as it was found. */
interface Found {
  readonly certificate: X509Certificate;
  /** Certificates of the file, with those of the issuers. */
  readonly count?: number;
  /** Unix milliseconds at which the file was written. */
  readonly writtenMs?: number;
}

/** Describes a certificate, with its state at a time. */
function describe({ certificate, count = 1 }: Found, nowMs: number): { text: string; state: string; stateMs: number } {
  const untilMs = certificate.validToDate.getTime();
  const state = STATES.find(({ leftMs }) => untilMs - nowMs <= leftMs);
  const parts = [
    cleanValue(certificate.subject ?? '', NAME_MAX) || 'no subject',
    `issuer ${cleanValue(certificate.issuer ?? '', NAME_MAX)}`,
    `sha256 ${certificate.fingerprint256.replaceAll(':', '').slice(0, 16).toLowerCase()}`,
    `until ${new Date(untilMs).toISOString().slice(0, 16)}Z`,
    ...(count > 1 ? [`${count} in the file`] : []),
  ];
  return { text: parts.join('; '), state: state?.text ?? '', stateMs: untilMs - (state?.leftMs ?? 0) };
}

// The last ones count: a subject is text of others, which may look like the rest.
const DESCRIPTION =
  /^(?<subject>.*); issuer (?<issuer>.*); sha256 (?<fingerprint>[\da-f]{16}); until (?<until>[\d-]{10}T[\d:]{5}Z)(?:; \d+ in the file)?(?:; expire[ \w]*)?$/;

/** Reads the certificates of an observation for a report: those that expire first, as many as fit. */
export function certificatesOf(observed: Observed): HostCertificate[] {
  const all = Object.entries(observed).flatMap(([place, description]): HostCertificate[] => {
    const { subject, issuer, fingerprint, until } = DESCRIPTION.exec(description)?.groups ?? {};
    if (subject === undefined || issuer === undefined || fingerprint === undefined || until === undefined) return [];
    return [{ place, subject, issuer, fingerprint, expire: Math.max(0, Date.parse(until) / 1000) }];
  });
  all.sort((a, b) => a.expire - b.expire);
  let bytes = 0;
  const fits = all.slice(0, HOST_CERTIFICATES_MAX).findIndex((one) => {
    bytes += Buffer.byteLength(JSON.stringify(one));
    return bytes > REPORT_MAX_BYTES;
  });
  return all.slice(0, fits < 0 ? HOST_CERTIFICATES_MAX : fits);
}

/** Parses the first certificate of a PEM file, which is that of the server. */
function parse(text: string): Found | undefined {
  const start = text.indexOf(BEGIN);
  const end = text.indexOf(END, start);
  if (start < 0 || end < 0) return undefined;
  const certificate = new X509Certificate(text.slice(start, end + END.length));
  return { certificate, count: text.split(BEGIN).length - 1 };
}

async function readCertificate(path: string): Promise<Found | undefined> {
  await using file = await openSafely(path);
  const status = await file.stat();
  if (status.size > FILE_MAX_BYTES) return undefined;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(status.size, FILE_MAX_BYTES)));
  const found = parse(buffer.toString('latin1', 0, bytesRead));
  return found && { ...found, writtenMs: status.ctimeMs };
}

/** Lists the files of a folder that may hold certificates. Private keys are not opened. */
async function listFiles(folder: string, depth: number, files: string[]): Promise<void> {
  const entries = await readdir(folder).catch(() => []);
  for (const name of entries.sort().slice(0, FOLDER_ENTRIES_MAX)) {
    if (files.length >= FILES_MAX) return;
    const path = join(folder, name);
    if (CERTIFICATE_FILE.test(name)) {
      if (!KEY_FILE.test(name)) files.push(path);
    } else if (depth < DEPTH_MAX && (await statusOf(path))?.isDirectory()) await listFiles(path, depth + 1, files);
  }
}

/**
 * Asks a port for its certificate. It is not verified, because an invalid one is worth knowing; nothing is sent.
 *
 * @throws the error of the connection
 */
function askPort(host: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<Found | undefined> {
  // Loaded on demand: encryption costs 5 MB.
  const { connect } = process.getBuiltinModule('node:tls');
  const { promise, resolve, reject } = Promise.withResolvers<Found | undefined>();
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port, rejectUnauthorized: false, ...name });
  const fail = () => reject(new Error(`no certificate from ${host}:${port} in time`));
  const timer = setTimeout(fail, timeoutMs);
  signal.addEventListener('abort', fail);
  socket.once('error', reject);
  socket.once('secureConnect', () => {
    const certificate = socket.getPeerX509Certificate();
    resolve(certificate && { certificate });
  });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', fail);
    socket.on('error', () => undefined);
    socket.destroy();
  });
}

/** Creates the watcher of certificates. */
export function certificateWatcher(options: CertificateWatcherOptions): Watcher {
  const { places, now, timeoutMs = TIMEOUT_MS } = options;

  async function findOf(place: CertificatePlace, signal: AbortSignal): Promise<[field: string, found?: Found][]> {
    if ('host' in place) {
      const field = `${place.host}:${place.port}`;
      // A port that does not answer tells nothing about its certificate.
      const found = await askPort(place.host, place.port, timeoutMs, signal).catch(() => undefined);
      return [found === undefined ? [field] : [field, found]];
    }
    const files: string[] = [];
    if ((await statusOf(place.path))?.isDirectory()) await listFiles(place.path, 1, files);
    else files.push(place.path);
    const all: [string, Found][] = [];
    for (const path of files) {
      const found = await readCertificate(path).catch(() => undefined);
      if (found !== undefined) all.push([cleanValue(path), found]);
    }
    return all;
  }

  return {
    name: 'certificates',
    everyS: 60,
    async look(before, signal) {
      const nowMs = now();
      const texts: Record<string, string> = {};
      const times = new Map<string, number>();
      const found = (await Promise.all(places.map((place) => findOf(place, signal)))).flat();
      for (const [field, one] of found) {
        const last = before?.[field];
        if (one === undefined) {
          if (last !== undefined) texts[field] = last;
          continue;
        }
        const { text, state, stateMs } = describe(one, nowMs);
        texts[field] = state === '' ? text : `${text}; ${state}`;
        const isSame = last?.startsWith(text) === true;
        const atMs = isSame ? stateMs : one.writtenMs;
        if (atMs !== undefined) times.set(field, atMs);
      }
      const timeOf = (field: string) => times.get(field);
      return {
        observed: texts,
        changes: compare(before, texts, { kind: 'certificate', plural: 'certificates', timeOf }),
      };
    },
  };
}
