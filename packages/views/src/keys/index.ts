// Keys of commands, and their names.
export * from './binding.ts';
export * from './key-name.ts';
export * from './shared-keys.ts';
