// Bodies of lines that are read at once, for tests; the server reads them part by part.
import { IntakeReading, type IntakeResult, TOO_MANY } from '../src/http/http-lines.ts';

/** Reads a parsed JSON body. `now` is the time of lines without one, Unix seconds. */
export function readIntakeJson(body: unknown, now: number): IntakeResult {
  const reading = new IntakeReading(now);
  return reading.addJson(body) ? { ...reading.result(), lines: reading.take() } : TOO_MANY;
}

/** The same for NDJSON. */
export function readIntakeNdjson(text: string, now: number): IntakeResult {
  const reading = new IntakeReading(now);
  return reading.addNdjson(text) ? { ...reading.result(), lines: reading.take() } : TOO_MANY;
}
