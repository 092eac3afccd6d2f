// Keys of errors and of groups: an error on one source is a group.

/** Key of an error on all sources. */
export interface ErrorKey {
  readonly fingerprint: string;
  readonly level: number;
  readonly appId: number;
}

export interface GroupKey extends ErrorKey {
  readonly src: number;
}

/** An error key as one text. */
export const errorKey = ({ fingerprint, level, appId }: ErrorKey): string => `${level},${appId},${fingerprint}`;
