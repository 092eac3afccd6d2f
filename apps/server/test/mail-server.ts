// A mail server (Exim) for a test, which keeps all mail and ends with the test.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../../../test/certificates.ts';
import { freePort } from '../../../test/free-port.ts';
import { startProxyProgram } from './proxy-process.ts';

/** A mail as it was taken. */
export interface ReceivedMail {
  readonly recipients: readonly string[];
  /** Name in lower case -> unfolded value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lines of headers as they came. */
  readonly rawHeaders: string;
  readonly body: string;
}

/** A running mail server on 127.0.0.1. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  mails(): readonly ReceivedMail[];
  /** Lines of its log. */
  log(): string;
}

/** User and password that it knows, once there is TLS. */
export const MAIL_USER = 'quarterdeck';
export const MAIL_PASSWORD = 'correct horse battery';

function configuration(dir: string, hasTls: boolean): string {
  const { uid, gid } = userInfo();
  const tls = hasTls
    ? `tls_advertise_hosts = *\ntls_certificate = ${dir}/cert.pem\ntls_privatekey = ${dir}/key.pem`
    : 'tls_advertise_hosts =';
  return `
exim_user = ${uid}
exim_group = ${gid}
keep_environment =
primary_hostname = mail.example.org
spool_directory = ${dir}
log_file_path = ${dir}/%slog
pid_file_path = ${dir}/pid
queue_only = true
${tls}
acl_smtp_rcpt = recipients
acl_smtp_data = content
begin acl
recipients:
  defer condition = \${if eq{$local_part}{busy}}
        message = 4.2.1 mailbox is busy
  deny condition = \${if eq{$local_part}{nobody}}
       message = 5.1.1 no such user
  accept
content:
  deny condition = \${if match{$h_subject:}{refuse this}}
       message = 5.7.1 content refused
  accept
begin routers
begin transports
begin retry
begin rewrite
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${MAIL_USER}}}{eq{$auth3}{${MAIL_PASSWORD}}}}}
  server_set_id = $auth2
  server_advertise_condition = \${if def:tls_in_cipher}
`;
}

/** Reads a mail in the queue: its first file holds the recipients and the headers, its second one the body. */
function readMail(queue: string, id: string): ReceivedMail {
  const head = readFileSync(join(queue, `${id}-H`), 'utf8');
  const [envelope = '', fields = ''] = head.split(/\n\n/, 2);
  const rawHeaders = fields.replaceAll(/^\d{3}[ A-Z*] /gm, '');
  const lines = rawHeaders.replaceAll(/\n[ \t]+/g, ' ').split('\n');
  const headers = lines.flatMap((line) => {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value ?? '']];
  });
  const body = readFileSync(join(queue, `${id}-D`), 'utf8');
  return {
    recipients: envelope.split('\n').filter((line) => /^[^\s<>]+@[^\s<>]+$/.test(line)),
    headers: Object.fromEntries(headers),
    rawHeaders,
    body: body.slice(body.indexOf('\n') + 1),
  };
}

/** Starts `program`, which is Debian's exim4, as the user of this process. */
export async function startMailServer(program: string, certificate?: Certificate): Promise<MailServer> {
  const port = await freePort();
  let dir = '';
  const running = await startProxyProgram({
    program,
    port,
    files(folder) {
      dir = folder;
      const { cert = '', key = '' } = certificate ?? {};
      return { 'exim.conf': configuration(dir, certificate !== undefined), 'cert.pem': cert, 'key.pem': key };
    },
    args: () => ['-C', join(dir, 'exim.conf'), '-bdf', '-oX', `127.0.0.1.${port}`],
  });
  return {
    port,
    mails() {
      const queue = join(dir, 'input');
      if (!existsSync(queue)) return [];
      const files = readdirSync(queue).filter((file) => file.endsWith('-H'));
      return files.sort().map((file) => readMail(queue, file.slice(0, -'-H'.length)));
    },
    log: () => readFileSync(join(dir, 'mainlog'), 'utf8'),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
