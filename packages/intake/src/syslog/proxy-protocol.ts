// Parses the header of the PROXY protocol, versions 1 and 2, which carries the address of a proxy's client
// (https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt). The parser has no sockets and no state.
import { isIP } from 'node:net';
import { plainAddress } from '@quarterdeck/core/addresses';

/** The beginning of a connection. */
export type ProxyHeader =
  /**
   * `address` is undefined for a connection of the proxy itself (LOCAL) and for one without a TCP address (UNKNOWN).
   */
  | { readonly kind: 'header'; readonly bytes: number; readonly address: string | undefined }
  | { readonly kind: 'malformed' }
  /** The connection begins with something else. */
  | { readonly kind: 'none' };

const MALFORMED = { kind: 'malformed' } as const;
const NONE = { kind: 'none' } as const;

/** Maximum length including the line break (section 2.1). */
const V1_MAX_BYTES = 107;
const V1_STARTS = ['PROXY TCP4 ', 'PROXY TCP6 ', 'PROXY UNKNOWN'];
const V1_LINE = /^PROXY TCP([46]) ([\da-fA-F:.]+) ([\da-fA-F:.]+) (\d{1,5}) (\d{1,5})$/;
const V1_UNKNOWN = /^PROXY UNKNOWN(?: .*)?$/;

const V2_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const V2_FIXED_BYTES = 16;
/** Addresses take at most 216 bytes; the rest is for extensions of proxies, which are not read. */
const V2_MAX_BYTES = 4096;
const V2_LOCAL = 0x20;
const V2_PROXY = 0x21;
/** Family and transport, such as `0x11` -> bytes of an address. A header has two addresses and two ports. */
const V2_ADDRESS_BYTES: ReadonlyMap<number, 4 | 16> = new Map([
  [0x11, 4],
  [0x21, 16],
]);

/**
 * Reads the beginning of a connection. Returns undefined while it needs more bytes, at most 4,096. The result does not
 * depend on the chunks in which the bytes arrive.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  const common = Math.min(bytes.length, V2_SIGNATURE.length);
  if (bytes.compare(V2_SIGNATURE, 0, common, 0, common) === 0) return readV2(bytes);
  const text = bytes.toString('latin1', 0, V1_MAX_BYTES);
  if (!V1_STARTS.some((start) => text.startsWith(start) || start.startsWith(text))) return NONE;
  return readV1(text);
}

function readV1(text: string): ProxyHeader | undefined {
  const end = text.indexOf('\r\n');
  if (end < 0) return text.length < V1_MAX_BYTES ? undefined : MALFORMED;
  const bytes = end + 2;
  const line = text.slice(0, end);
  if (V1_UNKNOWN.test(line)) return { kind: 'header', bytes, address: undefined };
  const [, family, source = '', target = '', ...ports] = V1_LINE.exec(line) ?? [];
  const isSound = [source, target].every((address) => isIP(address) === Number(family));
  if (!isSound || ports.some((port) => Number(port) > 65_535)) return MALFORMED;
  return { kind: 'header', bytes, address: plainAddress(source) };
}

function readV2(bytes: Buffer): ProxyHeader | undefined {
  if (bytes.length < V2_FIXED_BYTES) return undefined;
  const [command, family = 0] = bytes.subarray(V2_SIGNATURE.length);
  const length = V2_FIXED_BYTES + bytes.readUInt16BE(V2_SIGNATURE.length + 2);
  if (command !== V2_LOCAL && command !== V2_PROXY) return MALFORMED;
  // Section 2.2 allows families up to Unix sockets and transports up to datagrams.
  if (family >> 4 > 3 || (family & 15) > 2 || length > V2_MAX_BYTES) return MALFORMED;
  const size = command === V2_PROXY ? V2_ADDRESS_BYTES.get(family) : undefined;
  if (size !== undefined && length < V2_FIXED_BYTES + 2 * size + 4) return MALFORMED;
  if (bytes.length < length) return undefined;
  const source = bytes.subarray(V2_FIXED_BYTES, V2_FIXED_BYTES + (size ?? 0));
  return { kind: 'header', bytes: length, address: size === undefined ? undefined : addressOf(source) };
}

/** Formats an address of four or sixteen bytes. */
function addressOf(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  return plainAddress((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'));
}
