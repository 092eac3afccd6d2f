// Settings of the watchers, for variables and file alike. They belong to the host; the server sends none.
import { isAbsolute } from 'node:path';
import type { Variable } from '@quarterdeck/core/environment';
import { z } from 'zod';
import {
  COMMAND_ALLOWED,
  type Command,
  commaList,
  commandText,
  commandWords,
  filePath,
} from '../settings/config-values.ts';
import type { CertificatePlace } from './certificates.ts';

const PROGRAM_ALLOWED = `an absolute path, and behind it the words that print a version (${COMMAND_ALLOWED})`;
const CERTIFICATE_ALLOWED = 'an absolute path of a file or folder, or HOST:PORT';
const UNIT_ALLOWED = 'a name of a unit with wildcards, e.g. php*-fpm.service';
const SOCKET_ALLOWED = 'an absolute path of a socket';

const PORT_MAX = 65_535;

const hasPath = ([path]: Command): boolean => isAbsolute(path);
const programText = commandText.refine(hasPath, `must be ${PROGRAM_ALLOWED}`);
const programWords = commandWords.refine(hasPath, `must be ${PROGRAM_ALLOWED}`);

const certificate = filePath.transform((text, context): CertificatePlace => {
  if (isAbsolute(text)) return { path: text };
  const [, address, name, port] = /^(?:\[([\da-fA-F:]+)\]|([\w.-]{1,253})):(\d{1,5})$/.exec(text) ?? [];
  const host = address ?? name;
  if (host === undefined || Number(port) < 1 || Number(port) > PORT_MAX) {
    context.addIssue(`must be ${CERTIFICATE_ALLOWED}`);
    return { path: '' };
  }
  return { host, port: Number(port) };
});

// A name never begins like an option of systemctl.
const unit = z
  .string()
  .max(255)
  .regex(/^[\w@*?[][\w@:.\\*?[\]-]*$/, `must be ${UNIT_ALLOWED}`);

const socket = filePath.refine((path) => isAbsolute(path), `must be ${SOCKET_ALLOWED}`);

/** Keys of the configuration file. */
export const WATCH_KEYS = {
  programs: z
    .array(z.union([programText, programWords]))
    .max(50)
    .optional(),
  certificates: z.array(certificate).max(100).optional(),
  units: z.array(unit).max(100).optional(),
  containers: socket.optional(),
};

/** Variables that override the keys. */
export const WATCH_VARIABLES = {
  programs: {
    name: 'QUARTERDECK_AGENT_PROGRAMS',
    allowed: `comma-separated, each ${PROGRAM_ALLOWED}`,
    help: 'programs to watch: comma-separated paths, behind each the words that print its version (default: nginx)',
    schema: commaList.pipe(z.array(programText).max(50)).optional(),
  },
  certificates: {
    name: 'QUARTERDECK_AGENT_CERTIFICATES',
    allowed: `comma-separated, each ${CERTIFICATE_ALLOWED}`,
    help: 'certificates to watch: comma-separated files, folders and HOST:PORT (default: none)',
    schema: commaList.pipe(z.array(certificate).max(100)).optional(),
  },
  units: {
    name: 'QUARTERDECK_AGENT_UNITS',
    allowed: `comma-separated, each ${UNIT_ALLOWED}`,
    help: 'services of systemd to watch: comma-separated names with wildcards (default: web servers and PHP)',
    schema: commaList.pipe(z.array(unit).max(100)).optional(),
  },
  containers: {
    name: 'QUARTERDECK_AGENT_CONTAINERS',
    allowed: SOCKET_ALLOWED,
    help: 'socket of Docker or Podman whose containers to watch, e.g. /var/run/docker.sock (default: none)',
    schema: socket.optional(),
  },
} as const satisfies Record<string, Variable<unknown>>;
