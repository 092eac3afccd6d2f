// The reference of all ratios: Express 5 answering a constant body of a given size.
import express from 'express';

const app = express();
const bodies = new Map<string, string>();

app.get('/:bytes', (req, res) => {
  res.type('json').send(bodies.get(req.params.bytes) ?? '');
});

for (const bytes of process.argv.slice(2)) bodies.set(bytes, JSON.stringify('x'.repeat(Number(bytes) - 2)));
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
