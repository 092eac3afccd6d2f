// Sends realistic lines of gateways to a server, as fast as it takes them.
import { Agent } from 'node:http';
import { type GatewayLine, gatewayLines, rawBytes } from './gateway-lines.ts';
import { post } from './intake.ts';
import type { Program } from './processes.ts';
import { count } from './report.ts';

const BATCH = 2_000;
const SENDERS = 16;
/** Different lines; beyond, they come again with a later time. */
export const DIFFERENT = 1_000_000;
const HOURS = 24;
/** Lines that nobody else has, for searches of a rare text. */
export const RARE = 50;

/** Text of one of the {@link RARE} lines. */
export const rareText = (i: number) => `zq${(i * 7919 + 13).toString(36)}x${i}rare`;

/** A body whose lines come some seconds later. */
function shiftTimes(body: Buffer, seconds: number): Buffer {
  const later = (_: string, time: string) => `"log_time":${Number(time) + seconds}`;
  return Buffer.from(body.toString('latin1').replaceAll(/"log_time":(\d+)/g, later), 'latin1');
}

/** Lines that were sent. */
interface Sent {
  /** Bytes of the files that they came from. */
  readonly raw: number;
  /** Texts of the different lines. */
  readonly texts: Buffer[];
}

/** Sends lines that cover a day up to now. */
export async function sendLines(server: Program, headers: Record<string, string>, lines: number): Promise<Sent> {
  const startS = Math.floor(Date.now() / 1000) - HOURS * 3_600;
  const different = Math.min(lines, DIFFERENT);
  const source = gatewayLines(7, startS, lines / (HOURS * 3_600));
  const everyRare = Math.floor(different / RARE);
  let raw = 0;
  const texts: Buffer[] = [];
  const bodies = Array.from({ length: different / BATCH }, (_, batch) => {
    const part = Array.from({ length: BATCH }, (_line, i) => {
      const { log, ...line } = source.next().value as GatewayLine;
      const n = batch * BATCH + i;
      return { ...line, log: n % everyRare === 0 ? log.replace('GET /', `GET /${rareText(n / everyRare)}/`) : log };
    });
    raw += part.reduce((sum, line) => sum + rawBytes(line), 0);
    texts.push(Buffer.from(part.map(({ log }) => log).join('\n')));
    return Buffer.from(JSON.stringify(part));
  });
  const rounds = lines / different;
  const roundS = Math.floor((HOURS * 3_600) / rounds);
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  const cpuBefore = server.cpuUs();
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (let i = next++; i < bodies.length * rounds; i = next++) {
        const body = bodies[i % bodies.length] as Buffer;
        const round = Math.floor(i / bodies.length);
        await post(server, headers, round === 0 ? body : shiftTimes(body, round * roundS), agent);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  const cpuUs = (server.cpuUs() - cpuBefore) / lines;
  console.log(`  intake: ${count(lines / seconds)} durable lines/s, ${cpuUs.toFixed(1)} us of the processor each`);
  return { raw: raw * rounds, texts };
}
