// Frames of Sentry's exceptions, read from untrusted JSON.
import { asList, asObject, type Json } from '../http/otlp-value.ts';

/** One call. Texts are one line; `''` and 0 are none. */
export interface Frame {
  readonly file: string;
  readonly func: string;
  readonly module: string;
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** An error with its calls, the nearest to the error first. */
export interface SentryException {
  readonly type: string;
  readonly value: string;
  readonly module: string;
  readonly frames: readonly Frame[];
  /** Says how it belongs to the error that it caused, such as `__cause__`. */
  readonly source: string;
}

/** Most errors of a chain, and most calls of each. */
const MAX_CHAIN = 16;
const MAX_FRAMES = 250;
const MAX_NAME = 512;
const MAX_VALUE = 8_192;
const BREAKS = /[\r\n\t\u2028\u2029]+/g;

/** Reads the errors of an event, the outermost first. Sentry has the outermost last, and of calls the nearest. */
export function readExceptions(exception: unknown): SentryException[] {
  const given = Array.isArray(exception) ? exception : asList(asObject(exception)?.['values'] ?? [exception]);
  return given
    .slice(-MAX_CHAIN)
    .toReversed()
    .flatMap((item) => {
      const one = asObject(item);
      const type = nameOf(one?.['type']);
      const value = textOf(one?.['value']);
      if (one === undefined || (type === '' && value === '')) return [];
      const frames = asList(asObject(one['stacktrace'])?.['frames'])
        .slice(-MAX_FRAMES)
        .toReversed()
        .flatMap((frame) => readFrame(asObject(frame)) ?? []);
      const source = nameOf(asObject(one['mechanism'])?.['source']);
      return [{ type, value, module: nameOf(one['module']), frames, source }];
    });
}

function readFrame(frame: Json | undefined): Frame | undefined {
  if (frame === undefined) return undefined;
  const { abs_path, filename, function: name, module, context_line, lineno, colno } = frame;
  const func = nameOf(name);
  const read = {
    file: nameOf(abs_path) || nameOf(filename),
    func: func === '?' ? '' : func,
    module: nameOf(module),
    source: nameOf(context_line).trim(),
    line: numberOf(lineno),
    column: numberOf(colno),
  };
  return read.file === '' && read.func === '' && read.module === '' ? undefined : read;
}

const nameOf = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_NAME).replace(BREAKS, ' ') : '';

/** A value may be anything in some SDKs. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_VALUE);
}

const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
