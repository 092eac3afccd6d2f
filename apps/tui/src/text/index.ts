// Measuring of text, for the command line, as "@quarterdeck/tui/text".
export { cut, fit, width } from './width.ts';
