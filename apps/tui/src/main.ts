#!/usr/bin/env node
// Starts the program without the other commands of `quarterdeck`. The only file with side effects on import.
import './require-node.ts';
import { runProgram } from './program.ts';

// Open keep-alive connections must not keep the process alive.
runProgram(process.argv.slice(2)).then((code) => process.exit(code));
