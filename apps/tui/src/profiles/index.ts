// Profiles and their files, for the command line, as "@quarterdeck/tui/profiles".

export { changeConfig, readConfigTable } from './config-file.ts';
export { configPath, defaultFolders, type Folders, readText, writeAtomically } from './files.ts';
export { changeProfiles, nameProblem, type Profile, readAddress, readProfile } from './profile.ts';
export { readOnly } from './read-only.ts';
