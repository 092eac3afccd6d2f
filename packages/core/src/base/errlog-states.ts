/**
 * State of a group. `new`: first seen, or set so, within a day. `ongoing`: known and open. `resolved`: closed by a
 * person. `regressed`: happened again after `resolved`. `muted`: hidden until its mute ends.
 */
export const ERRLOG_STATES = ['new', 'ongoing', 'regressed', 'muted', 'resolved'] as const;
