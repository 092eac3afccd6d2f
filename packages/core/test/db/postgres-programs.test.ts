import { spawnSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findPrograms, packagedFolder, serverAccount } from '../postgres-programs.ts';
import { createDirectory } from './databases.ts';

it('runs PostgreSQL from a project below a folder that only its owner may enter', async () => {
  const closed = join(await createDirectory(), 'closed');
  await mkdir(closed);
  const project = join(closed, 'project');
  await symlink(packagedFolder(), project);
  await chmod(closed, 0o700);
  const account = serverAccount();
  const { folder, remove } = await findPrograms(account, project);
  onTestFinished(remove);
  for (const program of ['initdb', 'postgres']) {
    const { status, stdout } = spawnSync(join(folder, 'bin', program), ['--version'], { ...account, encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toContain(`${program} (PostgreSQL)`);
  }
});
