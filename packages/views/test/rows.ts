// Rows as the server sends them, for tests.
import type { Agent, ErrlogEntry } from '@quarterdeck/sdk';
import { build } from '@quarterdeck/sdk/testing';

/** Creates an error-log entry. `n` is its id, and its time in seconds after `at`. */
export function entry(
  n: number,
  over: Partial<ErrlogEntry> = {},
  atS = Math.floor(Date.now() / 1000) - 3600,
): ErrlogEntry {
  return {
    id: n,
    level: 4,
    count: 1,
    src: 1,
    log_time: atS + n,
    log: `error number ${n}`,
    first_seen: atS,
    state: 'new',
    source: 'web-1',
    ...over,
  };
}

export function agent(id: number, over: Partial<Agent> = {}): Agent {
  const nowS = Math.floor(Date.now() / 1000);
  // A partial event has no state and no labels.
  const { state: _, reason: __, state_since: ___, labels: ____, maintenance: _____, ...sample } = build.agent({ id });
  return {
    ...sample,
    node_id: `node-${id}`,
    hostname: `host-${String(id).padStart(2, '0')}`,
    ip: `10.0.0.${id}`,
    created: nowS - 86_400,
    modified: nowS - 60,
    last_reported: nowS - 5,
    package: { version: 1, timestamp: nowS - 86_400 },
    system_version: { ...sample.system_version, libc: 'glibc 2.36', kernel: '6.1.0-25' },
    ...over,
  };
}
