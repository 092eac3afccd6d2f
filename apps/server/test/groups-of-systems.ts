// Lines of daemons, clusters and firewalls, by group. Written for the test, in the formats of these programs.
import type { Group } from './groups-of-servers.ts';

const modsecurity = (id: string, value: string, client: string, uri: string) =>
  `[client ${client}] ModSecurity: Access denied with code 403 (phase 2). Matched "Operator \`Rx' with parameter \`^a' against variable \`ARGS:q' (Value: \`${value}' ) [file "/etc/nginx/crs/REQUEST-${id}.conf"] [line "80"] [id "${id}"] [msg "Attack ${value}"] [uri "${uri}"] [unique_id "1610157${value.length}.541540"], client: ${client}, server: shop.example.com, request: "GET ${uri} HTTP/1.1"`;

export const FIREWALLS: Group[] = [
  [
    'a rule of ModSecurity',
    modsecurity('941100', '8', '192.0.2.1', '/a'),
    modsecurity('941100', '<script>', '2001:db8::1', '/b/c'),
    modsecurity('941100', '../../etc/passwd', '192.0.2.9', '/'),
  ],
  ['another rule', modsecurity('942100', '8', '192.0.2.1', '/a'), modsecurity('942100', "1'", '192.0.2.2', '/a')],
  [
    'a zone of requests',
    'limiting requests, excess: 20.320 by zone "login", client: 192.0.2.1, server: shop.example.com',
    'limiting requests, excess: 1.001 by zone "login", client: 192.0.2.2, server: shop.example.com',
  ],
  ['another zone', 'limiting requests, excess: 20.320 by zone "search", client: 192.0.2.1, server: shop.example.com'],
  ['zone with a number', 'limiting requests, excess: 1.2 by zone "api_1", client: 192.0.2.1, server: shop.example.com'],
  ['zone with another', 'limiting requests, excess: 1.2 by zone "api_2", client: 192.0.2.1, server: shop.example.com'],
];

const pam = (rhost: string, rest: string) =>
  `pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=${rhost}${rest}`;

export const LOGINS: Group[] = [
  [
    'password of an unknown user',
    'Failed password for invalid user webmaster from 203.0.113.5 port 38926 ssh2',
    'Failed password for invalid user test9 from 203.0.113.6 port 36060 ssh2',
    'Failed password for invalid user 0 from 203.0.113.6 port 36060 ssh2',
  ],
  [
    'accepted key',
    'Accepted publickey for root from ::ffff:192.0.2.7 port 36591 ssh2',
    'Accepted publickey for git from 192.0.2.9 port 1 ssh2',
  ],
  [
    'unknown user before login',
    'input_userauth_request: invalid user webmaster [preauth]',
    'input_userauth_request: invalid user 0101 [preauth]',
  ],
  ['PAM without a user', pam('203.0.113.5', ''), pam('host-5.rack2.example.com', ''), pam('ns.example.com', '')],
  ['PAM with a user', pam('203.0.113.5', '  user=root'), pam('ns.example.com', '  user=ftp')],
  ['session begins', 'session opened for user cyrus by (uid=0)', 'session opened for user news by (uid=509)'],
  [
    'session of a new PAM begins',
    'session opened for user root(uid=0) by (uid=0)',
    'session opened for user x-1.y(uid=17) by (uid=0)',
  ],
  ['session ends', 'session closed for user cyrus', 'session closed for user news'],
  [
    'reverse name',
    'reverse mapping checking getaddrinfo for ns.example.com [192.0.2.1] failed - POSSIBLE BREAK-IN ATTEMPT!',
    'reverse mapping checking getaddrinfo for 191-210-223-172.user.example.com.br [192.0.2.2] failed - POSSIBLE BREAK-IN ATTEMPT!',
  ],
  [
    'connection',
    'connection from 192.0.2.1 () at Mon Jun 20 03:40:59 2005',
    'connection from 192.0.2.1 (192-0-2-1.dsl.example.net) at Fri Jun 17 07:07:00 2005',
    'connection from 192.0.2.9 (ns.example.com) at Fri Jun  7 07:07:00 2005',
  ],
  [
    'mail server',
    'NOQUEUE: reject: RCPT from unknown[192.0.2.1]: 454 Relay access denied',
    'NOQUEUE: reject: RCPT from unknown[192.0.2.9]: 454 Relay access denied',
  ],
  [
    'mail server, known host',
    'NOQUEUE: reject: RCPT from mail.example.com[192.0.2.1]: 454 Relay access denied',
    'NOQUEUE: reject: RCPT from mx.example.org[192.0.2.1]: 454 Relay access denied',
    'NOQUEUE: reject: RCPT from m17.out.example.org[192.0.2.1]: 454 Relay access denied',
  ],
  ['form without a name', 'invalid user id'],
  ['another form', 'invalid user agent'],
];

export const CLUSTERS: Group[] = [
  [
    'block',
    'Received block blk_-4411589101766563890 src: /192.0.2.1:37362 dest: /192.0.2.2:50010 of size 67108864',
    'Received block blk_1473949624670719319 src: /192.0.2.7:35617 dest: /192.0.2.7:50010 of size 3',
  ],
  [
    'deleted block',
    'Deleting block blk_1781953582842324563 file /mnt/hadoop/dfs/data/current/subdir5/blk_1781953582842324563',
    'Deleting block blk_-8898274302731129139 file /data/blk_-8898274302731129139',
  ],
  [
    'list of blocks',
    'BLOCK* ask 192.0.2.1:50010 to delete  blk_-8570780307468499817 blk_7128370237687728475 blk_1',
    'BLOCK* ask 192.0.2.2:50010 to delete blk_1',
  ],
  [
    'attempt',
    'attempt_1445144423722_0020_m_000000_0 TaskAttempt Transitioned from NEW to UNASSIGNED',
    'attempt_1445144423722_0020_r_000007_1 TaskAttempt Transitioned from NEW to UNASSIGNED',
  ],
  [
    'attempt, another state',
    'attempt_1445144423722_0020_m_000000_0 TaskAttempt Transitioned from UNASSIGNED to ASSIGNED',
  ],
  [
    'size',
    'Block broadcast_9_piece0 stored as bytes in memory (estimated size 5.2 KB, free 317.1 MB)',
    'Block broadcast_0_piece3 stored as bytes in memory (estimated size 93.0 B, free 5.2 KB)',
  ],
  ['node', 'Resolved db-17.rack2.example.com to /default-rack', 'Resolved 04DN8IQ.rack9.example.com to /rack/7'],
  [
    'peer of a proxy',
    'cache.example.com:6379 close, 451 bytes sent, 353 bytes received, lifetime <1 sec',
    'www.example.org:443 close, 0 bytes sent, 0 bytes received, lifetime 00:01',
  ],
  [
    'session of ZooKeeper',
    'Got user-level KeeperException when processing sessionid:0x14ed93111f20005 type:create cxid:0x55 Error Path:/consumers/c-5/owners Error:KeeperErrorCode = NoNode for /consumers/c-5/owners',
    'Got user-level KeeperException when processing sessionid:0x24ed93111f2000a type:create cxid:0xde Error Path:/brokers Error:KeeperErrorCode = NoNode for /brokers',
  ],
  ['registers', 'fpr29=0xffffffff ffffffff deadbeef 00000000', 'fpr2=0x00000012 0a1b2c3d ffffffff cafebabe'],
  [
    'package of Windows',
    'Read out cached package applicability for package: Package_for_KB3042553~31bf3856ad364e35~amd64~~6.1.1.0, ApplicableState: 112',
    'Read out cached package applicability for package: Package_2_for_KB2984976~31bf3856ad364e35~amd64~~6.1.7601.17514, ApplicableState: 80',
    'Read out cached package applicability for package: Package_for_KB3020369_RTM~31bf3856ad364e35~amd64~~6.1.1.1, ApplicableState: 0',
  ],
  [
    'path of Windows',
    'SQM: Failed to start upload with file pattern: C:\\Windows\\servicing\\sqm\\*_std.sqm, flags: 0x2',
    'SQM: Failed to start upload with file pattern: D:\\sqm\\all.sqm, flags: 0x6',
  ],
  [
    'request',
    '192.0.2.1 "GET /v2/54fadb412c4e40cdbaed9335e4c35a9e/servers HTTP/1.1" status: 200 len: 1893 time: 0.2477829',
    '192.0.2.7,192.0.2.1 "GET /latest/meta-data/ HTTP/1.1" status: 200 len: 1 time: 0.2',
  ],
  ['request with another method', '192.0.2.1 "DELETE /v2/servers HTTP/1.1" status: 200 len: 203 time: 0.2'],
  ['request with another status', '192.0.2.1 "GET /v2/servers HTTP/1.1" status: 404 len: 203 time: 0.2'],
  [
    'listening on any address',
    'bind() to 0.0.0.0:80 failed (98: Address already in use)',
    'bind() to [::]:8080 failed (98: Address already in use)',
  ],
  ['setting', 'ledNotification == null?true'],
  ['another value of a setting', 'ledNotification == null?false'],
];
