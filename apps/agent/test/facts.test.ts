import { writeFile } from 'node:fs/promises';
import { endianness, hostname, networkInterfaces, release } from 'node:os';
import { pathToFileURL } from 'node:url';
import { AgentRegistration } from '@quarterdeck/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../test/thoroughness.ts';
import { createCollector, type HostFacts } from '../src/facts/collect.ts';
import { createExec } from '../src/facts/exec.ts';
import { type Host, thisHost } from '../src/facts/host.ts';
import { readOwnPackage, readVersion } from '../src/facts/package.ts';
import { type HostPlan, hostOf } from './host-tree.ts';
import { alpine, BUILD_ID, debian, docker, kubernetes, rocky, ubuntuVm } from './hosts.ts';
import { temporaryFolder } from './temporary.ts';

const OWN_PACKAGE = { version: 1000, timestamp: 1_700_000_000 };
const NO_TOOLS = { stap: undefined, odb: undefined };

const collectorFor = (host: Host, monotonicMs = () => 0) =>
  createCollector({ host, ownPackage: OWN_PACKAGE, tools: NO_TOOLS, startedS: 1_700_000_200, monotonicMs });

const factsOf = async (plan: HostPlan): Promise<HostFacts> => collectorFor(await hostOf(plan))();

describe('all facts', () => {
  it('are those of a bare Debian', async () => {
    expect(await factsOf(debian)).toEqual({
      hostname: 'web-1',
      ip: '192.0.2.17',
      env: 'host',
      system_name: 'Debian GNU/Linux 12 (bookworm)',
      bad_kernel: false,
      package: OWN_PACKAGE,
      dependency: { stap_version: '', odb_version: '' },
      system_version: {
        kernel_package: 'linux-image-6.1.0-18-amd64 6.1.76-1',
        kernel_bid: endianness() === 'LE' ? BUILD_ID : '',
        kernel_distro: 'debian 12',
        libc: 'glibc 2.36',
        kernel: '6.1.0-18-amd64',
      },
      boot_time: 1_795_000_000,
      started: 1_700_000_200,
    });
  });

  const BOOKWORM = 'Debian GNU/Linux 12 (bookworm)';

  it.each<[string, HostPlan, string, string, string, string, string]>([
    ['Ubuntu', ubuntuVm, 'vm', 'Ubuntu 24.04.1 LTS', 'ubuntu 24.04', 'glibc 2.39', ''],
    ['Rocky', rocky, 'host', 'Rocky Linux 9.4 (Blue Onyx)', 'rocky 9.4', 'glibc 2.34', `kernel-core ${rocky.release}`],
    ['Alpine', alpine, 'host', 'Alpine Linux v3.20', 'alpine 3.20.3', 'musl 1.2.5', ''],
    ['docker', docker, 'container', BOOKWORM, 'debian 12', 'glibc 2.36', ''],
    ['Kubernetes', kubernetes, 'kubernetes', BOOKWORM, 'debian 12', 'glibc 2.36', ''],
  ])('are those of %s', async (_, plan, env, system_name, kernel_distro, libc, kernel_package) => {
    const system_version = { kernel_distro, libc, kernel_package };
    expect(await factsOf(plan)).toMatchObject({ env, system_name, system_version });
  });

  it('are empty, never missing, when unknown', async () => {
    const facts = await factsOf({ hostname: '', release: '', interfaces: {} });
    expect(facts).toMatchObject({ hostname: 'localhost', ip: '', env: 'unknown', system_name: '' });
    expect(Object.values(facts.system_version)).toEqual(['', '', '', '', '']);
  });

  it('read cheap facts each time and run commands every ten minutes', async () => {
    let nowMs = 0;
    const host = await hostOf(debian);
    const collect = collectorFor(host, () => nowMs);
    await collect();
    const once = host.ran.length;
    nowMs = 599_999;
    await collect();
    expect(host.ran).toHaveLength(once);
    nowMs = 600_000;
    await collect();
    expect(host.ran).toHaveLength(2 * once);
    // As the operation collect_facts does.
    await collect({ all: true });
    expect(host.ran).toHaveLength(3 * once);
  });

  it('run no command for a kernel with a strange name', async () => {
    const host = await hostOf({ ...debian, release: '*; reboot' });
    await collectorFor(host)();
    expect(host.ran).toEqual([]);
  });
});

describe('hostile files', () => {
  const PATHS = [
    '/etc/os-release',
    '/proc/1/cgroup',
    '/proc/1/environ',
    '/proc/cpuinfo',
    '/proc/net/route',
    '/proc/net/ipv6_route',
    '/proc/self/mountinfo',
    '/sys/kernel/notes',
    '/sys/class/dmi/id/sys_vendor',
    '/run/systemd/container',
  ];
  const expectAccepted = async (content: Buffer): Promise<void> => {
    const files = Object.fromEntries(PATHS.map((path) => [path, content]));
    const facts = await factsOf({ files, hostname: content.toString('latin1'), release: content.toString('latin1') });
    expect(AgentRegistration.safeParse({ node_id: 'n', ...facts })).toMatchObject({ success: true });
  };

  it.each<[string, Buffer]>([
    ['empty', Buffer.alloc(0)],
    ['huge', Buffer.alloc(atMost(300_000, 3_000_000), 'flags : a - overlay / =', 'latin1')],
    ['one endless line of spaces', Buffer.alloc(atMost(200_000, 1_000_000), ' ')],
    ['endless lines', Buffer.alloc(atMost(200_000, 1_000_000), '\n')],
    ['zeros', Buffer.alloc(atMost(200_000, 1_000_000))],
    ['all ones', Buffer.alloc(atMost(200_000, 1_000_000), 0xff)],
  ])('give facts that the server accepts: %s', (_, content) => expectAccepted(content));

  it('give facts that the server accepts, from any bytes', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    await fc.assert(fc.asyncProperty(bytes, expectAccepted), { numRuns: atMost(15, 100) });
  });
});

describe('the own package', () => {
  it('has the modification time of the program file', async () => {
    const program = `${await temporaryFolder()}/main.js`;
    await writeFile(program, '');
    const { version, timestamp } = await readOwnPackage('1.2.3', pathToFileURL(program));
    expect(version).toBe(1_002_003);
    expect(timestamp).toBeGreaterThan(1_700_000_000);
  });

  it('is version 0 without a package.json', async () => {
    expect(await readVersion(new URL('file:///nowhere/package.json'))).toBe('0.0.0');
    expect(await readOwnPackage('0.0.0', new URL('file:///nowhere/main.js'))).toEqual({ version: 0, timestamp: 0 });
  });
});

describe('the facts of this very host', () => {
  it('match the runtime, and the server accepts them', async () => {
    const exec = createExec({ path: '/usr/bin:/bin', signal: new AbortController().signal });
    const facts = await collectorFor(thisHost(exec, false))();
    expect(facts.hostname).toBe(hostname());
    expect(facts.system_version.kernel).toBe(release());
    const outward = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, address }) => !internal && !/^(169\.254|fe[89ab])/.test(address))
      .map(({ address }) => address);
    expect(outward.length === 0 ? [''] : outward).toContain(facts.ip);
    const { boot_time, started, ...registered } = facts;
    expect(AgentRegistration.parse({ node_id: 'n', ...facts })).toMatchObject(registered);
    expect(boot_time).toBeLessThan(Date.now() / 1000);
    expect(started).toBe(1_700_000_200);
    if (process.platform === 'linux') {
      expect(facts.env).not.toBe('unknown');
      expect(facts.system_version.libc).toMatch(/^(glibc|musl) \d/);
    }
  });
});
