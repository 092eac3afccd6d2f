// Profiles of config.toml, which the dashboard shares. Its other settings stay as they are.
import {
  changeConfig,
  changeProfiles,
  configPath,
  type Folders,
  type Profile,
  readConfigTable,
  readProfile,
} from '@quarterdeck/tui/profiles';
import type { Program } from '../command/program.ts';
import { CommandError } from '../process/command-error.ts';
import { say } from '../terminal/io.ts';

/** The profiles, and the name of the one to use. */
export interface Profiles {
  readonly used: string;
  readonly all: readonly Profile[];
}

type Table = Readonly<Record<string, unknown>>;

/** Reads the profiles. Those with an invalid name or address are left out. */
export const readProfiles = (folders: Folders): Profiles => profilesOf(readConfigTable(folders) ?? {});

const profilesOf = ({ profile, profiles }: Table): Profiles => ({
  used: typeof profile === 'string' ? profile : '',
  all: Object.entries((profiles ?? {}) as Table).flatMap(([name, table]) => readProfile(name, table) ?? []),
});

/** Writes the profiles, and leaves the rest of the file as it is. */
export async function writeProfiles(
  { folders, io }: Pick<Program, 'folders' | 'io'>,
  { used, all }: Profiles,
): Promise<void> {
  const written = changeConfig(folders, (table) => {
    const { profile: _used, profiles: _all, ...rest } = table;
    const profiles = changeProfiles((table['profiles'] ?? {}) as Table, profilesOf(table).all, all);
    return {
      ...rest,
      ...(used === '' ? {} : { profile: used }),
      ...(Object.keys(profiles).length === 0 ? {} : { profiles }),
    };
  });
  if (written === 'failed') throw new CommandError('refused', `${configPath(folders)} cannot be written.`);
  if (written === 'rewritten') {
    await say(io, `${configPath(folders)} was written without its comments; config.toml.old still has them.`);
  }
}
