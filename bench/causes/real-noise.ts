// Harmless changes beside an incident.
import type { RealHost } from './real-host.ts';
import { packageVersion } from './real-kinds.ts';
import { CONF } from './real-site.ts';

/** A harmless change. `version` is a number that no other change has. */
export interface Noise {
  readonly name: string;
  make(host: RealHost, version: number): Promise<unknown>;
}

export const NOISE: readonly Noise[] = [
  {
    name: 'a note in a file of nginx',
    make: (host, version) => host.run(`echo '# revision ${version}' > ${CONF}/conf.d/revision.conf`),
  },
  {
    name: 'a note in a file of the kernel',
    make: (host, version) => host.run(`echo '# revision ${version}' > /etc/sysctl.d/10-revision.conf`),
  },
  {
    name: 'a package',
    make: (host, version) => host.run(packageVersion('tzdata', `2026a-${version}`)),
  },
  {
    name: 'a page',
    make: (host, version) => host.run(`echo 'page ${version}' > /srv/www/pages/news.txt`),
  },
];
