// Configuration of an nginx that provokes many errors.

/** Paths and ports of a run. */
export interface Places {
  readonly dir: string;
  readonly user: string;
  readonly modules: string;
  readonly http: number;
  readonly tls: number;
  readonly oldTls: number;
  readonly proxied: number;
  readonly stream: number;
  readonly refused: number;
  readonly nameServer: number;
  /** Ports of the upstreams, by the name of their behavior. */
  readonly up: Readonly<Record<string, number>>;
  readonly fastcgi: Readonly<Record<string, number>>;
}

const block = (entries: Readonly<Record<string, number>>, line: (name: string, port: number) => string) =>
  Object.entries(entries)
    .map(([name, port]) => `      ${line(name, port)}`)
    .join('\n');

/** Text of nginx.conf. */
export const nginxConf = (p: Places): string => `
load_module ${p.modules}/ndk_http_module.so;
load_module ${p.modules}/ngx_http_lua_module.so;
load_module ${p.modules}/ngx_stream_module.so;
daemon off; worker_processes 1; pid ${p.dir}/nginx.pid; ${p.user}
error_log ${p.dir}/error.log info;
events { worker_connections 512; }
stream {
  server { listen 127.0.0.1:${p.stream}; proxy_pass 127.0.0.1:${p.refused}; proxy_connect_timeout 1s; }
}
http {
  access_log off;
  client_body_temp_path ${p.dir}/temp/body; proxy_temp_path ${p.dir}/temp/proxy; fastcgi_temp_path ${p.dir}/temp/fastcgi;
  uwsgi_temp_path ${p.dir}/temp/uwsgi; scgi_temp_path ${p.dir}/temp/scgi;
  limit_req_zone $binary_remote_addr zone=calls:1m rate=1r/m;
  limit_req_zone $binary_remote_addr zone=slow:1m rate=200r/s;
  limit_conn_zone $binary_remote_addr zone=places:1m;
  client_header_timeout 300ms; client_body_timeout 300ms; keepalive_timeout 200ms;
  client_max_body_size 10k; client_body_buffer_size 1k; large_client_header_buffers 2 2k;
  proxy_read_timeout 100ms; proxy_connect_timeout 200ms; proxy_max_temp_file_size 2m; proxy_buffers 4 4k;
  fastcgi_read_timeout 100ms;
  resolver 127.0.0.1:${p.nameServer} ipv6=off; resolver_timeout 200ms;
  lua_package_path ';;'; lua_shared_dict seen 1m;
  upstream dead { server 127.0.0.1:${p.refused} max_fails=1 fail_timeout=1s; server 127.0.0.1:${p.refused} max_fails=1 fail_timeout=1s; }
  server {
    listen 127.0.0.1:${p.http}; server_name shop.test; root ${p.dir}/html;
    location /files/ { }
    location /index/ { index start.html; }
    location /cycle/ { rewrite ^ /cycle/again last; }
    location /redirects/ { error_page 404 /redirects/missing; recursive_error_pages on; }
    location /limited/ { limit_req zone=calls; limit_req_log_level error; return 204; }
    location /delayed/ { limit_req zone=slow burst=50; try_files /fine.html =404; }
    location /dry/ { limit_req zone=calls; limit_req_dry_run on; return 204; }
    location /places/ { limit_conn places 1; proxy_pass http://127.0.0.1:${p.up['silent']}; }
    location /denied/ { deny all; }
    location /secret/ { auth_basic "shop"; auth_basic_user_file ${p.dir}/passwords; }
    location /no-passwords/ { auth_basic "shop"; auth_basic_user_file ${p.dir}/no-such-file; }
    location /asked/ { auth_request /answer; }
    location = /answer { internal; return 500; }
    location /write/ { dav_methods PUT DELETE MKCOL COPY MOVE; client_max_body_size 10k; }
    location /upload/ { proxy_pass http://127.0.0.1:${p.up['fine']}; }
    location /refused/ { proxy_pass http://127.0.0.1:${p.refused}; }
    location /dead/ { proxy_pass http://dead; }
    location /named/ { set $where $arg_host; proxy_pass http://$where; }
    location /unset/ { if ($nothing_like_it = x) { return 204; } set $later 1; return 204 "$nothing_like_it"; }
    location /warn-unset/ { if ($uri = /never) { set $nothing_like_it 1; } return 204 "x$nothing_like_it"; }
    location /plain-as-tls/ { proxy_pass https://127.0.0.1:${p.up['no-http']}; }
    location /self-signed/ { proxy_pass https://127.0.0.1:${p.tls}; proxy_ssl_verify on; proxy_ssl_trusted_certificate ${p.dir}/other.pem; }
    location /cgi-refused/ { fastcgi_pass 127.0.0.1:${p.refused}; }
${block(p.fastcgi, (name, port) => `location /cgi/${name}/ { fastcgi_pass 127.0.0.1:${port}; fastcgi_param REQUEST_METHOD $request_method; }`)}
${block(p.up, (name, port) => `location /up/${name}/ { proxy_pass http://127.0.0.1:${port}; }`)}
    location /lua/throws { content_by_lua_block { error("no stock of item " .. ngx.var.arg_n) } }
    location /lua/nil { content_by_lua_file ${p.dir}/order.lua; }
    location /lua/log { content_by_lua_block { ngx.log(ngx.ERR, "no token for user ", ngx.var.arg_n); ngx.log(ngx.WARN, "slow answer: ", ngx.var.arg_n, " ms"); ngx.exit(204) } }
    location /lua/crit { content_by_lua_block { ngx.log(ngx.CRIT, "queue is full: ", ngx.var.arg_n); ngx.exit(204) } }
    location /lua/connect { content_by_lua_block { local s = ngx.socket.tcp(); s:settimeout(50); s:connect("127.0.0.1", ${p.refused}); ngx.exit(204) } }
    location /lua/slow { content_by_lua_block { local s = ngx.socket.tcp(); s:settimeout(30); s:connect("127.0.0.1", ${p.up['silent']}); s:send("x"); s:receive(); ngx.exit(204) } }
    location /lua/access { access_by_lua_block { local t = nil; return t.user } }
    location /lua/syntax { content_by_lua_block { return loadstring("x = = 1")() } }
  }
  server { listen 127.0.0.1:${p.http}; server_name api.test; root ${p.dir}/html; location /up/reset/ { proxy_pass http://127.0.0.1:${p.up['reset']}; } location /refused/ { proxy_pass http://127.0.0.1:${p.refused}; } }
  server { listen 127.0.0.1:${p.tls} ssl; server_name tls.test; ssl_certificate ${p.dir}/cert.pem; ssl_certificate_key ${p.dir}/key.pem; ssl_protocols TLSv1.2; ssl_ciphers ECDHE-RSA-AES256-GCM-SHA384; root ${p.dir}/html; }
  server { listen 127.0.0.1:${p.oldTls} ssl; server_name client.test; ssl_certificate ${p.dir}/cert.pem; ssl_certificate_key ${p.dir}/key.pem; ssl_client_certificate ${p.dir}/other.pem; ssl_verify_client on; root ${p.dir}/html; }
  server { listen 127.0.0.1:${p.proxied} proxy_protocol; server_name proxied.test; root ${p.dir}/html; }
}
`;
