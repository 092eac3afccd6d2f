// The gateway that runs on every real host, and the changes that break it.
import type { RealHost } from './real-host.ts';

/** An incident on real hosts. */
export interface RealIncident {
  readonly name: string;
  /** Makes the change as a person or a tool does. */
  cause(host: RealHost): Promise<unknown>;
  /** The error that follows. */
  readonly error: RegExp;
  /** Kinds and fields that name the cause. */
  readonly names: readonly { readonly kind: string; readonly field: string }[];
  /** The change is reported from outside, as that of this release. */
  readonly release?: string;
}

const CONF = '/etc/nginx';
const ECHO = '/usr/lib/nginx/modules/ngx_http_echo_module.so';

const MAIN = `user www-data;
worker_processes 1;
pid /run/nginx.pid;
error_log /var/log/nginx/error.log error;
include /etc/nginx/modules-enabled/*.conf;
events { worker_connections 64; }
http {
  access_log off;
  default_type text/plain;
  client_body_temp_path /var/spool/nginx/body;
  proxy_temp_path /var/spool/nginx/proxy;
  fastcgi_temp_path /var/spool/nginx/fastcgi;
  uwsgi_temp_path /var/spool/nginx/uwsgi;
  scgi_temp_path /var/spool/nginx/scgi;
  include /etc/nginx/conf.d/*.conf;
}`;

const UPSTREAMS = `upstream app { server 127.0.0.1:9001; }
upstream reports { server 127.0.0.1:9001; }`;

const BACKENDS = `server { listen 127.0.0.1:9001; listen [::1]:9001; client_max_body_size 9m; location / { return 200 "ok\\n"; } }
server {
  listen 127.0.0.1:9443 ssl;
  ssl_certificate /etc/nginx/ssl/backend.pem;
  ssl_certificate_key /etc/nginx/ssl/backend.key;
  location / { return 200 "ok\\n"; }
}`;

const SITE = `map $time_iso8601 $office { default away; "~\\+00:00$" here; }
server {
  listen 8080;
  client_max_body_size 9m;
  location / { proxy_pass http://app; }
  location /reports { proxy_pass http://reports; }
  location /six { proxy_pass http://[::1]:9001; }
  location /named { proxy_pass http://backend.internal:9001; }
  location /tls {
    proxy_pass https://127.0.0.1:9443;
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate /etc/nginx/ssl/ca.pem;
    proxy_ssl_crl /etc/nginx/ssl/crl.pem;
    proxy_ssl_name backend.internal;
  }
  location /private { auth_basic gateway; auth_basic_user_file /etc/nginx/htpasswd; root /srv/www; }
  location /office { if ($office = away) { rewrite ^ /closed last; } root /srv/www; }
  location /closed { deny all; }
  location /release { alias /srv/release/current; }
}`;

/** Paths that the traffic asks for. */
const PATHS = ['/', '/reports', '/six', '/named', '/tls', '/office/index.txt', '/release/index.txt'];

/** Files of a site: a folder with certificates, the script of the name server, and the image of a disk. */
export interface SiteFiles {
  readonly certificates: string;
  readonly nameServer: string;
  readonly spool: string;
}

/** Starts nginx, the name server and the traffic of a host. */
export async function startSite(host: RealHost, { certificates, nameServer, spool }: SiteFiles): Promise<void> {
  await host.run(`rm -rf ${CONF}/conf.d ${CONF}/sites-enabled && mkdir -p ${CONF}/conf.d ${CONF}/ssl /etc/sysctl.d`);
  await host.write(`${CONF}/nginx.conf`, MAIN);
  await host.write(`${CONF}/conf.d/upstreams.conf`, UPSTREAMS);
  await host.write(`${CONF}/conf.d/backends.conf`, BACKENDS);
  await host.write(`${CONF}/conf.d/site.conf`, SITE);
  await host.write(`${CONF}/htpasswd`, 'user:{PLAIN}example');
  await host.run(`cp ${certificates}/good.pem ${CONF}/ssl/backend.pem && cp ${certificates}/ca.pem ${CONF}/ssl/ca.pem`);
  await host.run(
    `cp ${certificates}/backend.key ${certificates}/expired.pem ${certificates}/crl.pem ${CONF}/ssl/ && chmod 644 ${CONF}/htpasswd`,
  );
  await host.run('rm -f /etc/resolv.conf && echo "nameserver 127.0.0.1" > /etc/resolv.conf');
  await host.run('rm -f /etc/localtime && ln -s /usr/share/zoneinfo/Etc/UTC /etc/localtime');
  // A disk of its own: agents do not watch the space of file systems in memory.
  await host.run(`truncate -s 8M ${spool} && mkfs.ext4 -q -m 0 ${spool} && mount -o loop ${spool} /var/spool/nginx`);
  await host.run('mkdir -p /srv/www/office /srv/www/private /srv/release/1/ && ln -s 1/ /srv/release/current');
  await host.run('echo ok | tee /srv/www/office/index.txt /srv/release/1/index.txt > /srv/www/private/index.txt');
  await host.run(`${process.execPath} ${nameServer} & echo $!`);
  await host.run('for i in 1 2 3 4 5 6 7 8 9; do getent ahostsv4 backend.internal && break; sleep 1; done');
  await host.run('/usr/sbin/nginx');
  const urls = PATHS.map((path) => `http://127.0.0.1:8080${path}`).join(' ');
  const upload = 'head -c 200000 /dev/zero | curl -s -m 5 -o /dev/null --data-binary @- http://127.0.0.1:8080/';
  const secret = 'curl -s -m 5 -o /dev/null -u user:example http://127.0.0.1:8080/private/index.txt';
  await host.run(
    `(while :; do curl -s -m 5 ${urls} >/dev/null; ${upload}; ${secret}; sleep 4; done) >/dev/null 2>&1 &`,
  );
}

const reload = 'sleep 1; kill -HUP $(cat /run/nginx.pid)';
const restart = 'kill -QUIT $(cat /run/nginx.pid); sleep 2; /usr/sbin/nginx -e /var/log/nginx/error.log || true';
const config = (field: string) => ({ kind: 'config', field });

/** Twelve incidents. Each one happens to hosts of its own. */
export const INCIDENTS: readonly RealIncident[] = [
  {
    name: 'a broken include',
    cause: (host) => host.run(`echo 'proxy_buffer 8k;' > ${CONF}/conf.d/tuning.conf; ${reload}`),
    error: /unknown directive "proxy_buffer"/,
    names: [config(`${CONF}/conf.d/tuning.conf`)],
  },
  {
    name: 'a certificate that expires',
    cause: (host) => host.run(`cp ${CONF}/ssl/expired.pem ${CONF}/ssl/backend.pem; ${reload}`),
    error: /upstream SSL certificate verify error: \(10:/,
    names: [config(`${CONF}/ssl/backend.pem`), { kind: 'certificate', field: `${CONF}/ssl/backend.pem` }],
  },
  {
    name: 'an upstream removed',
    cause: (host) =>
      host.run(
        `sed -i 's/reports { server 127.0.0.1:9001/reports { server 127.0.0.1:9009/' ${CONF}/conf.d/upstreams.conf; ${reload}`,
      ),
    error: /connect\(\) failed \(111: .*"http:\/\/127.0.0.1:9009/,
    names: [config(`${CONF}/conf.d/upstreams.conf`)],
  },
  {
    name: 'a worker limit',
    cause: (host) => host.run(`sed -i 's/worker_connections 64/worker_connections 6/' ${CONF}/nginx.conf; ${reload}`),
    error: /worker_connections are not enough/,
    names: [config(`${CONF}/nginx.conf`)],
  },
  {
    name: 'a full disk',
    cause: (host) => host.run('dd if=/dev/zero of=/var/spool/nginx/core bs=1k count=16000 || true'),
    error: /pwrite\(\) .* failed \(28: |\(28: No space left/,
    names: [{ kind: 'disk', field: '/var/spool/nginx' }],
  },
  {
    name: 'a library upgraded',
    cause: (host) =>
      host.run(
        `sed -i '/^Package: libnginx-mod-http-echo$/,/^$/s/^Version: .*/Version: 1:9.0-1/' /var/lib/dpkg/status; echo broken > /run/echo.so; cp /run/echo.so ${ECHO}.new && mv ${ECHO}.new ${ECHO}; ${restart}`,
      ),
    error: /dlopen\(\) .*ngx_http_echo_module/,
    names: [{ kind: 'package', field: 'libnginx-mod-http-echo' }],
  },
  {
    name: 'DNS changed',
    cause: (host) => host.run(`echo 'nameserver 127.0.0.9' > /etc/resolv.conf; ${reload}`),
    error: /host not found in upstream "backend.internal"/,
    names: [{ kind: 'dns', field: '' }],
  },
  {
    name: 'a clock step',
    cause: (host) => host.run('echo 50000 > /run/clock'),
    error: /upstream SSL certificate verify error: \(12:/,
    names: [{ kind: 'clock', field: '' }],
  },
  {
    // This machine has no Lua: the release holds pages instead of a module.
    name: 'a release deployed',
    cause: (host) => host.run('mkdir /srv/release/2 && ln -sfn 2/ /srv/release/current'),
    error: /"\/srv\/release\/current\/?index.txt" failed \(2: /,
    names: [{ kind: 'change', field: 'deploy' }],
    release: 'release 2',
  },
  {
    name: 'permissions',
    cause: (host) => host.run(`chmod 600 ${CONF}/htpasswd`),
    error: /htpasswd" failed \(13: /,
    names: [config(`${CONF}/htpasswd`)],
  },
  {
    name: 'a kernel parameter',
    cause: (host) =>
      host.run(
        "echo 'net.ipv6.conf.all.disable_ipv6 = 1' > /etc/sysctl.d/90-no-ipv6.conf; sysctl -q -p /etc/sysctl.d/90-no-ipv6.conf",
      ),
    error: /connect\(\) to \[::1\]:9001 failed \(99: /,
    names: [config('/etc/sysctl.d/90-no-ipv6.conf')],
  },
  {
    name: 'a time zone',
    cause: (host) =>
      host.run(`ln -sfn /usr/share/zoneinfo/Asia/Tokyo /etc/localtime; echo Asia/Tokyo > /etc/timezone; ${restart}`),
    error: /access forbidden by rule/,
    names: [{ kind: 'time_zone', field: '' }],
  },
];
