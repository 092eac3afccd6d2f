// Kinds of changes on a host. No schemas: every front end names them.

/**
 * Kinds of changes on a host. `config`: a file of its configuration. `program`: the version or build of a program.
 * `package`: a package of the system. `certificate`: one in a file or on a port. `unit`: a service of systemd. `clock`:
 * the time was set. `disk`: little space is left, or enough again. `dns`: the name servers. `time_zone`: the time zone.
 * `container`: its image, or a restart.
 */
export const HOST_CHANGE_KINDS = [
  'config',
  'program',
  'package',
  'certificate',
  'unit',
  'clock',
  'disk',
  'dns',
  'time_zone',
  'container',
] as const;
export type HostChangeKind = (typeof HOST_CHANGE_KINDS)[number];
