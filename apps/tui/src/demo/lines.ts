// Templates of demo lines, with level and frequency.
import type { Random } from './random.ts';

/** A template of a line. */
export interface DemoForm {
  readonly level: number;
  /** Relative frequency. */
  readonly weight: number;
  readonly text: (random: Random) => string;
}

const HOSTS = ['api.example.com', 'shop.example.com', 'img.example.com', 'auth.example.com'];
const PATHS = ['/v1/orders', '/v1/cart/items', '/login', '/assets/app.js', '/v2/search', '/checkout', '/health'];
const UPSTREAMS = ['10.20.4.17:8080', '10.20.4.18:8080', '10.20.5.3:9000', '10.20.7.41:8443'];
const TENANTS = ['acme', 'globex', 'initech', 'umbrella', 'hooli'];

const client = (random: Random): string => `198.51.100.${random.whole(1, 254)}`;
const request = (random: Random): string =>
  `client: ${client(random)}, server: ${random.pick(HOSTS)}, request: "${random.pick(['GET', 'POST', 'PUT'])} ${random.pick(PATHS)} HTTP/1.1"`;

/** Lines after a kernel upgrade. */
export const STORY_LINE =
  'sendfile() failed (14: Bad address) while sending response to client, client: 198.51.100.20, server: img.example.com, request: "GET /assets/app.js HTTP/1.1"';

/** All templates. */
export const FORMS: readonly DemoForm[] = [
  {
    level: 4,
    weight: 26,
    text: (r) =>
      `upstream timed out (110: Connection timed out) while reading response header from upstream, ${request(r)}, upstream: "http://${r.pick(UPSTREAMS)}${r.pick(PATHS)}"`,
  },
  {
    level: 4,
    weight: 14,
    text: (r) =>
      `connect() failed (111: Connection refused) while connecting to upstream, ${request(r)}, upstream: "http://${r.pick(UPSTREAMS)}/"`,
  },
  {
    level: 4,
    weight: 9,
    text: (r) =>
      `[lua] session.lua:${r.whole(40, 220)}: get_session(): failed to read from redis: ${r.pick(['timeout', 'closed', 'connection reset by peer'])}, tenant: ${r.pick(TENANTS)}, ${request(r)}`,
  },
  {
    level: 4,
    weight: 7,
    text: (r) =>
      `SSL_do_handshake() failed (SSL: error:0A000416:SSL routines::sslv3 alert certificate unknown) while SSL handshaking, client: ${client(r)}, server: 0.0.0.0:443`,
  },
  {
    level: 5,
    weight: 20,
    text: (r) => `limiting requests, excess: ${r.whole(1, 40)}.${r.whole(100, 999)} by zone "per_ip", ${request(r)}`,
  },
  {
    level: 5,
    weight: 10,
    text: (r) =>
      `an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/${r.whole(1, 9)}/00/${r.whole(1000, 9999)} while reading upstream, ${request(r)}`,
  },
  {
    level: 5,
    weight: 6,
    text: (r) => `[lua] limits.lua:88: quota of ${r.pick(TENANTS)} at ${r.whole(81, 99)}%, ${request(r)}`,
  },
  { level: 3, weight: 3, text: (r) => `accept4() failed (24: Too many open files), worker ${r.whole(0, 15)}` },
  {
    level: 3,
    weight: 2,
    text: (r) =>
      `pwrite() "/var/cache/nginx/${r.whole(10, 99)}" has written only ${r.whole(100, 4000)} of 8192 (28: No space left on device)`,
  },
  { level: 2, weight: 1, text: () => 'worker process 4711 exited on signal 11 (core dumped)' },
  {
    level: 1,
    weight: 1,
    text: () => 'could not build optimal server_names_hash, increase server_names_hash_max_size: 512',
  },
  { level: 6, weight: 8, text: (r) => `signal 1 (SIGHUP) received from ${r.whole(100, 4000)}, reconfiguring` },
  { level: 6, weight: 5, text: (r) => `[acme] certificate of ${r.pick(HOSTS)} renewed, valid for 90 days` },
  {
    level: 7,
    weight: 6,
    text: (r) => `client ${client(r)} closed keepalive connection (104: Connection reset by peer)`,
  },
  { level: 7, weight: 3, text: (r) => `[健康检查] ${r.pick(UPSTREAMS)} 恢复正常, ${r.whole(2, 90)} ms` },
  { level: 8, weight: 3, text: (r) => `http upstream keepalive: free connection ${r.whole(1, 64)}` },
];

const TOTAL = FORMS.reduce((sum, { weight }) => sum + weight, 0);

/** Picks a template by frequency. */
export function pickForm(random: Random): DemoForm {
  let left = random.next() * TOTAL;
  for (const form of FORMS) {
    left -= form.weight;
    if (left < 0) return form;
  }
  return random.pick(FORMS);
}
