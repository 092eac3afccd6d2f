// Finds the address of the client behind trusted proxies. The rest of the server gets it from `addressOf` in caller.ts.
// Both headers are read from the right, one address at a time: the nearest proxy wrote the right end, and nothing that
// a client wrote further left can change it.
import type { IncomingHttpHeaders } from 'node:http';
import { addressWithin, plainAddress } from '@quarterdeck/core/addresses';

/** Addresses from the nearest to the farthest; undefined for an entry without one. Empty entries are skipped. */
type Hops = Iterable<string | undefined>;

// A port, or an obfuscated one (RFC 7239, section 6).
const PORT = '(?::(?:\\d{1,5}|_[\\w.-]+))?';
const NODE_FORMS = [new RegExp(`^([\\d.]+)${PORT}$`), new RegExp(`^\\[([\\da-fA-F:.]+)\\]${PORT}$`)];
/** `X-Forwarded-For` has no grammar: IPv6 comes without brackets too. */
const ENTRY_FORMS = [...NODE_FORMS, /^([\da-fA-F:.]+)$/];

/** The address of a node such as `192.0.2.1:4711` or `[2001:db8::1]`; undefined for `unknown`, `_hidden` and so on. */
function addressOfNode(node: string, forms = NODE_FORMS): string | undefined {
  return forms.map((form) => plainAddress(form.exec(node)?.[1] ?? '')).find((address) => address !== undefined);
}

/** The addresses of `X-Forwarded-For`, with or without ports and brackets. */
export function* xForwardedFor(value: string): Hops {
  for (const entry of value.split(',').reverse()) {
    const node = entry.trim();
    if (node !== '') yield addressOfNode(node, ENTRY_FORMS);
  }
}

/** The `for` addresses of `Forwarded` (RFC 7239). */
export function* forwarded(value: string): Hops {
  for (const element of elementsFromRight(value)) {
    if (element.trim() === '') continue;
    const node = forOf(element);
    yield node === undefined ? undefined : addressOfNode(node);
  }
}

/** Elements of a list, the last one first. A comma within a quoted string does not separate. */
function* elementsFromRight(value: string): Iterable<string> {
  let end = value.length;
  let quoted = false;
  for (let at = value.length - 1; at >= 0; at -= 1) {
    if (value[at] === '"') {
      if (!quoted || !isEscaped(value, at)) quoted = !quoted;
    } else if (value[at] === ',' && !quoted) {
      yield value.slice(at + 1, end);
      end = at;
    }
  }
  yield value.slice(0, end);
}

/** True after an odd number of backslashes. */
function isEscaped(value: string, at: number): boolean {
  let backslashes = 0;
  while (value[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
/** `name=token` or `name="quoted string"`, or nothing, up to the next semicolon. */
const PAIR = new RegExp(`[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*(?:;|$)`, 'y');

/** The value of `for`; undefined if it is missing or repeated, or the element is malformed. */
function forOf(element: string): string | undefined {
  const pair = new RegExp(PAIR);
  let node: string | undefined;
  while (pair.lastIndex < element.length) {
    const found = pair.exec(element);
    if (found === null) return undefined;
    const [, name, token, quoted] = found;
    if (name?.toLowerCase() !== 'for') continue;
    if (node !== undefined) return undefined;
    node = token ?? quoted?.replaceAll(/\\(.)/g, '$1');
  }
  return node;
}

/** Proxies whose header names the client. */
export interface ProxySettings {
  /** Their addresses and blocks of addresses, separated by spaces; empty = none. */
  readonly trusted: string;
  /** The only header that is read. Proxies pass the other one through as the client sent it. */
  readonly header: 'x-forwarded-for' | 'forwarded';
}

const READERS: Readonly<Record<ProxySettings['header'], (value: string) => Hops>> = {
  'x-forwarded-for': xForwardedFor,
  forwarded,
};

/**
 * Returns the right-most address that is not a trusted proxy's, or the farthest trusted one. A malformed entry ends the
 * search at the address before it. `peer` is the address of the socket; empty text where it is unknown.
 */
export function clientAddress(
  peer: string | undefined,
  headers: IncomingHttpHeaders,
  { trusted, header }: ProxySettings,
): string {
  let address = plainAddress(peer ?? '') ?? '';
  if (trusted === '' || !addressWithin(address, trusted)) return address;
  // Node joins several headers of one name in their order.
  for (const hop of READERS[header](String(headers[header] ?? ''))) {
    if (hop === undefined) break;
    address = hop;
    if (!addressWithin(address, trusted)) break;
  }
  return address;
}
