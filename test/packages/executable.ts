// Runs the agent as a single executable against the packed server: it enrolls, ships, replaces itself by a signed
// version, and goes back from versions that do not work.
import { execFile, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { filesBelow, RELEASE } from '../../scripts/release/release-folder.ts';
import { expectUpgrade, offer, type UpgradedAgent, untilRuns, withUpgradeWorld } from './agent-upgrades.ts';
import { NAME } from './agent-versions.ts';
import { check, hasProgram } from './check.ts';
import { type Outcome, waitFor } from './installation.ts';
import { type SupervisedAgent, superviseAgent } from './supervised-agent.ts';

/** User and group without any right. */
const NOBODY = 65_534;
/** Setting of the seconds in which a version on trial must report. */
const TRIAL = 'QUARTERDECK_AGENT_UPGRADE_TRIAL_S';
/** Enough for a version that works, also on a busy machine; and the least, for one that never reports. */
const [LONG_S, SHORT_S] = ['600', '10'];

/** An agent that this process supervises. */
interface Host extends UpgradedAgent {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly agent: SupervisedAgent;
}

/** Runs a command of the installed executable. This process goes on: it serves the downloads. */
function command({ program, env }: Host, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { env }, (_, stdout, stderr) => {
      resolve({ status: child.exitCode, stdout, stderr });
    });
  });
}

/** Starts the agent again and waits until it runs as a version. */
async function restart(host: Host, version: string, signal?: NodeJS.Signals): Promise<void> {
  const { agent } = host;
  const before = agent.log().length;
  await agent.restart(signal);
  await waitFor(() => agent.log().slice(before).includes(`"version":"${version}"`), agent.log);
  await untilRuns(host, version);
}

/** The result of an upgrade after which 0.2.0 goes on. */
const failed = (reason: RegExp) => ['0.2.0', 'failed', reason] as const;

async function checkUpgrades(host: Host): Promise<void> {
  const { agent } = host;
  const { pid } = agent;
  const good = await offer(host, '0.2.0');
  const offered = await command(host, 'upgrade', '--check');
  check(
    /version 0\.2\.0 is offered; 0\.1\.0 is in use/.test(offered.stdout),
    `upgrade --check: ${offered.stdout}${offered.stderr}`.trim(),
  );
  await expectUpgrade(host, 'a signed version', ['0.2.0', 'succeeded', /restarted as 0\.2\.0/]);
  check(agent.pid === pid && agent.ends.length === 0, 'the process of the agent stays the same');

  const bad = await offer(host, '0.3.0', 'crashes');
  appendFileSync(join(bad, NAME), 'x');
  await expectUpgrade(host, 'a changed file', failed(/not the one that was signed/));
  rmSync(bad, { recursive: true });
  await offer(host, '0.3.0', 'crashes');
  await expectUpgrade(host, 'a version that crashes', failed(/started 3 times/));
  await expectUpgrade(host, 'the same once more', failed(/rolled back on this host/));
  await offer(host, '0.5.0', 'refuses');
  await expectUpgrade(host, 'a version that refuses the settings', failed(/ended with code 2/));
  host.env[TRIAL] = SHORT_S;
  await restart(host, '0.2.0');
  await offer(host, '0.4.0', 'isSilent');
  await expectUpgrade(host, 'a version without reports', failed(/no accepted report within/));
  host.env[TRIAL] = LONG_S;
  host.downloads.folder = good;

  await restart(host, '0.2.0', 'SIGKILL');
  check(true, 'after a kill the agent starts as 0.2.0 again');
  const back = await command(host, 'rollback');
  check(
    /version 0\.2\.0 is refused from now on; version 0\.1\.0 is back/.test(back.stdout),
    `rollback: ${back.stdout}${back.stderr}`.trim(),
  );
  await restart(host, '0.1.0');
  check(true, 'after a roll-back and a restart 0.1.0 runs');
  const again = await command(host, 'upgrade');
  check(again.status === 1 && again.stderr.includes('rolled back on this host'), `upgrade: ${again.stderr.trim()}`);
  const forced = await command(host, 'upgrade', '--force');
  check(forced.status === 0, `upgrade --force: ${forced.stdout}${forced.stderr}`.trim());
  await restart(host, '0.2.0');
  check(true, 'after a forced upgrade and a restart 0.2.0 runs');
  const left = readdirSync(join(host.base, 'agent/program')).sort();
  check(left.join(' ') === 'program.json quarterdeck-agent-0.2.0', `files of the agent: ${left.join(' ')}`);
}

/** Runs commands as root on the folder of another user, who may not enter the folders above, as under systemd. */
async function checkOtherUser(host: Host): Promise<void> {
  if (process.geteuid?.() !== 0) return console.log('skipped: the folder of another user, because it needs root');
  const folder = join(host.base, 'agent');
  for (const path of [folder, ...filesBelow(folder).map((name) => join(folder, name)), join(folder, 'program')]) {
    chownSync(path, NOBODY, NOBODY);
  }
  const outputs: string[] = [];
  for (const words of [['rollback'], ['upgrade', '--force']]) {
    const { stdout, stderr } = await command(host, ...words);
    outputs.push(stdout + stderr);
  }
  const ok = /0\.1\.0 is back/.test(outputs[0] ?? '') && /0\.2\.0 is downloaded and verified/.test(outputs[1] ?? '');
  const owners = ['program.json', 'quarterdeck-agent-0.2.0'].map((name) => statSync(join(folder, 'program', name)).uid);
  check(
    ok && owners.every((uid) => uid === NOBODY),
    `root works as the owner of the folder: ${outputs.join('').trim()}`,
  );
}

async function checkShipping(host: Host, file: string, word: string): Promise<void> {
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll('-', '/');
  appendFileSync(file, `${time} [error] 7#7: the executable ships a ${word} line\n`);
  await waitFor(
    async () => (await host.client.errlog.list()).data.some(({ log }) => log.includes(`ships a ${word} line`)),
    () => `the line is not at the server:\n${host.log()}`,
  );
  check(true, `ships a ${word} line of a log file`);
}

/** Compares the signature with the program that made the format. */
function checkMinisign({ downloads, key }: Host): void {
  if (!hasProgram('minisign')) return void console.log('skipped: minisign -V, because minisign is not installed');
  const argv = ['-V', '-m', join(downloads.folder, NAME), '-P', key];
  const { status, stdout, stderr } = spawnSync('minisign', argv, { encoding: 'utf8' });
  check(status === 0, `minisign -V: ${(stdout || stderr).trim().split('\n').at(-1)}`);
}

export const testExecutable = () =>
  withUpgradeWorld(async (world) => {
    const { base, url, token, downloads, key } = world;
    mkdirSync(join(base, 'bin'));
    const program = join(base, 'bin/quarterdeck-agent');
    copyFileSync(join(RELEASE, NAME), program);
    const [agentDir, file] = [join(base, 'agent'), join(base, 'error.log')];
    const env = {
      PATH: '/usr/bin:/bin',
      QUARTERDECK_AGENT_DIR: agentDir,
      QUARTERDECK_AGENT_FILES: file,
      QUARTERDECK_AGENT_UPGRADE_URL: downloads.url,
      QUARTERDECK_AGENT_UPGRADE_KEY: key,
      [TRIAL]: LONG_S,
    };
    const enroll = spawnSync(program, ['enroll', '--server', url], { env, input: token, encoding: 'utf8' });
    check(enroll.status === 0, `enrolls: ${enroll.stdout}${enroll.stderr}`.trim());
    const agent = superviseAgent(program, env);
    try {
      const host: Host = { ...world, program, env, agent, log: agent.log };
      await waitFor(() => agent.log().includes('"started"'), agent.log);
      await checkShipping(host, file, 'first');
      await checkUpgrades(host);
      await checkShipping(host, file, 'last');
      checkMinisign(host);
      await agent.stop();
      await checkOtherUser(host);
      const state = readFileSync(join(agentDir, 'program/program.json'), 'utf8');
      check(!state.includes(base), 'the state names no path');
    } finally {
      await agent.stop();
    }
  });
