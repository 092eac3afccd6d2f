// Reads the keys of the terminal.
import { StringDecoder } from 'node:string_decoder';
import { type Input, Splitter } from './splitter.ts';

/** An escape without a successor after this time is the Escape key, milliseconds. */
const KEY_MS = 50;
/** A paste whose end has not arrived after this time is complete, milliseconds. */
const PASTE_MS = 2_000;

/** The part of an input stream that the reader uses. */
export interface KeySource {
  readonly on: (event: 'data', listener: (chunk: Buffer | string) => void) => unknown;
  readonly off: (event: 'data', listener: (chunk: Buffer | string) => void) => unknown;
  readonly setRawMode?: (raw: boolean) => unknown;
  readonly pause: () => unknown;
  readonly resume: () => unknown;
}

/** A reader that can be stopped. */
export interface KeyReader {
  readonly stop: () => void;
}

/** Reads keys until stopped. */
export function readKeys(source: KeySource, onInput: (inputs: readonly Input[]) => void): KeyReader {
  const decoder = new StringDecoder('utf8');
  const splitter = new Splitter();
  let timer: NodeJS.Timeout | undefined;

  const deliver = (inputs: readonly Input[]): void => {
    if (inputs.length > 0) onInput(inputs);
  };
  const onData = (chunk: Buffer | string): void => {
    clearTimeout(timer);
    deliver(splitter.push(typeof chunk === 'string' ? chunk : decoder.write(chunk)));
    const { unfinished } = splitter;
    if (unfinished !== 'nothing') {
      timer = setTimeout(() => deliver(splitter.flush()), unfinished === 'key' ? KEY_MS : PASTE_MS);
    }
  };
  source.setRawMode?.(true);
  source.on('data', onData);
  source.resume();
  return {
    stop() {
      clearTimeout(timer);
      source.off('data', onData);
      source.setRawMode?.(false);
      source.pause();
    },
  };
}
