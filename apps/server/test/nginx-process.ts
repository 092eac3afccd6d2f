// An nginx for a test, which ends with the test.
import { once } from 'node:events';
import { type IncomingMessage, get as request } from 'node:http';
import { freePort } from '../../../test/free-port.ts';
import { exampleBelow } from './guide.ts';
import { startNginxWith } from './proxy-process.ts';

/** A running nginx. Paths below `/up` have a missing upstream; other paths do not exist. */
export interface Nginx extends AsyncDisposable {
  /** Asks for a path, by default from 127.0.0.1; resolves with the status of the answer. */
  get(path: string, from?: string): Promise<number>;
}

/** Starts nginx, which sends its errors by syslog as the guide sets it up. */
export async function startNginx(program: string, syslogPort: number): Promise<Nginx> {
  const port = await freePort();
  const http = `server {
    listen 127.0.0.1:${port}; server_name shop.example.com; root html;
    location /up { proxy_pass http://127.0.0.1:1; }
  }`;
  const replacements = { '127.0.0.1:5140': `127.0.0.1:${syslogPort}` };
  const main = exampleBelow('## By syslog', 'nginx', replacements, 'how-to/nginx.md');
  const running = await startNginxWith(program, port, http, { main });
  return {
    async get(path, from = '127.0.0.1') {
      const asked = request({ host: '127.0.0.1', port, path, localAddress: from });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode ?? 0;
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
