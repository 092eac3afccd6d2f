// Ships the output of containers in a process that a test kills.

import { createServerApi } from '../../src/api/server-api.ts';
import { createLog } from '../../src/log.ts';
import { openShipper } from '../../src/ship/shipper.ts';

const [agentDir = '', socket = '', url = '', secret = ''] = process.argv.slice(2);
const shipper = await openShipper({
  files: [],
  containerLogs: { socket, names: ['*'] },
  agentDir,
  spoolMaxBytes: 1024 * 1024,
  serverApi: createServerApi({ url, consoleUrl: url, version: '0.1.0' }),
  enrollment: () => ({ server: url, id: 7, secret, interval: 30 }),
  log: createLog(process.stderr, 'error', false),
  random: () => 0,
  now: Date.now,
  pollEveryMs: 5,
  signal: new AbortController().signal,
});
await shipper.run();
