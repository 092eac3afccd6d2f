// Gets the offered version, starts its trial and accepts it, in a process that a test kills.
import { pino } from 'pino';
import { chooseProgram } from '../../src/upgrade/hand-over.ts';
import { readPublicKey } from '../../src/upgrade/minisign.ts';
import { programFolderIn } from '../../src/upgrade/program-folder.ts';
import { openTrial } from '../../src/upgrade/trial.ts';
import { createUpgrader } from '../../src/upgrade/upgrader.ts';

const [agentDir = '', url = '', key = ''] = process.argv.slice(2);
const folder = programFolderIn(agentDir);
const installed = { path: '/usr/bin/quarterdeck-agent', version: '0.1.0' };
const say = () => undefined;

const choose = async () => (await chooseProgram({ folder, installed, say }))?.version;
let downloaded = await choose();
if (downloaded === undefined) {
  const settings = { url, keys: [readPublicKey(key)], allowOlder: false };
  const upgrader = createUpgrader({ settings, folder, installed, version: installed.version, arch: 'x64' });
  const { signal } = new AbortController();
  await upgrader.stage(await upgrader.check(signal), { signal });
  downloaded = await choose();
}
const launch = { installed, downloaded };
const log = pino({ level: 'silent' });
await (await openTrial({ folder, launch, reportWithinMs: 60_000, log, restart: say }))?.accept();
process.exit();
