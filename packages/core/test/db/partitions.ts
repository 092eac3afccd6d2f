// Lines in two partitions on PostgreSQL (decision 066), as after the end of a day.

/** Statements that move the segments before an id into a partition of their own. */
export const splitSegments = (beforeId: number): string => `
  ALTER TABLE errlog_segment DETACH PARTITION errlog_segment_from_0;
  CREATE TABLE errlog_segment_to_${beforeId} PARTITION OF errlog_segment FOR VALUES FROM (MINVALUE) TO (${beforeId});
  INSERT INTO errlog_segment SELECT * FROM errlog_segment_from_0 WHERE id < ${beforeId};
  DELETE FROM errlog_segment_from_0 WHERE id < ${beforeId};
  ALTER TABLE errlog_segment ATTACH PARTITION errlog_segment_from_0 FOR VALUES FROM (${beforeId}) TO (MAXVALUE);`;
