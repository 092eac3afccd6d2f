// The engine of lines that tests run over: segments, or the one of the module that LINE_ENGINE names.
import { segmentEngine } from '@quarterdeck/store';

const file = process.env['LINE_ENGINE'];

export const { openLines }: { readonly openLines: typeof segmentEngine } =
  file === undefined ? { openLines: segmentEngine } : await import(file);
