// The incidents that happen to real gateways: each breaks a host as a person or a tool does, and repairs it.
import type { RealHost } from './real-host.ts';
import {
  BECOME_HEALTHY,
  CONF,
  ECHO,
  locationFile,
  luaFile,
  RELOAD,
  RESTART,
  restore,
  upstreamFile,
} from './real-site.ts';

/** Kind and field that name a cause; an empty field stands for any. */
export interface CauseName {
  readonly kind: string;
  readonly field: string;
}

/** A kind of incident. */
export interface RealKind {
  readonly name: string;
  break(host: RealHost): Promise<unknown>;
  repair(host: RealHost): Promise<unknown>;
  /** The error that follows. */
  readonly error: RegExp;
  /** Names of the cause; none = no change that an agent sees. */
  readonly names: readonly CauseName[];
  /** Seconds from the error until the agents have reported for certain. */
  readonly settledS: number;
  /** Happens to all hosts of the fleet. */
  readonly isEverywhere?: boolean;
  /** The change is reported from outside, as a deployment. */
  readonly isRelease?: boolean;
}

/** The longest intervals of the watchers, with the report. */
const SETTLED_S = { config: 28, others: 42, timeZone: 75 };
const SYSCTL = '/etc/sysctl.d/90-no-ipv6.conf';
const site = `${CONF}/conf.d/site.conf`;
const main = `${CONF}/nginx.conf`;

interface Change {
  readonly files: readonly string[];
  readonly command: string;
  /** Puts the change into effect. */
  readonly apply?: string;
  /** Repairs what the files are not. */
  readonly undo?: string;
}

const kind = (
  name: string,
  { files, command, apply = RELOAD, undo = 'true' }: Change,
  error: RegExp,
  more: Partial<RealKind> = {},
): RealKind => ({
  name,
  break: (host) => host.run(`${command}; ${apply}`),
  repair: (host) => host.run(`${undo}; ${restore(files) || 'true'}; ${BECOME_HEALTHY}`),
  error,
  names: files.slice(0, 1).map((field) => ({ kind: 'config', field })),
  settledS: SETTLED_S.config,
  ...more,
});

const edit = (file: string, pattern: string): Change => ({ files: [file], command: `sed -i '${pattern}' ${file}` });
/** A change of a file to the content of another one. */
const replace = (file: string, by: string): Change => ({ files: [file], command: `cp ${CONF}/ssl/${by} ${file}` });
/** A change beside the host's configuration. */
const beside = (command: string, undo: string): Change => ({ files: [], command, apply: 'true', undo });
const programs = (path: string) => `curl -sf -m 5 http://127.0.0.1:9003/${path}`;

const BACKEND = `${CONF}/ssl/backend.pem`;
const certificate = {
  names: [
    { kind: 'config', field: BACKEND },
    { kind: 'certificate', field: BACKEND },
  ],
};

export const KINDS: readonly RealKind[] = [
  kind(
    'a broken include',
    { files: [`${CONF}/conf.d/tuning.conf`], command: `echo 'proxy_buffer 8k;' > ${CONF}/conf.d/tuning.conf` },
    /unknown directive "proxy_buffer"/,
  ),
  kind('an expired certificate', replace(BACKEND, 'expired.pem'), /certificate verify error: \(10:/, certificate),
  kind('a certificate of another name', replace(BACKEND, 'wrong-name.pem'), /certificate does not match/, certificate),
  kind(
    'a wrong authority',
    replace(`${CONF}/ssl/ca.pem`, 'other-ca.pem'),
    /certificate verify error: \((?:2|3|7|18|19|20|21|27):/,
  ),
  kind(
    'a key of another certificate',
    replace(`${CONF}/ssl/backend.key`, 'other.key'),
    /key values mismatch|SSL_CTX_use_PrivateKey/,
  ),
  kind(
    'an upstream removed',
    edit(upstreamFile('reports'), 's/reports { server 127.0.0.1:9001/reports { server 127.0.0.1:9009/'),
    /failed \(111: .*:9009/,
  ),
  kind(
    'a wrong upstream port',
    edit(upstreamFile('app'), 's/app { server 127.0.0.1:9001/app { server 127.0.0.1:9010/'),
    /failed \(111: .*:9010/,
  ),
  kind(
    'a wrong upstream address',
    edit(upstreamFile('app'), 's/app { server 127.0.0.1/app { server 10.9.9.9/'),
    /connect\(\) .*failed \(101: /,
  ),
  kind(
    'a wrong upstream name',
    edit(upstreamFile('search'), 's/search { server backend.internal/search { server missing.internal/'),
    /host not found in upstream "missing.internal/,
  ),
  kind(
    'an upstream group misspelled',
    edit(locationFile('reports'), 's#http://reports#http://report#'),
    /host not found in upstream "report"|no resolver defined|could not be resolved|connect\(\) failed \(111: .*:80\//,
  ),
  kind(
    'plain HTTP for TLS',
    edit(locationFile('tls'), 's#https://127.0.0.1:9443#https://127.0.0.1:9001#'),
    /SSL_do_handshake\(\) failed .*wrong version/,
  ),
  kind(
    'a TLS version that is not offered',
    edit(locationFile('tls'), 's/proxy_ssl_protocols TLSv1.2 TLSv1.3/proxy_ssl_protocols TLSv1.3/'),
    /SSL_do_handshake\(\) failed .*(?:alert|protocol)/,
  ),
  kind(
    'too few connections',
    edit(main, 's/worker_connections 64/worker_connections 8/'),
    /worker_connections are not enough/,
  ),
  kind(
    'too few open files',
    edit(main, 's/^worker_processes 1;/worker_processes 1; worker_rlimit_nofile 12;/'),
    /failed \(24: /,
  ),
  kind(
    'a body limit',
    edit(site, 's/client_max_body_size 9m/client_max_body_size 1k/'),
    /client intended to send too large body/,
  ),
  kind(
    'a header buffer',
    edit(locationFile('headers'), 's/proxy_buffer_size 8k/proxy_buffer_size 1k/'),
    /upstream sent too big header/,
  ),
  kind(
    'a read timeout',
    edit(locationFile('slow'), 's/proxy_read_timeout 5s/proxy_read_timeout 200ms/'),
    /upstream timed out \(110: .*slow/,
  ),
  kind('a limit of requests', edit(locationFile('limited'), 's/burst=60 nodelay//'), /limiting requests/),
  kind('a limit of connections', edit(locationFile('few'), 's/connections 50/connections 1/'), /limiting connections/),
  kind(
    'a resolver that is gone',
    edit(`${CONF}/conf.d/limits.conf`, 's/resolver 127.0.0.1/resolver 127.0.0.9/'),
    /could not be resolved|while resolving/,
  ),
  kind(
    'an access rule',
    edit(locationFile('open'), 's/allow all;/deny 127.0.0.0\\/8;/'),
    /access forbidden by rule.*open/,
  ),
  kind(
    'a login service that fails',
    edit(locationFile('session'), 's/internal; return 204/internal; return 500/'),
    /auth request unexpected status/,
  ),
  kind(
    'a rewrite loop',
    edit(locationFile('moved'), 's#/moved { return.*#/moved { rewrite ^ /moved last; }#'),
    /rewrite or internal redirection cycle/,
  ),
  kind(
    'a wrong index page',
    edit(locationFile('index'), 's/index index.txt/index index.html/'),
    /directory index of .* is forbidden/,
  ),
  kind(
    'permissions of the passwords',
    { files: [`${CONF}/htpasswd`], command: `chmod 600 ${CONF}/htpasswd`, apply: 'true' },
    /htpasswd" failed \(13: /,
  ),
  kind(
    'the passwords deleted',
    { files: [`${CONF}/htpasswd`], command: `rm ${CONF}/htpasswd`, apply: 'true' },
    /htpasswd" failed \(2: /,
  ),
  kind(
    'permissions of the pages',
    { files: ['/srv/www/open'], command: 'chmod 700 /srv/www/open', apply: 'true' },
    /"\/srv\/www\/open\/index.txt.* \(13: /,
  ),
  kind(
    'a page deleted',
    { files: ['/srv/www/checked/index.txt'], command: 'rm /srv/www/checked/index.txt', apply: 'true' },
    /"\/srv\/www\/checked\/index.txt" failed \(2: /,
  ),
  kind(
    'a link to nowhere',
    {
      files: ['/srv/www/current'],
      command: 'ln -sfn nowhere /srv/www/current',
      apply: 'true',
      undo: 'rm /srv/www/current',
    },
    /"\/srv\/www\/current\/index.txt" failed \(2: /,
  ),
  kind(
    'a module that is missing',
    {
      files: [`${CONF}/modules-enabled/99-extra.conf`],
      command: `echo 'load_module modules/ngx_extra.so;' > ${CONF}/modules-enabled/99-extra.conf`,
      // A service manager starts it again.
      apply: `${RESTART}; for i in 1 2 3; do sleep 1; /usr/sbin/nginx -e /run/error.log || true; done`,
    },
    /dlopen\(\) .*ngx_extra/,
  ),
  kind(
    'a Lua module that fails',
    edit(luaFile('shop/prices'), 's/count \\* 3/count.price * 3/'),
    /shop\/prices.lua:1: attempt to index/,
  ),
  kind(
    'a Lua module renamed',
    {
      files: [luaFile('shop/prices')],
      command: `mv ${luaFile('shop/prices')} ${luaFile('shop/costs')}`,
      undo: `rm -f ${luaFile('shop/costs')}`,
    },
    /module 'shop.prices' not found/,
    { names: ['shop/prices', 'shop/costs'].map((name) => ({ kind: 'config', field: luaFile(name) })) },
  ),
  kind(
    'workers that crash in a loop',
    {
      files: [luaFile('worker')],
      // The pause keeps the loop from taking a whole processor.
      command: `echo "os.execute('sleep 2') require('ffi').cdef('int raise(int);') require('ffi').C.raise(9)" > ${luaFile('worker')}`,
    },
    /worker process \d+ exited on signal 9/,
  ),
  kind(
    'a restart loop',
    {
      files: [`${CONF}/conf.d/zones.conf`],
      command: `echo 'limit_conn_zone $host zone=requests:1m;' > ${CONF}/conf.d/zones.conf`,
      // A service manager starts it again and again.
      apply: `${RESTART}; touch /run/starting; (while [ -e /run/starting ]; do sleep 2; /usr/sbin/nginx -e /run/error.log; done) >/dev/null 2>&1 &`,
      undo: 'rm -f /run/starting; sleep 2',
    },
    /zone "requests" is already|the size 1048576 of shared memory zone "requests" conflicts|limit_\w+ "requests" is already/,
  ),
  kind(
    'an upstream that does not answer',
    edit(upstreamFile('far'), 's/far { server 127.0.0.1:9001/far { server 127.0.0.1:9004/'),
    /upstream timed out \(110: .*while connecting to upstream/,
  ),
  kind(
    'a kernel parameter',
    {
      files: [SYSCTL],
      command: `echo 'net.ipv6.conf.all.disable_ipv6 = 1' > ${SYSCTL}; sysctl -q -p ${SYSCTL}`,
      apply: 'true',
      undo: 'sysctl -q -w net.ipv6.conf.all.disable_ipv6=0; ip -6 addr add ::1/128 dev lo || true',
    },
    /connect\(\) to \[::1\]:9001 failed \(99: /,
  ),
  kind(
    'a library upgraded',
    {
      files: [ECHO],
      command: `${packageVersion('libnginx-mod-http-echo', '1:9.0-1')}; echo broken > /run/echo.so; cp /run/echo.so ${ECHO}.new && mv ${ECHO}.new ${ECHO}`,
      apply: RESTART,
      undo: packageVersion('libnginx-mod-http-echo', '1:1.0-1'),
    },
    /dlopen\(\) .*ngx_http_echo_module/,
    { names: [{ kind: 'package', field: 'libnginx-mod-http-echo' }], settledS: SETTLED_S.others },
  ),
  kind(
    'name servers changed',
    { files: ['/etc/resolv.conf'], command: "echo 'nameserver 127.0.0.9' > /etc/resolv.conf" },
    /host not found in upstream "backend.internal/,
    { names: [{ kind: 'dns', field: '' }], settledS: SETTLED_S.others },
  ),
  kind(
    'a full disk',
    beside('dd if=/dev/zero of=/var/spool/nginx/core bs=1k count=16000 || true', 'rm -f /var/spool/nginx/core'),
    /\(28: No space left/,
    { names: [{ kind: 'disk', field: '/var/spool/nginx' }], settledS: SETTLED_S.others },
  ),
  kind('a clock step', beside('echo 50000 > /run/clock', 'echo 0 > /run/clock'), /certificate verify error: \(12:/, {
    names: [{ kind: 'clock', field: '' }],
  }),
  kind(
    'a time zone',
    {
      files: ['/etc/localtime'],
      command: 'ln -sfn /usr/share/zoneinfo/Asia/Tokyo /etc/localtime',
      apply: RESTART,
      undo: 'rm /etc/localtime; kill -QUIT $(cat /run/nginx.pid); sleep 2',
    },
    /access forbidden by rule.*office/,
    { names: [{ kind: 'time_zone', field: '' }], settledS: SETTLED_S.timeZone },
  ),
  kind(
    'a release deployed',
    beside('mkdir -p /srv/release/2 && ln -sfn 2/ /srv/release/current', 'ln -sfn 1/ /srv/release/current'),
    /"\/srv\/release\/current\/?index.txt" failed \(2: /,
    { names: [{ kind: 'change', field: 'deploy' }], isRelease: true },
  ),
  kind(
    'two changes at once',
    {
      files: [upstreamFile('reports'), `${CONF}/conf.d/notes.conf`],
      command: `sed -i 's/reports { server 127.0.0.1:9001/reports { server 127.0.0.1:9011/' ${upstreamFile('reports')}; echo '# moved' > ${CONF}/conf.d/notes.conf`,
    },
    /failed \(111: .*:9011/,
  ),
  kind(
    'a change on all hosts',
    edit(upstreamFile('app'), 's/app { server 127.0.0.1:9001/app { server 127.0.0.1:9012/'),
    /failed \(111: .*:9012/,
    {
      isEverywhere: true,
    },
  ),
  // No agent sees the reason of these.
  kind('no change: a backend stops', beside(programs('9002/off'), programs('9002/on')), /failed \(111: .*:9002/),
  kind('no change: a bot looks for pages', beside('touch /run/bot', 'rm -f /run/bot'), /wp-login" failed \(2: /),
  kind(
    'unseen: a folder that is immutable',
    beside(
      'rm -f /var/spool/nginx/upload/page; chattr +i /var/spool/nginx/upload',
      'chattr -i /var/spool/nginx/upload',
    ),
    /\/var\/spool\/nginx\/upload\/page" failed \(1: |failed \(1: Operation not permitted/,
  ),
  kind(
    'unseen: a port taken',
    beside(
      `kill -QUIT $(cat /run/nginx.pid); sleep 2; ${programs('8080/on')}; /usr/sbin/nginx -e /run/error.log || true`,
      programs('8080/off'),
    ),
    /bind\(\) to .*:8080 failed \(98: /,
  ),
];

/** A command that changes the version of a package, as dpkg notes it. */
export function packageVersion(name: string, version: string): string {
  return `sed -i '/^Package: ${name}$/,/^$/s/^Version: .*/Version: ${version}/' /var/lib/dpkg/status`;
}
