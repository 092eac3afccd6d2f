// The gateway that runs on every real host, its traffic, and its healthy state.
import type { RealHost } from './real-host.ts';

export const CONF = '/etc/nginx';
export const ECHO = '/usr/lib/nginx/modules/ngx_http_echo_module.so';
/** The file of a group of backends. */
export const upstreamFile = (name: string): string => `${CONF}/conf.d/upstream-${name}.conf`;
export const luaFile = (name: string): string => `${CONF}/lua/${name}.lua`;
export const locationFile = (name: string): string => `${CONF}/site/${name}.conf`;
/** Copies of the healthy files, by their paths. */
const HEALTHY = '/run/healthy';
/** Files and folders of the host that agents watch. */
export const CONFIG_TREES = '/etc/nginx,/etc/sysctl.d,/srv/www';

const MAIN = `user www-data;
worker_processes 1;
pid /run/nginx.pid;
error_log /run/error.log error;
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
  lua_package_path "/etc/nginx/lua/?.lua;;";
  init_worker_by_lua_file /etc/nginx/lua/worker.lua;
  include /etc/nginx/conf.d/*.conf;
}`;

/** Groups of backends, each in a file of its own. */
const UPSTREAMS: Readonly<Record<string, string>> = {
  app: '127.0.0.1:9001',
  reports: '127.0.0.1:9001',
  search: 'backend.internal:9001',
  far: '127.0.0.1:9001',
};

/** Programs in Lua: the page that requests ask for uses a module. */
const LUA: Readonly<Record<string, string>> = {
  page: `local prices = require 'shop.prices'\nngx.say(prices.total(2))`,
  'shop/prices': `return { total = function(count) return count * 3 end }`,
  worker: `local ready = true`,
};

const LIMITS = `limit_req_zone $server_port zone=requests:1m rate=2r/s;
limit_conn_zone $server_port zone=connections:1m;
resolver 127.0.0.1 valid=1s ipv6=off;
resolver_timeout 1s;`;

const BACKENDS = `server {
  listen 127.0.0.1:9001;
  listen [::1]:9001;
  client_max_body_size 9m;
  location / { return 200 "ok\\n"; }
  location /slow { echo_sleep 0.6; echo ok; }
  location /headers { add_header X-Trace ${'example-'.repeat(250)}; return 200 "ok\\n"; }
}
server {
  listen 127.0.0.1:9443 ssl;
  ssl_protocols TLSv1.2;
  ssl_certificate /etc/nginx/ssl/backend.pem;
  ssl_certificate_key /etc/nginx/ssl/backend.key;
  location / { return 200 "ok\\n"; }
}`;

const SITE = `map $time_iso8601 $office { default away; "~\\+00:00$" here; }
server {
  listen 8080;
  client_max_body_size 9m;
  include /etc/nginx/site/*.conf;
}`;

/** The locations of the site, each in a file of its own, as tools write them. */
const LOCATIONS: Readonly<Record<string, string>> = {
  app: `location / { proxy_pass http://app; }`,
  reports: `location /reports { proxy_pass http://reports; }`,
  search: `location /search { proxy_pass http://search; }`,
  six: `location /six { proxy_pass http://[::1]:9001; }`,
  backend: `location /backend { proxy_pass http://127.0.0.1:9002; }`,
  named: `location /named { proxy_pass http://backend.internal:9001; }`,
  'looked-up': `location /looked-up { set $name looked.internal; proxy_pass http://$name:9001; }`,
  far: `location /far { proxy_connect_timeout 1s; proxy_pass http://far; }`,
  shop: `location /shop { content_by_lua_file /etc/nginx/lua/page.lua; }`,
  slow: `location /slow { proxy_read_timeout 5s; proxy_pass http://127.0.0.1:9001; }`,
  headers: `location /headers { proxy_buffer_size 8k; proxy_pass http://127.0.0.1:9001; }`,
  tls: `location /tls {
  proxy_pass https://127.0.0.1:9443;
  proxy_ssl_protocols TLSv1.2 TLSv1.3;
  proxy_ssl_verify on;
  proxy_ssl_trusted_certificate /etc/nginx/ssl/ca.pem;
  proxy_ssl_crl /etc/nginx/ssl/crl.pem;
  proxy_ssl_name backend.internal;
}`,
  private: `location /private { auth_basic gateway; auth_basic_user_file /etc/nginx/htpasswd; root /srv/www; }`,
  office: `location /office { if ($office = away) { rewrite ^ /closed last; } root /srv/www; }`,
  closed: `location /closed { deny all; }`,
  open: `location /open { allow all; root /srv/www; }`,
  current: `location /current { root /srv/www; }`,
  index: `location /index/ { alias /srv/www/open/; index index.txt; }`,
  moved: `location /moved { return 200 "ok\\n"; }`,
  checked: `location /checked { auth_request /session; root /srv/www; }`,
  session: `location = /session { internal; return 204; }`,
  limited: `location /limited { limit_req zone=requests burst=60 nodelay; root /srv/www; }`,
  few: `location /few { limit_conn connections 50; echo_sleep 0.4; echo ok; }`,
  upload: `location /upload { root /var/spool/nginx; dav_methods PUT; }`,
  release: `location /release { alias /srv/release/current; }`,
};

/** Folders with a page \`index.txt\` each. */
const PAGES = ['office', 'private', 'open', 'pages', 'checked', 'limited'].map((folder) => `/srv/www/${folder}`);

/** Paths that the traffic asks for. The limits of connections and requests need two at the same time. */
const PATHS = [
  '/few/1',
  '/few/2',
  '/limited/index.txt',
  '/limited/index.txt?again',
  '/',
  '/reports',
  '/search',
  '/six',
  '/backend',
  '/named',
  '/looked-up',
  '/slow',
  '/far',
  '/shop',
  '/headers',
  '/tls',
  '/office/index.txt',
  '/private/index.txt',
  '/open/index.txt',
  '/current/index.txt',
  '/index/',
  '/moved',
  '/checked/index.txt',
  '/release/index.txt',
];

/** Files of a site: a folder with certificates, the script of the name server, and the image of a disk. */
export interface SiteFiles {
  readonly certificates: string;
  readonly nameServer: string;
  readonly spool: string;
}

const CERTIFICATES = ['ca.pem', 'other-ca.pem', 'crl.pem', 'expired.pem', 'wrong-name.pem', 'backend.key', 'other.key'];

/** Starts nginx, the programs beside it and the traffic of a host. */
export async function startSite(host: RealHost, { certificates, nameServer, spool }: SiteFiles): Promise<void> {
  await host.run(`rm -rf ${CONF}/conf.d ${CONF}/sites-enabled && mkdir -p ${CONF}/conf.d ${CONF}/ssl /etc/sysctl.d`);
  await host.write(`${CONF}/nginx.conf`, MAIN);
  await host.write(`${CONF}/conf.d/backends.conf`, BACKENDS);
  await host.write(`${CONF}/conf.d/limits.conf`, LIMITS);
  await host.write(`${CONF}/conf.d/site.conf`, SITE);
  await host.run(`mkdir -p ${CONF}/site ${CONF}/lua/shop`);
  for (const [name, text] of Object.entries(LUA)) await host.write(luaFile(name), text);
  for (const [name, text] of Object.entries(LOCATIONS)) await host.write(locationFile(name), text);
  for (const [name, backend] of Object.entries(UPSTREAMS)) {
    await host.write(upstreamFile(name), `upstream ${name} { server ${backend}; }`);
  }
  await host.write(`${CONF}/htpasswd`, 'user:{PLAIN}example');
  await host.run(`cp ${certificates}/good.pem ${CONF}/ssl/backend.pem && chmod 644 ${CONF}/htpasswd`);
  await host.run(`cp ${CERTIFICATES.map((name) => `${certificates}/${name}`).join(' ')} ${CONF}/ssl/`);
  await host.run('rm -f /etc/resolv.conf && echo "nameserver 127.0.0.1" > /etc/resolv.conf');
  await host.run('rm -f /etc/localtime && ln -s /usr/share/zoneinfo/Etc/UTC /etc/localtime');
  // A disk of its own: agents do not watch the space of file systems in memory.
  await host.run(`truncate -s 8M ${spool} && mkfs.ext4 -q -m 0 ${spool} && mount -o loop ${spool} /var/spool/nginx`);
  await host.run('mkdir /var/spool/nginx/upload && chmod 777 /var/spool/nginx/upload');
  await host.run(`mkdir -p ${PAGES.join(' ')} /srv/release/1/ && ln -s 1/ /srv/release/current`);
  await host.run(`for folder in ${PAGES.join(' ')} /srv/release/1; do echo ok > $folder/index.txt; done`);
  await host.run('ln -s pages /srv/www/current');
  await host.run(`mkdir -p ${HEALTHY} && cp -a --parents ${CONF} ${ECHO} /etc/resolv.conf /srv/www ${HEALTHY}`);
  await host.run(`cp -a --parents /etc/localtime ${HEALTHY}; head -c 200000 /dev/zero > /run/body`);
  await host.run(`${process.execPath} ${nameServer} & echo $!`);
  await host.run('for i in 1 2 3 4 5 6 7 8 9; do getent ahostsv4 backend.internal && break; sleep 1; done');
  await host.run(startLog('start'));
  await host.run(`/usr/sbin/nginx -e /run/error.log`);
  const urlOf = (path: string) => `http://127.0.0.1:8080${path}`;
  const curl = 'curl -s -m 5 -Z --parallel-immediate --parallel-max 4';
  const upload = `--next -s -m 5 --data-binary @/run/body ${urlOf('/')}`;
  const put = `--next -s -m 5 -T /srv/www/open/index.txt ${urlOf('/upload/page')}`;
  const all = `${curl} -u user:example ${PATHS.map((path) => urlOf(`'${path}'`)).join(' ')} ${upload} ${put}`;
  await host.run(
    `(while :; do ${all}; [ -e /run/bot ] && ${curl} ${urlOf('/open/wp-login')}; sleep 4; done) >/dev/null 2>&1 &`,
  );
}

/** A command that lets nginx write into the log file of a service. */
export const startLog = (service: string): string =>
  `ln -sfn /var/log/nginx/${service}.log /run/error.log; [ ! -e /run/nginx.pid ] || kill -USR1 $(cat /run/nginx.pid)`;

/** A command that makes nginx read its configuration. */
export const RELOAD = 'sleep 1; kill -HUP $(cat /run/nginx.pid)';
/** A command that stops nginx and starts it, which may fail. */
export const RESTART = 'kill -QUIT $(cat /run/nginx.pid); sleep 2; /usr/sbin/nginx -e /run/error.log || true';
/** A command that gives files back what they were. */
export const restore = (files: readonly string[]): string =>
  files.map((file) => `[ ! -e ${HEALTHY}${file} ] && rm -f ${file} || cp -a -T ${HEALTHY}${file} ${file}`).join('; ');
/** A command that succeeds once nginx runs with what its files say and answers. */
export const BECOME_HEALTHY =
  '[ -e /run/nginx.pid ] && kill -HUP $(cat /run/nginx.pid) || /usr/sbin/nginx -e /run/error.log; ' +
  'for i in 1 2 3 4 5 6 7 8 9; do curl -sf -m 2 http://127.0.0.1:8080/reports && exit_code=0 && break; exit_code=1; sleep 1; done; ' +
  '[ $exit_code = 0 ]';
