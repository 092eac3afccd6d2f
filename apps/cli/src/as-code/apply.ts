// Makes a server as the files of a folder say.
import { join } from 'node:path';
import { type Connection, connect } from '../account/connection.ts';
import type { Invocation, Values } from '../command/command.ts';
import type { Config } from '../command/config.ts';
import { usage } from '../process/command-error.ts';
import { askFirst } from '../run/change.ts';
import { say, shown, write } from '../terminal/io.ts';
import { APPLIED_FILE, AppliedFile } from './applied-file.ts';
import { carryOut } from './carry-out.ts';
import { NOUN_NAMES, type NounName, nounOf } from './nouns.ts';
import { planOf } from './plan.ts';
import { planSummary, planText } from './plan-text.ts';
import { type Entry, readFolder } from './read-folder.ts';
import { type ChannelNames, type Existing, readChannelNames, readExisting } from './read-server.ts';
import { SecretReader } from './secrets.ts';

/** The folder of a command. */
export function folderOf({ applyFolder }: Config, values: Values): string {
  const folder = (values['folder'] as string | undefined) ?? applyFolder;
  if (folder === undefined || folder === '') throw usage('Name the folder: -f DIR, or QUARTERDECK_APPLY.');
  return folder;
}

/** Refuses to go on; the message has all problems. */
function refuseAll(problems: readonly string[], secrets: SecretReader): void {
  if (problems.length === 0) return;
  const head =
    problems.length === 1 ? 'There is a mistake in the files' : `There are ${problems.length} mistakes in the files`;
  throw usage(secrets.hide([`${head}; nothing was changed.`, ...problems.map((line) => `  ${line}`)].join('\n')));
}

/** Names of the channels as they will be: entries with ids rename theirs. */
async function channelNames(connection: Connection, entries: readonly Entry[]): Promise<ChannelNames> {
  const names = new Map(await readChannelNames(connection));
  for (const { noun, id, name } of entries)
    if (noun === 'channels' && id !== undefined && names.has(id)) names.set(id, name);
  return names;
}

export async function runApply({ values, program }: Invocation): Promise<undefined> {
  const { io, config } = program;
  const folder = folderOf(config, values);
  const secrets = new SecretReader(config.variable);
  const { entries, problems } = await readFolder(folder, secrets);
  const applied = new AppliedFile((values['state'] as string | undefined) ?? join(folder, APPLIED_FILE));
  refuseAll(problems, secrets);
  const connection = connect(program, values);
  const isPruning = values['prune'] === true;
  const prunes = (noun: NounName): boolean => isPruning && applied.nouns.includes(noun);
  const used = NOUN_NAMES.filter(
    (noun) =>
      entries.some((entry) => entry.noun === noun) ||
      prunes(noun) ||
      // A channel is not deleted while others use it.
      (prunes('channels') && nounOf(noun).channelsField !== undefined),
  );
  const needsChannels = used.some((noun) => noun === 'channels' || nounOf(noun).channelsField !== undefined);
  const channels = needsChannels ? await channelNames(connection, entries) : new Map<number, string>();
  const existing = new Map<NounName, Existing[]>();
  for (const noun of used) existing.set(noun, await readExisting(connection, noun, channels));
  const plan = planOf({
    entries,
    existing,
    channels,
    isPruned: (noun, one) => isPruning && nounOf(noun).endpoints.remove !== undefined && applied.has(noun, one),
    sendsSecrets: values['secrets'] === true,
  });
  refuseAll(plan.problems, secrets);
  const { steps } = plan;
  if (steps.length === 0) return;
  await write(io.stdout, shown(io, planText(steps)));
  if (values['dry_run'] === true) return;
  await askFirst(io, `Apply to ${connection.target.profile.url}: ${planSummary(steps)}?`, values);
  await carryOut(steps, { io, connection, applied, channels, secrets });
  if (io.stderr.isTTY === true) await say(io, `Applied: ${steps.length} of ${steps.length} changes.`);
}
