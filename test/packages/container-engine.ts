// Podman and buildah with a store of their own, also inside of a container: no daemon, no systemd, no control groups.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, runHere, succeed } from './installation.ts';

export interface Container {
  readonly name: string;
  /** Runs a program in it. */
  readonly exec: Run;
  /** Standard output and standard error since its first start. */
  log(): string;
}

export interface ContainerOptions {
  /** A named volume for /data. */
  readonly volume: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** An engine that stores everything below one folder. */
export interface Engine {
  /** Variables with which podman and buildah find the store. */
  readonly env: NodeJS.ProcessEnv;
  readonly podman: Run;
  /** Starts a container with a read-only root, no capabilities and the network of this machine. */
  run(name: string, image: string, options: ContainerOptions): Container;
  /** Removes all containers, volumes and images. */
  close(): void;
}

const CONTAINERS = `[containers]
default_ulimits = []
cgroups = "disabled"
[engine]
runtime = "crun"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

const storage = (folder: string): string => `[storage]
driver = "vfs"
graphroot = "${join(folder, 'graph')}"
runroot = "${join(folder, 'run')}"
`;

// crun looks at a hierarchy of control groups that a container cannot write.
const WITHOUT_CONTROL_GROUPS = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec podman "$@"';

const isMessageOfPodman = (line: string): boolean => line.includes('systemd connection');

/** Prepares an engine below a folder. */
export function openEngine(folder: string): Engine {
  mkdirSync(folder);
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const env = {
    ...process.env,
    CONTAINERS_CONF: file('containers.conf', CONTAINERS),
    CONTAINERS_STORAGE_CONF: file('storage.conf', storage(folder)),
  };
  const podman: Run = (args, input) => {
    const argv = ['unshare', '--mount', 'sh', '-c', WITHOUT_CONTROL_GROUPS, 'podman', ...args];
    const { stderr, ...rest } = runHere(argv, input, { env });
    // Health checks by a timer need systemd; the test runs them itself.
    return { ...rest, stderr: stderr.replaceAll(/^.*\n/gm, (line) => (isMessageOfPodman(line) ? '' : line)) };
  };
  const run: Engine['run'] = (name, image, { volume, variables }) => {
    const log = join(folder, `${name}.log`);
    succeed(podman, [
      ...['run', '--detach', '--name', name, '--network=host', '--cgroups=disabled'],
      ...['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--security-opt=no-new-privileges'],
      ...['--log-driver=k8s-file', `--log-opt=path=${log}`, '--volume', `${volume}:/data`],
      ...Object.entries(variables).map(([key, value]) => `--env=${key}=${value}`),
      image,
    ]);
    return {
      name,
      exec: (argv, input) => podman(['exec', ...(input === undefined ? [] : ['--interactive']), name, ...argv], input),
      // Each line begins with its time, its stream and a mark of its end.
      log: () => readFileSync(log, 'utf8').replaceAll(/^\S+ std(out|err) [FP] /gm, ''),
    };
  };
  return {
    env,
    podman,
    run,
    close: () => {
      succeed(podman, ['rm', '--all', '--force', '--time', '0']);
      succeed(podman, ['volume', 'rm', '--all']);
      succeed(podman, ['rmi', '--all', '--force']);
    },
  };
}
