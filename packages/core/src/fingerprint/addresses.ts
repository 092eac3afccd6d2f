// Recognisers of addresses and of names of hosts. Each reads a bounded number of characters from `at` and returns the
// index behind the address, or -1.
import { DIGIT, digitRun, hexRun, isHex, isWordCode, kindOf, LETTER } from './characters.ts';

/** Includes `:8080` behind an address. */
export function portEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x3a) return at;
  const end = digitRun(text, at + 1, 5);
  return end === at + 1 || isWordCode(text.charCodeAt(end)) ? at : end;
}

/** `10.0.0.1` with an optional port. */
export function ipv4End(text: string, at: number): number {
  let next = at;
  for (let part = 0; part < 4; part += 1) {
    if (part > 0 && text.charCodeAt(next++) !== 0x2e) return -1;
    const end = digitRun(text, next, 3);
    if (end === next) return -1;
    next = end;
  }
  const code = text.charCodeAt(next);
  if (isWordCode(code) || (code === 0x2e && kindOf(text.charCodeAt(next + 1)) === DIGIT)) return -1;
  return portEnd(text, next);
}

/** An IPv6 address with `::` or all eight groups and at least one digit, or a hardware address of six pairs. */
export function colonAddressEnd(text: string, at: number): number {
  let next = at;
  let groups = 0;
  let pairs = 0;
  let gaps = 0;
  let digits = 0;
  for (;;) {
    const end = hexRun(text, next, 5);
    const isEmpty = end === next;
    if (end - next > 4 || (isEmpty && next > at && text.charCodeAt(end) === 0x3a)) return -1;
    if (end - next === 2) pairs += 1;
    if (!isEmpty) groups += 1;
    for (let i = next; i < end; i += 1) if (kindOf(text.charCodeAt(i)) === DIGIT) digits += 1;
    next = end;
    if (text.charCodeAt(next) !== 0x3a || groups > 8) break;
    const isGap = text.charCodeAt(next + 1) === 0x3a;
    if (!isGap && !isHex(text.charCodeAt(next + 1))) break;
    if (isGap) gaps += 1;
    next += isGap ? 2 : 1;
  }
  const code = text.charCodeAt(next);
  if (isWordCode(code) || code === 0x5f) return -1;
  if (code === 0x2e && gaps === 1) {
    // ::ffff:192.0.2.1
    const tail = text.lastIndexOf(':', next) + 1;
    const end = tail > at ? ipv4End(text, tail) : -1;
    if (end > 0) return end;
  }
  if (digits === 0) return -1;
  if (gaps === 1 && groups < 8 && code === 0x25) return zoneEnd(text, next);
  return (gaps === 1 && groups < 8) || (gaps === 0 && (groups === 8 || (groups === 6 && pairs === 6))) ? next : -1;
}

const MAX_ZONE = 16;

/** `%eth0` behind an address of one link: `fe80::1%eth0`. Returns `at` without one. */
function zoneEnd(text: string, at: number): number {
  let end = at + 1;
  while (end - at <= MAX_ZONE && isHostCode(text.charCodeAt(end))) end += 1;
  return end > at + 1 && end - at <= MAX_ZONE ? end : at;
}

const ANY = '[::]:';

/** `[2001:db8::1]` with an optional port, or `[::]` with a port; `at` is the bracket. */
export function bracketedAddressEnd(text: string, at: number): number {
  const end = colonAddressEnd(text, at + 1);
  if (end > 0 && text.charCodeAt(end) === 0x5d) return portEnd(text, end + 1);
  if (!text.startsWith(ANY, at)) return -1;
  const port = at + ANY.length - 1;
  return portEnd(text, port) > port ? portEnd(text, port) : -1;
}

/** 8-4-4-4-12 hexadecimal digits. */
export function uuidEnd(text: string, at: number): number {
  let next = at;
  for (const length of [8, 4, 4, 4, 12]) {
    if (next > at && text.charCodeAt(next++) !== 0x2d) return -1;
    const end = hexRun(text, next, length);
    if (end - next < length) return -1;
    next = end;
  }
  return isWordCode(text.charCodeAt(next)) ? -1 : next;
}

/** Last labels of host names, beside those of countries. */
const HOST_ENDINGS = new Set([
  ...['com', 'net', 'org', 'edu', 'gov', 'mil', 'int', 'info', 'biz', 'arpa', 'cloud'],
  ...['local', 'localdomain', 'internal', 'intranet', 'private', 'lan', 'corp', 'home', 'test', 'example'],
]);
/** Endings of files of two letters, which are no countries here. */
const FILE_ENDINGS = new Set(
  'cc cs db el ex fs go gz hh hs jl js kt md ml mm pl pm py rb rs sh so tf ts vb'.split(' '),
);
/** First labels of names of packages, which are domains in reverse. */
const PACKAGE = /^(?:com|net|org|edu|io|java|javax|jakarta)\./;

/** Tells whether a name with a dot in it ends as names of hosts do. */
export function isHostName(name: string): boolean {
  if (name === 'localhost' || name === 'unknown') return true;
  const ending = endingOf(name);
  if (ending === name || PACKAGE.test(name)) return false;
  return HOST_ENDINGS.has(ending) || (/^[a-z]{2}$/.test(ending) && !FILE_ENDINGS.has(ending));
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Tells whether a unit belongs to the name of a host. */
export function isHostCode(code: number): boolean {
  return code === 0x2d || code === 0x2e || (code < 0x80 && isWordCode(code));
}

/**
 * Matches a host that is one peer of many, as an address is: `node-17.rack2.example.com`, a name of three labels or
 * more with a number in it, or `cache.example.com:6379`, a name with a port. Another name may be a site and stays.
 */
export function peerHostEnd(text: string, at: number, limit: number): number {
  let end = at;
  let dots = 0;
  let hasDigit = false;
  for (; end < limit; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x2e) dots += 1;
    else if (kindOf(code) === DIGIT) hasDigit = true;
    else if (!isHostCode(code)) break;
  }
  const port = portEnd(text, end);
  const hasPort = port > end;
  if (hasPort ? isColumn(text, port) : !hasDigit) return -1;
  // A dot at the end closes a sentence.
  let to = end;
  while (to > at && text.charCodeAt(to - 1) === 0x2e) to -= 1;
  dots -= end - to;
  if (end - at > MAX_HOST || continuesHost(text.charCodeAt(port))) return -1;
  const name = text.slice(at, to);
  if (dots === 0) return hasPort && isNodeWithPort(name, text.slice(end + 1, port)) ? port : -1;
  if (kindOf(text.charCodeAt(to - 1)) !== LETTER || !isHostName(name)) return -1;
  // `main.io:12` may be a line of code, and `app2.io` anything.
  const isLong =
    dots >= 2 ||
    (hasPort && (HOST_ENDINGS.has(endingOf(name)) || isCountry(name, port - end - 1, text.startsWith(HTTP_PORT, end))));
  return isLong ? (hasPort ? port : to) : -1;
}

const HTTP_PORT = ':80';
/** Ports of fewer digits that many programs listen on. */
const KNOWN_PORTS = new Set(['22', '25', '53', '80', '389', '443', '465', '514', '587', '636', '993']);
/** Digits of a port that no line of code has. */
const PORT_DIGITS = 4;
/** A name of one label that is one node of many: a number behind a hyphen, or behind letters at the end. */
const NODE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*-\d+$|^[a-z]{2,}\d+$/;

/** `mesos-07:31000`, `dn12:50010`: the name and the port of one node of many. `redis:6379` may be the only one. */
const isNodeWithPort = (name: string, port: string): boolean =>
  (port.length >= PORT_DIGITS || KNOWN_PORTS.has(port)) && NODE.test(name);

/** Last labels of two letters that files of code have too. */
const CODE_ENDINGS = new Set(['ac', 'am', 'im', 'in', 'io', 'la', 'mo', 'ps', 'st']);

/** Tells whether a name of two labels with a port of so many digits, or port 80, ends with a country. */
function isCountry(name: string, digits: number, isHttp: boolean): boolean {
  const ending = endingOf(name);
  return (digits > 2 || isHttp) && ending.length === 2 && !CODE_ENDINGS.has(ending);
}

/** Tells whether `:5` follows: in `app.main.io:12:5` the numbers are a line and a column. */
function isColumn(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x3a && kindOf(text.charCodeAt(at + 1)) === DIGIT;
}

const MAX_HOST = 255;

/** Tells whether a name goes on as a path, a mail address, a key or a call. */
function continuesHost(code: number): boolean {
  return isWordCode(code) || code === 0x5f || code === 0x2f || code === 0x40 || code === 0x3d || code === 0x28;
}

/** Names of network interfaces before their number, and those that go on with letters: `enp3s0`, `veth1a2b`. */
const INTERFACES = new Set(
  'awdl bond br docker en eno ens eth ib llw ppp tap tun utun virbr vnet wl wlan wwan'.split(' '),
);
const LONG_INTERFACES = new Set(['enp', 'enx', 'veth', 'wlp']);
const MAX_INTERFACE = 6;
const VETH = 'veth';
/** Hexadecimal digits behind `veth`, as Docker makes them. */
const VETH_DIGITS = 7;

/** Tells whether a word from `from` on, with its first digit at `digitAt`, names a network interface. */
export function isInterface(text: string, from: number, digitAt: number, hasTail: boolean): boolean {
  if (digitAt - from < 2) return false;
  if (digitAt - from > MAX_INTERFACE)
    return (
      text.startsWith(VETH, from) && hexRun(text, from + VETH.length, VETH_DIGITS) === from + VETH.length + VETH_DIGITS
    );
  return (hasTail ? LONG_INTERFACES : INTERFACES).has(text.slice(from, digitAt));
}
