// The overview as text or JSON, for a pipe, a file or a quick look.
import type { Config } from '../config.ts';
import { failureOf } from '../data/failure.ts';
import { overviewJson, overviewText, readOverview } from '../overview.ts';

/** Prints the overview. Resolves with the exit code. */
export async function printOverview(
  config: Config,
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): Promise<number> {
  if (config.token === undefined) {
    stderr.write('quarterdeck: the overview needs an API token. Set QUARTERDECK_TOKEN.\n');
    return 2;
  }
  try {
    const fetcher = config.demo ? (await import('../demo/demo-server.ts')).createDemo().fetch : undefined;
    const overview = await readOverview(config, fetcher);
    const text =
      config.mode === 'json'
        ? overviewJson(overview)
        : overviewText(overview, Date.now(), stdout.isTTY ? stdout.columns : 1_000);
    await new Promise<void>((resolve) => stdout.write(text, () => resolve()));
    return 0;
  } catch (error) {
    stderr.write(`quarterdeck: ${failureOf(error).message}\n`);
    return 1;
  }
}
