// Realistic error lines of nginx gateways: six kinds of errors on forty sites, many clients, changing paths.
import { randomFrom } from './lines.ts';

/** A line as a gateway sends it. */
export interface GatewayLine {
  readonly level: number;
  readonly log: string;
  readonly log_time: number;
  readonly service: string;
  readonly host: string;
  readonly fields: { readonly pid: string; readonly connection: string };
}

/** Bytes of a line in nginx's own file before its text: time, level, process and connection. */
const HEAD_BYTES = 46;

/** Size of a line in nginx's own file. */
export const rawBytes = ({ log }: Pick<GatewayLine, 'log'>): number => Buffer.byteLength(log) + HEAD_BYTES;

const SITES = Array.from({ length: 40 }, (_, i) => `shop${i}.example.com`);
const PATHS = [
  '/api/v1/orders',
  '/api/v1/items',
  '/img/logo',
  '/static/app',
  '/checkout',
  '/login',
  '/search',
  '/cart',
];
const METHODS = ['GET', 'GET', 'GET', 'POST'];
const CLIENTS = 50_000;
const HOSTS = 20;

/** Creates an endless source of lines that begin at `startS` (Unix seconds) and come `perSecond`. */
export function* gatewayLines(seed: number, startS: number, perSecond: number): Generator<GatewayLine> {
  const random = randomFrom(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = (list: readonly string[]) => list[below(list.length)] ?? '';
  const clients = Array.from({ length: CLIENTS }, () => `${1 + below(220)}.${below(255)}.${below(255)}.${below(255)}`);
  for (let i = 0; ; i += 1) {
    const site = pick(SITES);
    const path = `${pick(PATHS)}/${below(100_000)}`;
    // A few clients make most of the errors.
    const client = clients[Math.floor(CLIENTS * random() ** 3)];
    const request = `${pick(METHODS)} ${path}?id=${below(1e6)} HTTP/1.1`;
    const tail = `, client: ${client}, server: ${site}, request: "${request}"`;
    const upstream = `, upstream: "http://10.0.${below(4)}.${below(30)}:8080${path}", host: "${site}"`;
    const referrer = `, referrer: "https://${site}/"`;
    const kind = random();
    let text: string;
    if (kind < 0.4) {
      text = `upstream timed out (110: Connection timed out) while reading response header from upstream${tail}${upstream}${referrer}`;
    } else if (kind < 0.6) {
      text = `connect() failed (111: Connection refused) while connecting to upstream${tail}${upstream}`;
    } else if (kind < 0.8) {
      text = `open() "/usr/share/nginx/html${path}" failed (2: No such file or directory)${tail}, host: "${site}"`;
    } else if (kind < 0.9) {
      text = `limiting requests, excess: ${(random() * 20).toFixed(3)} by zone "one"${tail}, host: "${site}"${referrer}`;
    } else if (kind < 0.95) {
      text = `SSL_do_handshake() failed (SSL: error:0A00006C:SSL routines::bad key share) while SSL handshaking, client: ${client}, server: 0.0.0.0:443`;
    } else {
      text = `lua entry thread aborted: runtime error: /etc/nginx/lua/access.lua:${below(300)}: attempt to index a nil value${tail}, host: "${site}"`;
    }
    yield {
      level: kind < 0.8 ? 4 : 5,
      log: text,
      log_time: startS + Math.floor(i / perSecond),
      service: 'nginx',
      host: `gw${below(HOSTS)}`,
      fields: { pid: String(700 + below(8)), connection: String(1_000_000 + i * 3 + below(3)) },
    };
  }
}
