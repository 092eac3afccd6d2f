/** Stages at which lines are lost. Nobody has read the lines of the first two: each lost piece of a file counts one. */
export const LOSS_STAGES = ['rotation', 'spool_full', 'skipped', 'missing', 'udp', 'quota', 'refused'] as const;
export type LossStage = (typeof LOSS_STAGES)[number];
