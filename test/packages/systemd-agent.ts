// The agent as a service of a real systemd.
import { appendFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from './check.ts';
import { succeed, waitFor } from './installation.ts';
import type { ServiceHost } from './service-host.ts';

const UNIT = 'quarterdeck-agent';
const TOKEN = '/etc/quarterdeck-agent/enroll-token';

/** Node of the archive, for the agent as one file of JavaScript. */
const NODE = '../lib/quarterdeck/lib/node/bin/node';

/** Runs a program of the agent's folder before the agent: a single executable starts its upgrades there. */
const EXECUTE = `[Service]
ExecStartPre=/bin/sh -euc 'mkdir -p $STATE_DIRECTORY/program; cp /bin/true $STATE_DIRECTORY/program/; $STATE_DIRECTORY/program/true'
`;

/** Residence of a process in the memory, in MB. */
const megabytesOf = (host: ServiceHost, pid: string): number =>
  Number(/VmRSS:\s+(\d+)/.exec(succeed(host.run, ['cat', `/proc/${pid}/status`]))?.[1]) / 1000;

/** Installs the agent, enrolls it and removes it. The command line is signed in. */
export async function checkAgentService(host: ServiceHost): Promise<void> {
  symlinkSync(NODE, join(host.folder, 'usr/local/bin/node'));
  const said = host.script('install.sh', 'agent', '/opt/quarterdeck-agent.mjs');
  check(said.includes('not enrolled yet'), 'install.sh tells how to enroll the agent');
  appendFileSync(join(host.folder, 'etc/quarterdeck-agent/agent.toml'), `url = "${host.url}"\n`);
  const token = succeed(host.quarterdeck, ['enroll', 'create', '--name', 'host', '--jq', '.token']);
  writeFileSync(join(host.folder, TOKEN), token, { mode: 0o600 });
  host.dropIn(`${UNIT}.service`, EXECUTE);
  host.systemctl('enable', '--quiet', '--now', UNIT);
  const status = () => host.property(UNIT, 'StatusText');
  const untilStatus = (text: string) =>
    waitFor(
      () => status().startsWith(text),
      () => `the status is "${status()}" and not "${text}"`,
    );
  await untilStatus(`reports to ${host.url}`);
  check(true, `the agent is a service: ${status()}`);
  const state = succeed(host.quarterdeck, ['agents', 'list', '--jq', '.[].state']).trim();
  // It is pending until its second report.
  const memory = megabytesOf(host, host.property(UNIT, 'MainPID')).toFixed(0);
  check(/^(pending|online)$/.test(state), `the server lists it as ${state}; it takes ${memory} MB`);

  rmSync(join(host.folder, TOKEN));
  host.systemctl('restart', UNIT);
  check(host.property(UNIT, 'ActiveState') === 'active', 'it starts without the token once it is enrolled');
  host.systemctl('stop', 'quarterdeckd');
  host.systemctl('restart', UNIT);
  await untilStatus('the server does not answer');
  check(host.property(UNIT, 'ActiveState') === 'active', `it starts without its server: ${status()}`);
  await host.restart();
  await untilStatus('reports to');
  check(true, 'its status follows when the server is back');
  host.script('uninstall.sh', 'agent', '--purge');
  const left = host.run(['sh', '-c', 'ls -d /var/lib/private/quarterdeck-agent /etc/quarterdeck-agent']).stdout.trim();
  check(left === '', `uninstall.sh agent --purge leaves nothing ${left}`.trim());
}
