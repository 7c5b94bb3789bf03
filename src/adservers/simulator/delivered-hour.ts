/** What one package delivered in one hour of UTC. */
export interface DeliveredHour {
  package_id: string;
  /** The hour's first instant, a timestamp. */
  hour: string;
  impressions: number;
  spend_minor: number;
  clicks: number;
}

/** A later and better count of an hour that was counted before. */
export interface CorrectedHour extends DeliveredHour {
  /** The same for the same correction, however often it is made. */
  correction_id: string;
}
