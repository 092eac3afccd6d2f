// A host of its own on this machine: private mounts, name and network, with a real nginx and the built agent.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const END = '--- end of command';

/** A shell that runs commands one by one. */
class Shell {
  readonly child: ChildProcess;
  #output = '';
  #running = Promise.resolve('');

  constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout?.setEncoding('utf8');
  }

  /** Runs a command and returns its output; throws where it fails. */
  run(command: string): Promise<string> {
    const work = this.#running.then(() => this.#run(command));
    this.#running = work.catch(() => '');
    return work;
  }

  async #run(command: string): Promise<string> {
    this.#output = '';
    this.child.stdin?.write(`{ ${command}\n} 2>&1 </dev/null; echo "${END} $?"\n`);
    for (;;) {
      const [output, code] = this.#output.split(`${END} `);
      if (code?.includes('\n')) {
        if (code.trim() === '0') return output ?? '';
        throw new Error(`${command}: exit code ${code.trim()}\n${output}`);
      }
      const [part] = (await once(this.child.stdout as NodeJS.ReadableStream, 'data')) as [string];
      this.#output += part;
    }
  }
}

/** Folders of the machine that each host has a private copy of. */
const PRIVATE = ['/etc', '/var/lib', '/usr/lib/nginx', '/srv'];

/** Options of {@link RealHost.start}. */
export interface RealHostOptions {
  readonly name: string;
  /** Folder for the host's files. */
  readonly dir: string;
  /** Address of the server, and a token to enroll with. */
  readonly url: string;
  readonly token: string;
  /** Library that adds the seconds of /run/clock to the time; undefined = none. */
  readonly clock: string | undefined;
  /** Settings of the agent, with its files. */
  readonly settings: Readonly<Record<string, string>>;
}

export class RealHost {
  readonly name: string;
  readonly #outer: Shell;
  #inner!: Shell;

  private constructor(name: string, outer: Shell) {
    this.name = name;
    this.#outer = outer;
  }

  /** Starts a host without nginx. */
  static async start({ name, dir, url, token, clock, settings }: RealHostOptions): Promise<RealHost> {
    mkdirSync(dir, { recursive: true });
    const args = ['--mount', '--uts', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', 'sh'];
    const host = new RealHost(name, new Shell('unshare', args));
    const outer = host.#outer;
    for (const folder of PRIVATE) {
      const at = join(dir, folder);
      await outer.run(
        `mkdir -p ${at}/upper ${at}/work && mount -t overlay -o lowerdir=${folder},upperdir=${at}/upper,workdir=${at}/work overlay ${folder}`,
      );
    }
    await outer.run('mount -t tmpfs none /run && echo 0 > /run/clock && mount -t tmpfs none /var/log');
    await outer.run(`mkdir -p /var/log/nginx /var/spool/nginx && hostname ${name}`);
    const { pid } = outer.child;
    const shell = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const enter = ['--target', shell, '--mount', '--uts', '--pid', 'unshare', '--net', 'sh'];
    host.#inner = new Shell('nsenter', enter);
    const preload = clock === undefined ? '' : `export LD_PRELOAD=${clock};`;
    await host.run(`${preload} ip link set lo up`);
    const env = {
      ...settings,
      QUARTERDECK_URL: url,
      QUARTERDECK_ENROLL_TOKEN: token,
      QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
      QUARTERDECK_LOG_LEVEL: 'warn',
    };
    const variables = Object.entries(env).map(([key, value]) => `${key}='${value}'`);
    await outer.run(
      `${preload} ${variables.join(' ')} ${process.execPath} ${root}apps/agent/dist/main.js >${dir}/agent.log 2>&1 &`,
    );
    return host;
  }

  /** Runs a command in the host's own network, where its nginx runs. */
  run(command: string): Promise<string> {
    return this.#inner.run(command);
  }

  /** Replaces a file. */
  async write(path: string, text: string): Promise<void> {
    await this.run(`cat > ${path} <<'END_OF_FILE'\n${text}\nEND_OF_FILE`);
  }

  stop(): void {
    this.#inner?.child.kill('SIGKILL');
    this.#outer.child.kill('SIGKILL');
  }
}

/** Returns a reason for which this machine can run no such host, if there is one. */
export function missingForHosts(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  const modules = ['echo', 'lua'].map((name) => `/usr/lib/nginx/modules/ngx_http_${name}_module.so`);
  const programs = [
    ...modules,
    '/usr/sbin/nginx',
    '/usr/bin/unshare',
    '/usr/bin/nsenter',
    '/usr/bin/curl',
    '/usr/bin/openssl',
  ];
  const missing = programs.filter((program) => !existsSync(program));
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}`;
}
