// Measures the processing of a line before it is stored: nanoseconds for its fingerprint, and for parsing syslog. As in
// a flood, no two texts are equal: they differ in addresses, numbers and paths. Run it by `node bench/fingerprint.ts`.

import { fingerprint } from '../packages/core/src/fingerprint/index.ts';
import { readIntakeJson } from '../packages/intake/src/http/http-lines.ts';
import { parseSyslog } from '../packages/intake/src/syslog/syslog-line.ts';

const LINES = 20_000;
const ROUNDS = 25;

const address = (i: number) => `192.0.${i % 255}.${(i * 7) % 255}`;
const KINDS: Record<string, (i: number) => string> = {
  'nginx, missing file': (i) =>
    `open() "/usr/share/nginx/html/img/${i}/logo-${i % 97}.png" failed (2: No such file or directory), client: ${address(i)}, server: shop.example.com, request: "GET /img/${i}/logo-${i % 97}.png HTTP/1.1", host: "shop.example.com"`,
  'nginx, upstream': (i) =>
    `upstream timed out (110: Connection timed out) while reading response header from upstream, client: ${address(i)}, server: api.example.com, request: "POST /v1/orders/${i} HTTP/1.1", upstream: "http://10.0.0.${i % 200}:8080/v1/orders/${i}", host: "api.example.com"`,
  'plain, many numbers': (i) =>
    `worker ${i} of pool main: connection to 10.1.${i % 255}.9:5432 lost after ${i % 900} ms, request 550e8400-e29b-41d4-a716-44665544${String(i % 10_000).padStart(4, '0')} of user bob${i}@example.com was given up and will be retried in ${i % 60} s`,
  'Node.js, stack trace': (i) =>
    `TypeError: Cannot read properties of undefined (reading 'id${i}')\n    at handle (/app/src/a.js:${i % 300}:5)\n    at Layer.handle [as handle_request] (/app/node_modules/express/lib/router/layer.js:95:5)\n    at next (/app/node_modules/express/lib/router/route.js:144:13)\n    at Route.dispatch (/app/node_modules/express/lib/router/route.js:114:3)`,
};

/** Nanoseconds per item in the best round; other rounds had less of the processor. */
function best<T>(items: readonly T[], run: (item: T) => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.hrtime.bigint();
    for (const item of items) run(item);
    least = Math.min(least, Number(process.hrtime.bigint() - start) / items.length);
  }
  return Math.round(least);
}

for (const [name, make] of Object.entries(KINDS)) {
  // Parsed, because a concatenated text would be flattened during the measurement.
  const lines = Array.from({ length: LINES }, (_, i) => JSON.parse(JSON.stringify(make(i))) as string);
  const packets = lines.map((line, i) =>
    Buffer.from(
      `<187>Nov 20 11:25:47 gw1 ${name.startsWith('nginx') ? 'nginx: 2026/11/20 11:25:47 [error] 701#701: ' : 'app: '}*${i} ${line}`,
    ),
  );
  const bodies = lines.map((log) => [{ level: 4, log, app_id: 1, req_id: 'a1' }]);
  console.log(
    `${name.padEnd(22)} ${String(lines[9]?.length).padStart(4)} characters: fingerprint ${best(lines, fingerprint)} ns, ` +
      `from syslog ${best(packets, (packet) => parseSyslog(packet, 0))} ns, ` +
      `from JSON ${best(bodies, (body) => readIntakeJson(body, 2))} ns`,
  );
}
