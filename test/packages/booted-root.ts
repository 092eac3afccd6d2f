// A Debian root with systemd as process 1, in namespaces of its own: the units run as they do on a host. It shares the
// network of the test.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needPrograms, needRoot, Skip } from './check.ts';
import { type Run, runHere, succeed, waitFor } from './installation.ts';

/** A running root. Its disposal ends it and removes its files. */
export interface BootedRoot extends AsyncDisposable {
  /** Folder of the root on this machine. */
  readonly folder: string;
  /** Runs a program in it. */
  readonly run: Run;
}

/** Packages beside the essential ones. Without usr-is-merged the root gets Perl. */
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'usr-is-merged', 'ca-certificates'];
/** Control groups that systemd gets a part of: on a host with both versions, and on one with the new version alone. */
const HIERARCHIES = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Mounts what a root needs, and becomes its process 1. The arguments: folder, control group. */
const BOOT = `
  root=$1
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  for name in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$name"; done
  chmod 1777 "$root/tmp"
  for name in null zero full random urandom tty; do
    touch "$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
  done
  ln -s /proc/self/fd "$root/dev/fd"
  # Units with PrivateDevices= copy these.
  mkdir "$root/dev/shm" "$root/dev/pts" "$root/outside"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  cd "$root"
  pivot_root . outside
  umount -l /outside
  # systemd passes credentials to units through mounts that spread.
  mount --make-rshared /
  exec env -i container=test PATH=${PATH} /sbin/init systemd.unit=multi-user.target
`;

/** Waits for the end of the boot. Before the folder `outside` is there, it would ask the systemd of this machine. */
const IS_UP = '[ -d /outside ] && [ "$(cat /proc/1/comm)" = systemd ] && systemctl is-system-running --wait';

/** Archives of roots by their packages: a root takes a minute to make, and several tests of a run need the same. */
const archives = new Map<string, string>();
process.once('exit', () => {
  for (const file of archives.values()) rmSync(file, { force: true });
});

function makeRoot(folder: string, packages: readonly string[]): void {
  const include = [...PACKAGES, ...packages].join(',');
  const archive = archives.get(include) ?? join(tmpdir(), `quarterdeck-root-${process.pid}-${archives.size}.tar`);
  if (!archives.has(include)) {
    archives.set(include, archive);
    succeed(runHere, ['mmdebstrap', '--quiet', '--variant=minbase', `--include=${include}`, 'bookworm', archive]);
  }
  mkdirSync(folder);
  succeed(runHere, ['tar', '--extract', '--numeric-owner', '--xattrs', '--file', archive, '--directory', folder]);
}

/** Makes a control group for the root; skips the test where that is not allowed. */
function makeControlGroup(name: string): string {
  const hierarchy = HIERARCHIES.find((folder) => existsSync(join(folder, 'cgroup.procs')));
  if (hierarchy === undefined) throw new Skip('this machine has no control groups of version 2');
  try {
    const group = join(hierarchy, name);
    mkdirSync(group);
    return group;
  } catch (error) {
    throw new Skip(`no control group can be made (${(error as NodeJS.ErrnoException).code})`);
  }
}

function startInit(folder: string, group: string): ChildProcess {
  const unshare = 'unshare --fork --pid --mount --uts --ipc --cgroup --kill-child sh -euc';
  const script = `echo $$ > "$2/cgroup.procs"; exec ${unshare} "$3" sh "$1"`;
  return spawn('sh', ['-euc', script, 'sh', folder, group, BOOT], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The process 1 of the root, as this machine numbers it. */
const initOf = ({ pid }: ChildProcess): string | undefined =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0] || undefined;

/** Makes a root with more packages and boots it. Skips the test where this machine cannot. */
export async function bootRoot(packages: readonly string[] = []): Promise<BootedRoot> {
  needRoot();
  needPrograms('mmdebstrap', 'unshare', 'nsenter');
  const group = makeControlGroup(`quarterdeck-test-${process.pid}`);
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-root-'));
  const folder = join(base, 'root');
  let init: ChildProcess | undefined;
  const stop = async () => {
    if (init?.exitCode === null) {
      const ended = new Promise((resolve) => init?.once('exit', resolve));
      init.kill('SIGKILL');
      await ended;
    }
    // The kernel takes a moment to end the processes of the namespace.
    await waitFor(
      () => removeGroups(group),
      () => `the control group ${group} is still in use`,
    );
    rmSync(base, { recursive: true, force: true });
  };
  try {
    makeRoot(folder, packages);
    init = startInit(folder, group);
    const pid = await waitFor(
      () => init && initOf(init),
      () => 'the namespaces do not start',
    );
    const enter = ['nsenter', '-t', pid, '-m', '-u', '-i', '-p', '-C', 'env', '-i', `PATH=${PATH}`, 'HOME=/root'];
    const run: Run = (argv, input) => runHere([...enter, ...argv], input);
    const isUp = () => {
      if (init?.exitCode !== null) throw new Error(`the root ended with ${init?.exitCode}`);
      return /^(running|degraded)$/m.test(run(['sh', '-c', IS_UP]).stdout);
    };
    await waitFor(isUp, () => `systemd does not boot:\n${run(['systemctl', 'list-jobs']).stdout}`);
    return { folder, run, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Removes a control group with those that systemd made in it, the inner ones first; false while one has a process. */
function removeGroups(group: string): boolean {
  const { stdout } = spawnSync('find', [group, '-depth', '-type', 'd'], { encoding: 'utf8' });
  try {
    for (const folder of stdout.split('\n').filter(Boolean)) rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
