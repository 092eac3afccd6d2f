// The limit of reads on PostgreSQL: plain `node:http` that answers the rows of one prepared statement as JSON. Its pool
// has the settings and the size of the server's. It checks no credential and counts nothing.
// Arguments: the URL of the database, and the statements as JSON by the path of their request.
import { createServer } from 'node:http';
import { built } from './built.ts';

const { createPool } = await built('packages/core/dist/db/postgresql/pool.js');

const [, , url = '', statements = '{}'] = process.argv;
const texts = new Map(Object.entries(JSON.parse(statements) as Record<string, string>));
const pool = createPool(url);
const server = createServer(async (req, res) => {
  const name = req.url ?? '';
  const { rows } = await pool.query({ name, text: texts.get(name) ?? '' });
  const body = JSON.stringify({ data: rows });
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
