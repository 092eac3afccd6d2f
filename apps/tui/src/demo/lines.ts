// Templates of demo lines, with level, service, hosts and frequency.
import type { Random } from './random.ts';

/** A template of a line. */
export interface DemoForm {
  readonly level: number;
  readonly service: string;
  /** Hosts that write such lines, by the start of their names. */
  readonly hosts: readonly string[];
  /** Relative frequency. */
  readonly weight: number;
  /** Parts that make different errors of the template. */
  readonly variants?: readonly string[];
  readonly text: (random: Random, variant: string) => string;
}

const HOSTS = ['api.example.com', 'shop.example.com', 'img.example.com', 'auth.example.com'];
const PATHS = ['/v1/orders', '/v1/cart/items', '/login', '/assets/app.js', '/v2/search', '/checkout', '/health'];
const UPSTREAMS = ['10.20.4.17:8080', '10.20.4.18:8080', '10.20.5.3:9000', '10.20.7.41:8443'];
const TENANTS = ['acme', 'globex', 'initech', 'umbrella', 'hooli'];

const client = (random: Random): string => `198.51.100.${random.whole(1, 254)}`;
const request = (random: Random): string =>
  `client: ${client(random)}, server: ${random.pick(HOSTS)}, request: "${random.pick(['GET', 'POST', 'PUT'])} ${random.pick(PATHS)} HTTP/1.1"`;

const FRONT = ['edge-', 'gateway-'];
const upstream = (random: Random): string => `upstream: "http://${random.pick(UPSTREAMS)}${random.pick(PATHS)}"`;

/** Templates of one service. */
const formsOf = (
  service: string,
  hosts: readonly string[],
  forms: readonly Omit<DemoForm, 'service' | 'hosts'>[],
): DemoForm[] => forms.map((form) => ({ service, hosts, ...form }));

const NGINX = formsOf('nginx', FRONT, [
  {
    level: 4,
    weight: 12,
    variants: ['reading response header from', 'reading upstream of', 'sending request to'],
    text: (r, doing) =>
      `upstream timed out (110: Connection timed out) while ${doing} upstream, ${request(r)}, ${upstream(r)}`,
  },
  {
    level: 4,
    weight: 8,
    text: (r) =>
      `connect() failed (111: Connection refused) while connecting to upstream, ${request(r)}, ${upstream(r)}`,
  },
  {
    level: 4,
    weight: 6,
    variants: ['timeout', 'closed', 'connection reset by peer'],
    text: (r, why) =>
      `[lua] session.lua:${r.whole(40, 220)}: get_session(): failed to read from redis: ${why}, tenant: ${r.pick(TENANTS)}, ${request(r)}`,
  },
  {
    level: 4,
    weight: 4,
    text: (r) =>
      `SSL_do_handshake() failed (SSL: error:0A000416:SSL routines::sslv3 alert certificate unknown) while SSL handshaking, client: ${client(r)}, server: 0.0.0.0:443`,
  },
  {
    level: 5,
    weight: 7,
    text: (r) =>
      `an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/${r.whole(1, 9)}/00/${r.whole(1000, 9999)} while reading upstream, ${request(r)}`,
  },
  {
    level: 5,
    weight: 4,
    text: (r) => `[lua] limits.lua:88: quota of ${r.pick(TENANTS)} at ${r.whole(81, 99)}%, ${request(r)}`,
  },
  { level: 3, weight: 2, text: (r) => `accept4() failed (24: Too many open files), worker ${r.whole(0, 15)}` },
  { level: 2, weight: 1, text: () => 'worker process 4711 exited on signal 11 (core dumped)' },
  {
    level: 1,
    weight: 1,
    text: () => 'could not build optimal server_names_hash, increase server_names_hash_max_size: 512',
  },
  { level: 6, weight: 5, text: (r) => `signal 1 (SIGHUP) received from ${r.whole(100, 4000)}, reconfiguring` },
  {
    level: 7,
    weight: 4,
    text: (r) => `client ${client(r)} closed keepalive connection (104: Connection reset by peer)`,
  },
  { level: 7, weight: 3, text: (r) => `[健康检查] ${r.pick(UPSTREAMS)} 恢复正常, ${r.whole(2, 90)} ms` },
  { level: 8, weight: 2, text: (r) => `http upstream keepalive: free connection ${r.whole(1, 64)}` },
]);

const CHECKOUT = formsOf(
  'checkout',
  ['api-'],
  [
    {
      level: 4,
      weight: 6,
      variants: ['timed out after 3000 ms', 'answered 502', 'refused the connection'],
      text: (r, what) => `payment of order ${r.whole(81_000, 99_999)}: provider ${r.pick(['adyen', 'stripe'])} ${what}`,
    },
    { level: 5, weight: 5, text: (r) => `stock of ${r.whole(2, 9)} articles reserved after ${r.whole(3, 9)} attempts` },
    { level: 5, weight: 4, text: (r) => `connection pool: ${r.whole(46, 50)} of 50 connections are in use` },
    { level: 6, weight: 4, text: (r) => `deprecated field "coupon" in a request of tenant ${r.pick(TENANTS)}` },
    { level: 7, weight: 3, text: (r) => `order ${r.whole(81_000, 99_999)} paid in ${r.whole(80, 900)} ms` },
  ],
);

const DATABASE = formsOf(
  'postgresql',
  ['db-'],
  [
    {
      level: 4,
      weight: 4,
      variants: ['orders', 'sessions', 'stock'],
      text: (r, table) =>
        `deadlock detected: process ${r.whole(2_000, 9_000)} waits for ShareLock on relation "${table}" of database "shop"`,
    },
    { level: 4, weight: 3, text: () => 'could not serialize access due to concurrent update' },
    {
      level: 3,
      weight: 1,
      text: () => 'remaining connection slots are reserved for roles with the SUPERUSER attribute',
    },
    { level: 5, weight: 3, text: (r) => `checkpoints are occurring too frequently (${r.whole(9, 28)} seconds apart)` },
    {
      level: 6,
      weight: 3,
      text: (r) => `automatic vacuum of table "shop.public.orders": ${r.whole(1, 900)} pages removed`,
    },
  ],
);

/** Programs that run on many hosts. */
const SYSTEM: readonly DemoForm[] = [
  {
    level: 5,
    weight: 6,
    service: 'sshd',
    hosts: ['gateway-', 'build-', 'auth-'],
    text: (r) =>
      `Failed password for invalid user ${r.pick(['admin', 'oracle', 'test'])} from ${client(r)} port ${r.whole(30_000, 60_000)} ssh2`,
  },
  {
    level: 3,
    weight: 2,
    service: 'kernel',
    hosts: ['api-', 'build-', 'db-'],
    text: (r) =>
      `Out of memory: Killed process ${r.whole(900, 32_000)} (${r.pick(['java', 'node'])}) total-vm:8388608kB`,
  },
  {
    level: 4,
    weight: 3,
    service: 'systemd',
    hosts: ['db-', 'build-', 'edge-sin-'],
    variants: ['nightly-backup', 'certbot', 'logrotate'],
    text: (_, unit) => `${unit}.service: Failed with result 'exit-code'.`,
  },
  {
    level: 4,
    weight: 3,
    service: 'docker',
    hosts: ['build-'],
    text: (r) => `failed to register layer: write /var/lib/docker/tmp/${r.whole(100, 999)}: no space left on device`,
  },
  {
    level: 4,
    weight: 4,
    service: 'auth',
    hosts: ['auth-'],
    variants: ['invalid_grant', 'expired_token'],
    text: (r, why) => `token refresh failed: ${why}, tenant: ${r.pick(TENANTS)}`,
  },
  {
    level: 6,
    weight: 3,
    service: 'certbot',
    hosts: FRONT,
    text: (r) => `certificate of ${r.pick(HOSTS)} renewed, valid for 90 days`,
  },
];

/** All templates. */
export const FORMS: readonly DemoForm[] = [...NGINX, ...CHECKOUT, ...DATABASE, ...SYSTEM];

/** An error: a template with one of its variants. */
export interface DemoError {
  readonly form: DemoForm;
  readonly variant: string;
  /** Equal for the same error on every host. */
  readonly fingerprint: string;
}

export const ERRORS: readonly DemoError[] = FORMS.flatMap((form, index) =>
  (form.variants ?? ['']).map((variant, n) => ({ form, variant, fingerprint: `demo-${index}-${n}` })),
);

const weightOf = ({ form }: DemoError): number => form.weight / (form.variants?.length ?? 1);
const TOTAL = ERRORS.reduce((sum, error) => sum + weightOf(error), 0);

/** Picks an error by frequency. */
export function pickError(random: Random): DemoError {
  let left = random.next() * TOTAL;
  for (const error of ERRORS) {
    left -= weightOf(error);
    if (left < 0) return error;
  }
  return random.pick(ERRORS);
}
