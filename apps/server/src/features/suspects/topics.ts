// Sorts of failure by the words with which programs report them, and the changes that such failures follow from.
import type { AgentEventKind } from '@quarterdeck/core';

interface Topic {
  /** Words of an error. */
  readonly error: RegExp;
  /** Changes of these kinds are about the topic, and rarely cause another failure if `isOnly`. */
  readonly kinds: readonly AgentEventKind[];
  readonly isOnly?: boolean;
  /** Words in the name of a changed thing. */
  readonly name?: RegExp;
}

const TOPICS: readonly Topic[] = [
  {
    error: /ssl|\btls|x\.?509|certificate|handshake|\bpem\b|pkix|keystore|truststore/i,
    kinds: ['certificate'],
    isOnly: true,
    name: /ssl|\btls|certs?\b|certificates|\.(?:pem|crt|cer|key|p12|jks)$|letsencrypt|keystore|cacerts|\bpki\b|\bca\b/im,
  },
  {
    error:
      /resolv|host not found|unknown ?host|no such host|name or service not known|getaddrinfo|nxdomain|servfail|in name resolution|\bdns\b/i,
    kinds: ['dns'],
    isOnly: true,
    name: /resolv|\/hosts$|nsswitch|\bdns|unbound|\bbind9?\b|\bnamed\b/im,
  },
  {
    error: /no space left|enospc|dis[ck] (?:is )?full|quota exceeded|could not extend|out of inodes/i,
    kinds: ['disk'],
    isOnly: true,
  },
  {
    error:
      /not yet valid|not before|before issued|expired|\bclock\b|skew|in the future|timestamp|time ?zone|too old|\b(?:exp|nbf|iat)\b/i,
    kinds: ['clock', 'time_zone', 'certificate'],
    name: /chrony|\bntp|timesyncd|localtime|tzdata/im,
  },
  {
    error:
      /permission denied|eacces|eperm|not permitted|forbidden|access denied|unauthorized|authentication failed|not allowed/i,
    kinds: [],
    name: /passw|\bauth|\bacl|allow|deny|hba|sudoers|selinux|apparmor|polic[iy]/im,
  },
  {
    error:
      /\.so\b|shared object|undefined symbol|dlopen|symbol lookup|glibc|nosuchmethod|noclassdef|classnotfound|abstractmethoderror|modulenotfound|importerror|cannot find (?:module|package)|module '?"?[\w.-]+'?"? (?:not found|is not)/i,
    kinds: ['package', 'program', 'container'],
    name: /modules?\b|\blib|plugin|extension/im,
  },
  {
    error: /address (?:is )?already in use|eaddrinuse/i,
    kinds: ['program', 'unit', 'container'],
    name: /listen|\.socket\b/im,
  },
  {
    error:
      /connection (?:refused|reset|timed out)|econn|timed? ?out|unreachable|no route|upstream|backend|assign requested address|no live/i,
    kinds: ['unit', 'container'],
    name: /upstream|backend|prox|haproxy|pool|network|firewall|iptables|nftables|sysctl|routes?\b|timeout/im,
  },
  {
    error:
      /too many|not enough|emfile|enfile|too (?:large|big)|exceeded|exhausted|out of memory|cannot allocate|limit/i,
    kinds: [],
    name: /limit|sysctl|tuning|pool|quota|memory/im,
  },
];

export const topicsOfError = (text: string): number[] =>
  TOPICS.flatMap(({ error }, topic) => (error.test(text) ? [topic] : []));

/** The numbers of the topics of a change, by its kind and its text; `isOnly` where it rarely causes other failures. */
export function topicsOfChange(kind: AgentEventKind, text: string) {
  const topics = TOPICS.flatMap(({ kinds, name }, topic) =>
    kinds.includes(kind) || name?.test(text) === true ? [topic] : [],
  );
  return { topics, isOnly: TOPICS.some(({ kinds, isOnly }) => isOnly === true && kinds.includes(kind)) };
}
