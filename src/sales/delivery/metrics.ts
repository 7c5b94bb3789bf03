/** What delivery can be told in, in the order it is told (rule B10). */
export const METRICS = ['impressions', 'spend', 'clicks', 'ctr', 'cpm'] as const;
export type Metric = (typeof METRICS)[number];

/** What every delivery report tells unless other metrics are asked for (rule C.resources.envelope). */
export const USUAL_METRICS: readonly Metric[] = ['impressions', 'spend', 'clicks'];
