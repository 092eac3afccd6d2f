// Writes an image as an archive that docker and podman load, with the same bytes each time: buildah records the id and
// the host name of the container in which it built.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { MTIME, sha256 } from './release-folder.ts';

/** The part of an entry of manifest.json that is read. */
interface Entry {
  readonly Config: string;
  readonly Layers: readonly string[];
}

interface ImageConfig {
  readonly config: object;
  readonly [field: string]: unknown;
}

/** Rewrites the archive `from` of buildah as `to`, compressed and with one name. Files are unpacked into `folder`. */
export function rewriteArchive(from: string, to: string, name: string, folder: string): void {
  extract({ file: from, cwd: folder, sync: true });
  rmSync(from);
  const [entry] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as readonly Entry[];
  if (entry === undefined) throw new Error(`${from} holds no image.`);
  const built = JSON.parse(readFileSync(join(folder, entry.Config), 'utf8')) as ImageConfig;
  const { container: _id, container_config: _building, ...rest } = built;
  const config = JSON.stringify({ ...rest, config: { ...rest.config, Hostname: '' } });
  const configFile = `${sha256(config)}.json`;
  writeFileSync(join(folder, configFile), config);
  const manifest = [{ Config: configFile, RepoTags: [name], Layers: entry.Layers }];
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const options = { cwd: folder, file: to, sync: true, portable: true, mtime: MTIME, gzip: { level: 9 } } as const;
  create(options, ['manifest.json', configFile, ...entry.Layers]);
}
