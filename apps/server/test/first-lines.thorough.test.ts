// The commands that an empty screen shows, pasted into a real shell, against a real server.
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { waysToSend } from '../../../packages/views/src/lines/first-lines.ts';
import { createFirstToken } from '../../../packages/views/src/tokens/first-token.ts';
import { findProgram } from '../../../test/programs.ts';
import { isBuilt } from '../../tui/test/terminal/pty.ts';
import { startApi } from './start-api.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-first-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder with the command line under its usual name. */
function installCommandLine(): string {
  const program = join(import.meta.dirname, '../../cli/dist/main.js');
  const path = join(folder, 'quarterdeck');
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(path, 0o755);
  return dirname(path);
}

describe.skipIf(!isBuilt || findProgram('curl') === undefined || findProgram('logger') === undefined)(
  'a command of an empty screen',
  () => {
    it('sends the first line when it is pasted into a shell', async () => {
      await using api = await startApi({ SYSLOG_PORT: '0' });
      const { secret, command = '' } = await createFirstToken(api.admin, api.url, Date.now());
      const env = {
        PATH: [installCommandLine(), process.env['PATH']].join(delimiter),
        HOME: folder,
        QUARTERDECK_TOKEN: secret,
      };
      const ways = waysToSend(api.url).map((way) => way.command);
      // The server of a test has another port for syslog than the usual one.
      const pasted = [command, ...ways].map((way) => way.replace('-P 5140', `-P ${api.server.syslogPort}`));
      for (const way of pasted) {
        const before = (await api.admin.line.list({})).data.length;
        await run('/bin/sh', ['-c', way], { env });
        await expect.poll(async () => (await api.admin.line.list({})).data.length, { message: way }).toBe(before + 1);
      }
      const { data } = await api.admin.line.list({});
      expect(data.map(({ log }) => log)).toEqual(pasted.map(() => 'hello'));
    });
  },
);
