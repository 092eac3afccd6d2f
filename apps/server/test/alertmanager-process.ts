// An Alertmanager for a test, which ends with the test.
import { freePort } from '../../../test/free-port.ts';
import { startProxyProgram } from './proxy-process.ts';

/** An alert as Alertmanager reports it. */
interface ReportedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
  readonly status: { readonly state: string };
}

export interface Alertmanager extends AsyncDisposable {
  readonly url: string;
  /** The alerts that fire now. */
  alerts(): Promise<readonly ReportedAlert[]>;
}

const CONFIG = 'route: { receiver: none, group_wait: 0s }\nreceivers: [{ name: none }]\n';

/**
 * Starts `program`, which is Debian's prometheus-alertmanager.
 *
 * @param files files by name in the folder that it gets; by default a configuration whose receiver does nothing
 */
export async function startAlertmanager(
  program: string,
  files: (dir: string) => Readonly<Record<string, string>> = () => ({ 'alertmanager.yml': CONFIG }),
): Promise<Alertmanager> {
  const port = await freePort();
  const running = await startProxyProgram({
    program,
    port,
    files,
    args: (dir) => [
      `--config.file=${dir}/alertmanager.yml`,
      `--storage.path=${dir}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async alerts() {
      const answer = await fetch(`${url}/api/v2/alerts`);
      return (await answer.json()) as ReportedAlert[];
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
