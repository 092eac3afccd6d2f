// Explains why a PostgreSQL database cannot be opened: its place, what it says, and what to do.
import pg from 'pg';
import { visibleText } from '../../base/visible-text.ts';
import { DatabaseError, type DatabaseErrorKind, errorCodes, fromDriver } from '../database-error.ts';

const TEXT_MAX = 400;

/** Code or text of a failure -> what to do. The first match counts. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^28/, "Check the user and the password in the address of the database, and the server's pg_hba.conf."],
  [/^3D000$/, 'Create the database, or correct its name in the address.'],
  [
    /^(42501|3F000)$/,
    'Let the user own the database, or grant it CONNECT on the database, and USAGE and CREATE on its schema.',
  ],
  [/^53300$/, "End other connections, or raise the server's max_connections and the limits of user and database."],
  [/^57P0[1-3]$/, 'The server starts or stops. Try again in a moment.'],
  [/^ECONNREFUSED$/, "Start the server, or correct host and port; the server's listen_addresses must have the host."],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'Correct the name of the host, or make it known to the DNS.'],
  [/^(ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN))$/, 'Check host, port, and the firewalls between here and the server.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'Use a host name that the certificate has, or issue a certificate for this one.'],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?))$/,
    'Name the authority that issued the certificate: add sslrootcert=/path/to/ca.pem to the address.',
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'Renew the certificate of the server, or correct the clocks.'],
  [/^(ENOENT|EACCES)$/, 'Check the files and the socket that the address names.'],
  [/does not support SSL/, "Turn on the server's ssl, or connect with sslmode=disable."],
  [/time(d )?out/, 'Check host, port, and the firewalls between here and the server.'],
];

/** Place of a server in messages, such as `db.example:5432`. */
export function placeOf(url: string): string {
  try {
    const { host, port } = new pg.Client({ connectionString: url });
    return `${host}:${port}`;
  } catch {
    // A file that the address names cannot be read; the error says which.
    return 'the configured address';
  }
}

/** The text of a server or the system, with its SQLSTATE or errno, in one line. */
export function reasonOf(thrown: unknown): string {
  const [code] = errorCodes(thrown);
  const name = code === undefined ? '' : ` (${/^[0-9A-Z]{5}$/.test(code) ? `SQLSTATE ${code}` : code})`;
  // Node adds an option of its own to texts about certificates.
  const whole = textOf(thrown).replace(/; if the root CA is installed locally.*$/s, '');
  const text = visibleText(whole).replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_MAX);
  return `${text || 'no reason was given'}${name}`;
}

/** An AggregateError of several addresses has no text of its own. */
const textOf = (thrown: unknown): string =>
  thrown instanceof AggregateError && thrown.message === ''
    ? [...new Set(thrown.errors.map(textOf))].join(', ')
    : thrown instanceof Error
      ? thrown.message
      : String(thrown);

/**
 * Converts an error of opening the database at `place`. A {@link DatabaseError} with a message of its own says all
 * already. Any other error of the server or the system gets their reason; `unknown` is the kind of one that is not in
 * the table of faults. Without `unknown`, an error without a code is returned as it is: it is a bug.
 */
export function startFailure(thrown: unknown, place: string, unknown?: DatabaseErrorKind): unknown {
  const error = fromDriver(thrown);
  const isKnown = error instanceof DatabaseError;
  if (isKnown && !error.isGeneral) return error;
  const cause = isKnown ? (error.cause ?? error) : thrown;
  const codes = [...errorCodes(cause)];
  if (!isKnown && unknown === undefined && codes.length === 0) return thrown;
  const kind = isKnown ? error.kind : codes.includes('42501') ? 'denied' : (unknown ?? 'unavailable');
  const text = textOf(cause);
  const advice = ADVICE.find(([pattern]) => codes.some((code) => pattern.test(code)) || pattern.test(text))?.[1];
  const what = kind === 'migration' ? ' could not be migrated' : '';
  const message = `PostgreSQL at ${place}${what}: ${reasonOf(cause)}.${advice === undefined ? '' : ` ${advice}`}`;
  return new DatabaseError(kind, message, { cause });
}
