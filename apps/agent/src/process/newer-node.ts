// Functions that an older Node lacks. An import by name would fail there before the program can say that it needs a
// newer one.
import fs from 'node:fs/promises';
import path from 'node:path';
import zlib from 'node:zlib';

export const { glob } = fs;
export const { matchesGlob } = path;
export const { crc32 } = zlib;
