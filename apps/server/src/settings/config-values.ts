// Forms of the values of settings.
import { isIP } from 'node:net';
import { AddressBlock } from '@quarterdeck/core';
import { parsePostgresAddress } from '@quarterdeck/core/environment';
import { z } from 'zod';

/** An integer between two bounds, both included. */
export const whole = (digits: number, min: number, max: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`))
    .transform(Number)
    .pipe(z.int().min(min).max(max));

export const port = whole(5, 0, 65_535);
export const upTo = (max: number) => whole(9, 0, max);

export const DAYS = 'whole days, 0 to 36500 (0 = for ever)';

export const hostName = z
  .string()
  .refine((value) => isIP(value) !== 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,252}[a-zA-Z0-9])?$/.test(value));

/** Blocks of addresses, separated by spaces in the result. */
export const addressBlocks = z
  .string()
  .transform((value) => value.split(',').map((block) => block.trim()))
  .pipe(z.array(AddressBlock))
  .transform((blocks) => blocks.join(' '))
  .default('');

const switched = (usual: 'on' | 'off') => ({
  allowed: 'on or off',
  schema: z
    .enum(['on', 'off'])
    .default(usual)
    .transform((value) => value === 'on'),
});

export const onOrOff = switched('off');
export const onUnlessOff = switched('on');

/** A scheme, a host, and a port unless it is the default one: the form in which browsers send it. */
export const webOrigin = z
  .string()
  .refine((value) => /^https?:[^*]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value);

/** PEM text with a block of this kind; TLS checks the content. */
export const pem = (kind: string) => z.string().refine((value) => value.includes(`${kind}-----`));

/** Address of a PostgreSQL database. */
export const postgresAddress = z.string().superRefine((text, context) => {
  try {
    parsePostgresAddress(text);
  } catch (error) {
    context.addIssue((error as Error).message);
  }
});

/** A receiver of syslog. */
export interface SyslogAddress {
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly host: string;
  readonly port: number;
}

const SYSLOG_URL = /^(udp|tcp|tls):\/\/(\[[0-9a-fA-F:.]+\]|[^\s/:@?#[\]]+)(?::(\d{1,5}))?\/?$/;

/** Address of a receiver of syslog, such as `tls://logs.example:6514`. */
export const syslogAddress = z.string().transform((text, context): SyslogAddress => {
  const [, transport = '', name = '', portText] = SYSLOG_URL.exec(text) ?? [];
  const host = name.replace(/^\[|\]$/g, '');
  const usual = transport === 'tls' ? 6514 : 514;
  const given = portText === undefined ? usual : Number(portText);
  if (!hostName.safeParse(host).success || given < 1 || given > 65_535) context.addIssue('not an address of syslog');
  return { transport: transport as SyslogAddress['transport'], host, port: given };
});

/** Headers as OpenTelemetry writes them: `name=value` with commas between, values with percent escapes. */
export const otlpHeaders = z.string().transform((text, context): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>();
  for (const part of text.split(',')) {
    const [, name, value] = /^\s*([\w.!#$&'*+^`|~-]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    const decoded = value === undefined ? undefined : decodeHeader(value);
    if (name === undefined || decoded === undefined) context.addIssue('not a list of headers');
    else headers.set(name.toLowerCase(), decoded);
  }
  return headers;
});

/** Decodes percent escapes; undefined where the value could not be a header. */
function decodeHeader(value: string): string | undefined {
  try {
    const decoded = decodeURIComponent(value);
    return /^[\t\x20-\x7e]*$/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

export const HALVES = ['admin', 'console'] as const;
