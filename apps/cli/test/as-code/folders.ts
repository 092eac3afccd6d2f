// Folders of files for `apply` and `export`, and what a server has of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { NO_TRANSPORTS } from '../../../server/test/start-api.ts';
import { word } from '../../../server/test/word.ts';
import { useMaster } from '../master.ts';
import type { Ran, RunOptions } from '../run-cli.ts';

/** A row of the server. */
export interface Rule {
  readonly id: number;
  readonly name: string;
  readonly when: Readonly<Record<string, unknown>>;
  readonly channels: readonly number[];
  readonly cooldown: number;
  readonly enabled: boolean;
}
/** A row of the server. */
export interface Channel {
  readonly id: number;
  readonly name: string;
  readonly url: string | null;
  readonly modified: number;
  readonly secrets: readonly string[];
}

/** A command that had nothing to do. */
export const NOTHING: Ran = { code: 0, out: '', err: '' };

/** Files of a channel and of a rule that goes to it. */
export function pair() {
  const name = word();
  const channels = `[channels.${name}]\nurl = "https://example.org/${name}"\n`;
  const alerts = `[alerts."${name} fails"]\nfilter = "service:${name}"\nchannels = ["${name}"]\nwhen = { kind = "errlog.new" }\n`;
  return { name, rule: `${name} fails`, files: { 'channels.toml': channels, 'alerts.toml': alerts } };
}

/** Starts a server, and a master who applies folders to it. */
export function useFolders() {
  const { api, master, json } = useMaster({ transports: NO_TRANSPORTS });

  /** A folder of files, and the commands on it. */
  function folderOf(files: Readonly<Record<string, string>>) {
    const path = mkdtempSync(join(tmpdir(), 'quarterdeck-as-code-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    const put = (name: string, text: string) => writeFileSync(join(path, name), text);
    for (const [name, text] of Object.entries(files)) put(name, text);
    const apply = (options: readonly string[] = ['--yes'], how?: RunOptions): Promise<Ran> =>
      master().run(['apply', '-f', path, ...options], how);
    return { path, put, apply };
  }

  const rules = () => json<Rule[]>('alerts', 'rules', '--all');
  const ruleNamed = async (name: string) => (await rules()).filter((rule) => rule.name === name);
  const channelNamed = async (name: string) =>
    (await json<Channel[]>('webhooks', '--all')).find((channel) => channel.name === name);

  return { api, master, json, folderOf, rules, ruleNamed, channelNamed };
}
