// Watches the name servers, search domains and options of the resolver.
import { join } from 'node:path';
import { filesBelow } from '../facts/files.ts';
import { cleanValue, compare } from '../observe/compare.ts';
import type { Watcher } from '../observe/watcher.ts';
import { statusOf } from './file-stamp.ts';

const RESOLV_CONF = '/etc/resolv.conf';

/** Parses a resolv.conf(5). The last of several lists of domains counts, as for the resolver. */
export function parseResolvConf(text: string): Record<string, string> {
  const servers: string[] = [];
  const options: string[] = [];
  let search = '';
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line.trim().split(/\s+/);
    if (keyword === 'nameserver') servers.push(words[0] ?? '');
    else if (keyword === 'options') options.push(...words);
    else if (keyword === 'search' || keyword === 'domain') search = words.join(' ');
  }
  return {
    'name servers': cleanValue(servers.join(' ')),
    'search domains': cleanValue(search),
    'resolver options': cleanValue(options.join(' ')),
  };
}

/** Creates the watcher of the resolver. `root` is the root of the host's files. */
export function dnsWatcher(root = '/'): Watcher {
  const files = filesBelow(root);
  return {
    name: 'dns',
    everyS: 30,
    async look(before) {
      const observed = parseResolvConf(await files.text(RESOLV_CONF));
      const changedMs = (await statusOf(join(root, RESOLV_CONF)))?.ctimeMs;
      return { observed, changes: compare(before, observed, { kind: 'dns', plural: 'dns', timeOf: () => changedMs }) };
    },
  };
}
