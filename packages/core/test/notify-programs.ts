// Notifiers for tests, and programs in place of `systemd-notify`.
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type NotifierOptions, notifierFor } from '../src/systemd/notifier.ts';
import { takeService } from '../src/systemd/service.ts';

const SYSTEM_PATH = '/usr/bin:/bin';

/** Creates a notifier that is closed with the test, and records its failures. */
export function createNotifier(env: NodeJS.ProcessEnv, options: Partial<NotifierOptions> = {}) {
  const failures: string[] = [];
  const onFailure = ({ message }: Error) => void failures.push(message);
  const notifier = notifierFor(takeService(env), { path: SYSTEM_PATH, onFailure, ...options });
  onTestFinished(() => notifier.close());
  return { ...notifier, failures };
}

/** A program in place of `systemd-notify` that logs its beginnings and runs a script; `path` finds it. */
export function standIn(script = '') {
  const folder = mkdtempSync(join(tmpdir(), 'systemd-notify-'));
  const file = join(folder, 'systemd-notify');
  const log = join(folder, 'log');
  writeFileSync(file, `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${log}\n${script}\n`);
  chmodSync(file, 0o755);
  const calls = () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []);
  return { path: `${folder}:${SYSTEM_PATH}`, calls };
}
