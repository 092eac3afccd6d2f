// A name server for one host: every name has the address 127.0.0.1. It listens on 127.0.0.1 only.
import { createSocket } from 'node:dgram';

const HEADER = 12;
const TYPE_A = 1;
const socket = createSocket('udp4');

socket.on('message', (query, { port, address }) => {
  // A name ends with an empty part; its type and class follow.
  const end = query.indexOf(0, HEADER) + 5;
  const isAddress = query.readUInt16BE(end - 4) === TYPE_A;
  const answer = Buffer.from([0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]);
  query.copy(header, 0, 0, 2);
  const question = query.subarray(HEADER, end);
  socket.send(Buffer.concat([header, question, ...(isAddress ? [answer] : [])]), port, address);
});
socket.bind(53, '127.0.0.1');
