// Configuration from the environment. The only reader of process.env. A wrong value stops the start with one line that
// names the variable, what was given and what is allowed.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';

/** Everything the server can be told. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Folder of the SQLite file, the key file and the lock. */
  readonly dataDir: string;
  /** PostgreSQL URL; undefined = SQLite in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly adminPassword: string | undefined;
  /** Port of the syslog receiver. */
  readonly syslogPort: number | 'off';
  /** Which halves of the API are answered. */
  readonly serve: ReadonlySet<'admin' | 'console'>;
  /** Seconds between agents' reports. */
  readonly agentIntervalS: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** A value of the environment that cannot be used. The message is one line, fit to print. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Variable<T> {
  readonly name: string;
  readonly allowed: string;
  readonly schema: z.ZodType<T, string | undefined>;
  /** The value must not be repeated in a message. */
  readonly secret?: true;
}

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.int().min(0).max(65_535));

const hostName = z
  .string()
  .refine((value) => isIP(value) !== 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,252}[a-zA-Z0-9])?$/.test(value));

const HALVES = ['admin', 'console'] as const;

const VARIABLES = {
  host: { name: 'HOST', allowed: 'an IP address or host name to listen on', schema: hostName.default('127.0.0.1') },
  port: { name: 'PORT', allowed: 'a port, 0 to 65535 (0 = any free one)', schema: port.default(7080) },
  dataDir: { name: 'DATA_DIR', allowed: 'a folder', schema: z.string().min(1).default('./data') },
  databaseUrl: {
    name: 'DATABASE_URL',
    allowed: 'postgresql://user:password@host:port/database',
    schema: z
      .string()
      .refine((value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value))
      .optional(),
    secret: true,
  },
  adminPassword: {
    name: 'ADMIN_PASSWORD',
    allowed: '15 to 256 characters',
    schema: z
      .string()
      .refine((value) => [...value].length >= 15 && [...value].length <= 256)
      .optional(),
    secret: true,
  },
  syslogPort: {
    name: 'SYSLOG_PORT',
    allowed: 'a port, 0 to 65535, or off',
    schema: z.union([z.literal('off'), port]).default(5140),
  },
  serve: {
    name: 'SERVE',
    allowed: 'admin, console, or both with a comma',
    schema: z
      .string()
      .transform((value) => value.split(',').map((half) => half.trim()))
      .pipe(z.array(z.enum(HALVES)).min(1))
      .transform((halves) => new Set(halves))
      .default(new Set(HALVES)),
  },
  agentIntervalS: {
    name: 'AGENT_INTERVAL',
    allowed: 'whole seconds, 1 to 3600',
    schema: z
      .string()
      .regex(/^\d{1,4}$/)
      .transform(Number)
      .pipe(z.int().min(1).max(3600))
      .default(30),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    allowed: 'debug, info, warn, error or silent',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  },
} as const satisfies { [K in keyof Config]: Variable<Config[K]> };

const PREFIX = 'QUARTERDECK_';

type Environment = Readonly<Record<string, string | undefined>>;

/** The value of one variable, from itself or from the file that its `_FILE` twin names. Empty is the same as absent. */
function rawValue(env: Environment, name: string): string | undefined {
  const direct = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (direct !== undefined && file !== undefined) {
    throw new ConfigError(`${name} and ${name}_FILE are both set; only one may be`);
  }
  if (file === undefined) return direct;
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new ConfigError(`${name}_FILE: cannot read ${JSON.stringify(file)}`, { cause });
  }
}

/**
 * Reads the configuration.
 *
 * @throws ConfigError at the first value that cannot be used
 */
export function readConfig(env: Environment = process.env): Config {
  const read = <T>(variable: Variable<T>): T => {
    const name = PREFIX + variable.name;
    const raw = rawValue(env, name);
    const parsed = variable.schema.safeParse(raw);
    if (parsed.success) return parsed.data;
    const given = variable.secret ? 'a value that is not repeated here' : JSON.stringify(raw);
    throw new ConfigError(`${name} is ${given}; allowed: ${variable.allowed}`);
  };
  return Object.fromEntries(
    Object.entries(VARIABLES).map(([key, variable]) => [key, read(variable as Variable<unknown>)]),
  ) as unknown as Config;
}
