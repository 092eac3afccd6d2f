// Makes the text of an entry in JSON: its message, and behind it the stack trace.
import {
  ANY_MESSAGES,
  ERROR_MESSAGES,
  ERROR_STACKS,
  ERRORS,
  type Index,
  indexOf,
  isObject,
  MESSAGES,
  METHODS,
  type Member,
  type Members,
  PATHS,
  REQUESTS,
  STACKS,
  STATUSES,
  TEMPLATES,
} from './json-names.ts';

/** The text, and the paths of the members that are in it. */
export interface EntryText {
  readonly log: string;
  readonly hasStack: boolean;
  readonly used: readonly string[];
}

/** A text with the member that has it. */
interface Found {
  readonly path: string;
  readonly text: string;
}

/** A hole of a template. */
const HOLE = /\{[@$]?(\w{1,64})(?:[,:][^{}]{0,64})?\}/g;
/** Maximum characters of a value in a hole, and of frames in an exception. */
const MAX_VALUE = 1_024;
const MAX_FRAMES = 200;
const REQUEST_LINE = /^[A-Z]{3,10} \S/;

export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** Finds the message and the stack trace under any of the loggers' names; undefined where there is neither. */
export function textOf(members: Members, index: Index): EntryText | undefined {
  const error = findError(index);
  const own = findMessage(members, index);
  const ownStack = find(index, STACKS, readStack);
  const inner = error && find(error.index, ERROR_MESSAGES, readText);
  const innerStack = error && ownStack === undefined ? find(error.index, ERROR_STACKS, readStack) : undefined;
  const message = own?.text ?? inner?.text;
  const frames = ownStack ?? innerStack;
  const stack = frames && withTitle(frames.text, frames === innerStack ? error?.value : undefined);
  if (message === undefined && stack === undefined) return accessText(index);
  const isRepeated = message === undefined || stack?.includes(message) === true;
  const log = isRepeated ? stack : [message, stack].filter((part) => part !== undefined).join('\n');
  if (log === undefined) return undefined;
  const used = [own?.path, ownStack?.path];
  if (error !== undefined) {
    const inError = [inner !== undefined && log.includes(inner.text) ? inner.path : undefined, innerStack?.path];
    used.push(...inError.map((path) => path && `${error.path}.${path}`));
  }
  return { log, hasStack: stack !== undefined, used: used.filter((path) => path !== undefined) };
}

/** Finds the first of the names whose member is a text. */
function find(index: Index, names: readonly string[], read: (value: unknown) => string | undefined) {
  for (const name of names) {
    const member = index.get(name);
    const text = member && read(member.value);
    if (member !== undefined && text !== undefined) return { path: member.path, text };
  }
  return undefined;
}

interface ErrorMember extends Member {
  readonly value: Members;
  readonly index: Index;
}

function findError(index: Index): ErrorMember | undefined {
  for (const name of ERRORS) {
    const member = index.get(name);
    if (member === undefined || !isObject(member.value)) continue;
    const inside = indexOf(member.value);
    // A message that is an object describes an error only where it says so.
    if (name !== 'message' || inside.has('errormessage')) return { ...member, value: member.value, index: inside };
  }
  return undefined;
}

function findMessage(members: Members, index: Index): Found | undefined {
  for (const name of MESSAGES) {
    const member = index.get(name);
    if (member === undefined) continue;
    const text = readText(member.value) ?? (ANY_MESSAGES.includes(name) ? anyText(member.value) : undefined);
    if (text === undefined) continue;
    return { path: member.path, text: TEMPLATES.has(name) ? rendered(text, members) : text };
  }
  return undefined;
}

/** A message that is not text. An object that describes an error is left to the reader of errors. */
function anyText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (isObject(value)) {
    const inside = indexOf(value);
    if (inside.has('errormessage')) return undefined;
    const text = find(inside, ['message', 'msg', 'text'], readText)?.text;
    if (text !== undefined && Object.keys(value).length === 1) return text;
  }
  return Object.keys(value).length === 0 ? undefined : jsonOf(value);
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // It has too many levels.
    return undefined;
  }
}

/** Fills the holes of a template. A hole without a value stays. */
function rendered(template: string, members: Members): string {
  const properties = isObject(members['Properties']) ? members['Properties'] : {};
  return template.replace(HOLE, (hole, name: string) => {
    const value = Object.hasOwn(members, name) ? members[name] : properties[name];
    if (value === undefined) return hole;
    return (typeof value === 'string' ? value : (jsonOf(value) ?? hole)).slice(0, MAX_VALUE);
  });
}

/** A stack trace: text, a list of lines, or a list of frames of Java. */
function readStack(value: unknown): string | undefined {
  if (!Array.isArray(value)) return readText(value);
  const lines = value.slice(0, MAX_FRAMES).map(frameText);
  return lines.length > 0 && lines.every((line) => line !== undefined) ? lines.join('\n') : undefined;
}

function frameText(frame: unknown): string | undefined {
  if (typeof frame === 'string') return frame.replace(/\r?\n$/, '');
  if (!isObject(frame)) return undefined;
  const type = frame['className'] ?? frame['class'];
  const method = frame['methodName'] ?? frame['method'];
  if (typeof type !== 'string' || typeof method !== 'string') return undefined;
  const line = frame['lineNumber'] ?? frame['line'];
  const file = frame['fileName'] ?? frame['file'] ?? 'Unknown Source';
  return `\tat ${type}.${method}(${String(file)}${typeof line === 'number' ? `:${line}` : ''})`;
}

/** A list of frames has no title. The object around it names the type and the message. */
function withTitle(stack: string, error: Members | undefined): string {
  if (error === undefined || !/^\s+at /.test(stack)) return stack;
  const type = readText(error['className'] ?? error['exceptionType'] ?? error['name'] ?? error['type']);
  const message = readText(error['message'] ?? error['localizedMessage']);
  const title = [type, message].filter((part) => part !== undefined).join(': ');
  return title === '' ? stack : `${title}\n${stack}`;
}

/** An entry of an access log of Traefik, Envoy, nginx or others, and an event without a text. */
function accessText(index: Index): EntryText | undefined {
  const line = find(index, REQUESTS, readText)?.text;
  const method = find(index, METHODS, readText)?.text;
  const path = find(index, PATHS, readText)?.text;
  const request = line !== undefined && REQUEST_LINE.test(line) ? line : method && path && `${method} ${path}`;
  const hasStack = false;
  if (request) {
    const status = find(index, STATUSES, (value) => (/^\d{3}$/.test(String(value)) ? String(value) : undefined))?.text;
    return { log: status === undefined ? request : `${request} ${status}`, hasStack, used: [] };
  }
  const type = index.has('specversion') ? readText(index.get('type')?.value) : undefined;
  return type === undefined ? undefined : { log: type, hasStack, used: [] };
}
