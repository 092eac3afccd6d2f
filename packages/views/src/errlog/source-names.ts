// Names of the sources of error logs, such as `web-1 nginx`. Pure.
import type { ErrlogEntry, ErrlogFacets } from '@quarterdeck/sdk';
import { plural } from '../text/format.ts';

/** Returns the name of an entry's source without its service: its host. */
export function hostName({ source = '', host = '', src }: Pick<ErrlogEntry, 'source' | 'host' | 'src'>): string {
  if (source === '') return host === '' ? unnamedSource(src) : host;
  // A name that does not tell the host, such as a port.
  return host === '' || source.includes(host) ? source : `${host} ${source}`;
}

/** Returns the name of a source of which only the id is known; 0 is the server itself. */
export const unnamedSource = (src: number): string => (src === 0 ? 'this server' : `#${src}`);

/** Returns the name of an entry's source with its service: `web-1 nginx`, `gw1 nginx (agent 12)`. */
export function sourceName(entry: Pick<ErrlogEntry, 'source' | 'host' | 'src' | 'service'>): string {
  const { service = '' } = entry;
  const host = hostName(entry);
  const [name = '', remark] = host.split(/ (?=\()/);
  const isNamed = service === '' || name === service || name.endsWith(` ${service}`);
  return [name, ...(isNamed ? [] : [service]), ...(remark === undefined ? [] : [remark])].join(' ');
}

/** Returns the sources of an entry in words: their number, or the name of the only one. */
export const sourcesText = (entry: ErrlogEntry, name = sourceName(entry)): string =>
  entry.sources === undefined || entry.sources < 2 ? name : plural(entry.sources, 'source');

/** A source whose name may be that of another one. */
export interface NamedSource {
  readonly src: number;
  readonly name: string;
  readonly address?: string;
  readonly agent_id?: number;
  readonly node_id?: number | null | undefined;
}

/** Properties that tell sources of one name apart, the most specific first. */
const REMARKS: readonly ((source: NamedSource) => string)[] = [
  ({ address = '' }) => address,
  ({ agent_id: agent = 0 }) => (agent === 0 ? '' : `agent ${agent}`),
  ({ node_id: node }) => (node === undefined || node === null ? '' : `node ${node}`),
];

const byId = ({ src }: NamedSource): string => `#${src}`;

/** Returns names by id that no two sources share: `api (10.0.0.7)`. */
export function distinctNames(sources: readonly NamedSource[]): ReadonlyMap<number, string> {
  const unique = new Map(sources.map((source) => [source.src, source]));
  return new Map(
    [...Map.groupBy(unique.values(), ({ name }) => name).values()].flatMap((same): (readonly [number, string])[] => {
      if (same.length === 1) return same.map(({ src, name }) => [src, name]);
      const remark = REMARKS.find((of) => {
        const remarks = new Set(same.map(of));
        return remarks.size === same.length && !remarks.has('');
      });
      return same.map((source) => [source.src, `${source.name} (${(remark ?? byId)(source)})`]);
    }),
  );
}

/** Returns the names of the sources of facets, by id. */
export const facetNames = (sources: ErrlogFacets['sources']): ReadonlyMap<number, string> =>
  distinctNames(sources.map((source) => ({ ...source, name: hostName({ ...source, source: source.name }) })));
