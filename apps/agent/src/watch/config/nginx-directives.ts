// Directives of nginx and OpenResty by what their values may be. A directive that is missing here is masked.

const words = (text: string): string => text.trim().split(/\s+/).join('|');

/** Another server: the part behind the name of its protocol. */
const OF_A_PROXY = words(`
  pass buffer_size buffers buffering busy_buffers_size max_temp_file_size temp_file_write_size temp_path
  connect_timeout read_timeout send_timeout timeout next_upstream next_upstream_timeout next_upstream_tries
  http_version request_buffering intercept_errors ignore_client_abort ignore_headers pass_request_headers
  pass_request_body pass_header hide_header socket_keepalive bind limit_rate force_ranges protocol index
  split_path_info keep_conn catch_stderr method half_close requests responses upload_rate download_rate
  headers_hash_bucket_size headers_hash_max_size cache cache_path cache_valid cache_lock cache_lock_age
  cache_lock_timeout cache_methods cache_min_uses cache_use_stale cache_revalidate cache_background_update
  cache_bypass cache_purge cache_max_range_offset no_cache store store_access
  ssl ssl_certificate ssl_certificate_key ssl_trusted_certificate ssl_verify ssl_verify_depth ssl_protocols
  ssl_ciphers ssl_session_reuse ssl_server_name ssl_crl ssl_password_file`);

const OF_TLS = words(`
  certificate certificate_key client_certificate trusted_certificate dhparam protocols ciphers
  prefer_server_ciphers session_cache session_timeout session_tickets session_ticket_key ecdh_curve verify_client
  verify_depth stapling stapling_verify stapling_file stapling_responder buffer_size early_data crl password_file
  handshake_timeout preread reject_handshake ocsp ocsp_cache alpn certificate_cache`);

const OTHERS = words(`
  user worker_processes worker_connections worker_rlimit_nofile worker_rlimit_core worker_cpu_affinity
  worker_priority worker_shutdown_timeout worker_aio_requests pid error_log include load_module daemon
  master_process multi_accept accept_mutex accept_mutex_delay use events http stream mail thread_pool pcre_jit
  timer_resolution lock_file debug_connection debug_points working_directory
  server server_name listen location upstream root alias index try_files error_page internal satisfy limit_except
  default_type types server_tokens sendfile sendfile_max_chunk tcp_nopush tcp_nodelay aio aio_write directio
  directio_alignment disable_symlinks keepalive keepalive_timeout keepalive_requests keepalive_time
  keepalive_disable keepalive_min_timeout client_body_buffer_size client_body_in_file_only
  client_body_in_single_buffer client_body_temp_path client_body_timeout client_header_buffer_size
  client_header_timeout client_max_body_size large_client_header_buffers send_timeout send_lowat
  reset_timedout_connection lingering_close lingering_time lingering_timeout types_hash_max_size
  types_hash_bucket_size server_names_hash_max_size server_names_hash_bucket_size variables_hash_max_size
  variables_hash_bucket_size map_hash_max_size map_hash_bucket_size server_name_in_redirect port_in_redirect
  absolute_redirect underscores_in_headers ignore_invalid_headers merge_slashes etag if_modified_since max_ranges
  output_buffers postpone_output read_ahead recursive_error_pages request_pool_size connection_pool_size
  open_file_cache open_file_cache_errors open_file_cache_min_uses open_file_cache_valid open_log_file_cache
  log_not_found log_subrequest access_log rewrite_log limit_rate limit_rate_after limit_req limit_req_zone
  limit_req_status limit_req_log_level limit_req_dry_run limit_conn limit_conn_zone limit_conn_status
  limit_conn_log_level limit_conn_dry_run resolver resolver_timeout allow deny expires autoindex
  autoindex_exact_size autoindex_format autoindex_localtime gzip gzip_buffers gzip_comp_level gzip_disable
  gzip_http_version gzip_min_length gzip_proxied gzip_static gzip_types gzip_vary gunzip gunzip_buffers brotli
  brotli_comp_level brotli_min_length brotli_static brotli_types charset charset_types source_charset
  http2 http2_max_concurrent_streams http2_chunk_size http3 quic_gso quic_retry ssi ssl ssl_engine stub_status break
  least_conn ip_hash hash random zone least_time ntlm queue real_ip_header set_real_ip_from real_ip_recursive
  auth_request auth_basic_user_file mirror mirror_request_body slice preread_timeout preread_buffer_size
  proxy_protocol proxy_protocol_timeout
  lua_shared_dict lua_code_cache lua_socket_connect_timeout lua_socket_read_timeout lua_socket_send_timeout
  lua_socket_pool_size lua_max_pending_timers lua_max_running_timers lua_ssl_verify_depth
  lua_ssl_trusted_certificate lua_need_request_body`);

const SAFE = new RegExp(
  `^(?:${OTHERS}|(?:proxy|fastcgi|uwsgi|scgi|grpc|memcached)_(?:${OF_A_PROXY})|ssl_(?:${OF_TLS})|\\w+_by_lua_file)$`,
);

/** Directives whose values are anything. */
const FREE =
  /^(?:map|geo|split_clients|charset_map|set|env|if|return|rewrite|log_format|auth_basic|auth_request_set|add_header|add_trailer|sub_filter|valid_referers|more_(?:set|clear)_(?:input_)?headers|proxy_(?:cache_key|redirect|cookie_path|cookie_domain|cookie_flags|set_body|ssl_name)|(?:proxy|grpc)_set_header|(?:fastcgi|uwsgi|scgi)_param|fastcgi_cache_key|secure_link(?:_md5|_secret)?|\w+_by_lua(?:_block)?|lua_package_c?path|set_by_lua\w*)$/;

/** Directives whose first value is a name: of a variable, a header or a parameter. */
export const NAMED_BY_FIRST =
  /^(?:set|env|log_format|auth_request_set|add_header|add_trailer|\w+_set_header|\w+_param)$/;

/** Directives that open a block. */
export const BLOCKS =
  /^(?:events|http|stream|mail|server|location|upstream|if|limit_except|types|map|geo|split_clients|charset_map|\w+_by_lua_block)$/;

/** Blocks whose contents are data. */
export const DATA_BLOCKS: ReadonlySet<string> = new Set(['map', 'geo', 'split_clients', 'charset_map', 'types']);

/** Returns what the values of a directive may be; undefined where it is not known. */
export function directiveOf(name: string): 'safe' | 'free' | undefined {
  if (SAFE.test(name)) return 'safe';
  return FREE.test(name) ? 'free' : undefined;
}
