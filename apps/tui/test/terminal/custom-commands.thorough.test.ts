// Custom commands in the terminal, of the built dashboard.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isBuilt } from './pty.ts';
import { running, toErrors } from './running.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-custom-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!isBuilt)('a custom command in the terminal', () => {
  it('has the terminal until Enter, and gives it back', async () => {
    const program = join(folder, 'program');
    writeFileSync(
      program,
      '#!/bin/sh\ntest -t 0 && echo "asked about $1"; read -r answer; echo "got $answer"; exit 5\n',
    );
    chmodSync(program, 0o700);
    mkdirSync(join(folder, 'quarterdeck'));
    const config = ['[[commands]]', 'key = "ctrl+g"', 'name = "Ask"', `command = ["${program}", "{log}"]`];
    writeFileSync(join(folder, 'quarterdeck', 'config.toml'), config.join('\n'));
    await using on = await running({ XDG_CONFIG_HOME: folder });
    const { dashboard } = on;
    await toErrors(dashboard);
    // Keys that arrive together start it once.
    dashboard.type('j\u0007\u0007');
    await dashboard.waitForText('asked about error number 199');
    expect(dashboard.modes()).toMatchObject({ alternate: false, wraps: true });
    dashboard.type('yes\r');
    await dashboard.waitForText(/got yes\s+Press Enter to return to the dashboard\./);
    dashboard.type('\r');
    await dashboard.waitForText('Ask: It exited with 5.');
    expect(dashboard.modes()).toMatchObject({ alternate: true, wraps: false });
    dashboard.type('j');
    await dashboard.waitForText('3 of 200');
  });
});
