// The overview as text or JSON, for a pipe, a file or a quick look.

import { failureOf } from '@quarterdeck/views/failures';
import { clean, setZone } from '@quarterdeck/views/text';
import { defaultFolders } from '../profiles/files.ts';
import { loadSettings } from '../settings/files.ts';
import { DEFAULTS, drawsAscii } from '../settings/settings.ts';
import type { Config } from '../start/config.ts';
import { credentialOf, firstProfile } from '../start/first-profile.ts';
import { ascii } from '../text/ascii.ts';
import { overviewJson, overviewText, readOverview } from './overview.ts';

/** Prints the overview. Resolves with the exit code. */
export async function printOverview(
  config: Config,
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): Promise<number> {
  const { settings, problems } = config.demo ? { settings: DEFAULTS, problems: [] } : loadSettings(defaultFolders());
  for (const problem of problems) stderr.write(`quarterdeck: ${clean(problem)}\n`);
  setZone(settings.zone);
  const profile = firstProfile(config, settings);
  const credential = credentialOf(profile, config);
  if (credential.apiToken === undefined && credential.sessionToken === undefined) {
    stderr.write('quarterdeck: the overview needs a credential. Run quarterdeck login, or set QUARTERDECK_TOKEN.\n');
    return 2;
  }
  try {
    const fetcher = config.demo ? (await import('../demo/demo-server.ts')).createDemo().fetch : undefined;
    const overview = await readOverview({ profile, ...credential }, fetcher);
    const draw = drawsAscii(settings, config) ? ascii : String;
    const text =
      config.mode === 'json'
        ? overviewJson(overview)
        : draw(overviewText(overview, Date.now(), stdout.isTTY ? stdout.columns : 1_000));
    await new Promise<void>((resolve) => stdout.write(text, () => resolve()));
    return 0;
  } catch (error) {
    stderr.write(`quarterdeck: ${failureOf(error).message}\n`);
    return 1;
  }
}
