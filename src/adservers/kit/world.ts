import type { AdCounts } from '../../sales/ad-server/line-state.ts';
import type { AdLine } from '../../sales/ad-server/ad-order.ts';
import type { Reason } from '../../sales/ad-server/put-answer.ts';

/** What time it is at the ad server. */
export interface WorldClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Lets so many milliseconds pass there; absent where time only passes by itself. */
  advance?(ms: number): Promise<void>;
}

/** What is to go wrong between the caller and the ad server, without effect there; the calls after those go well. */
export type WorldFailure =
  | { status: number; retry_after_s?: number; times: number }
  /** Every call until `calm`. */
  | { outage: true };

/** A way in which a statement can be untrue. */
export type WorldLie = 'negative' | 'future' | 'foreign' | 'going_back' | 'thousandfold';

/** A step that changes what the ad server holds, in its own terms. */
export interface WorldWrite {
  kind:
    | 'create_order'
    | 'create_line'
    | 'create_creative'
    | 'associate_creative'
    | 'dissociate_creative'
    | 'pause'
    | 'cut'
    | 'edit'
    | 'raise'
    | 'resume'
    | 'release'
    | 'end';
  media_buy_id?: string | undefined;
  package_id?: string | undefined;
  creative_id?: string | undefined;
}

/**
 * What a test can do to the ad server from behind it. All of it is optional: a case that needs what is absent is skipped by
 * its name, and counted.
 */
export interface World {
  /** Whatever was set by the others is over, and every call goes well; what the ad server holds stays. */
  calm?(): Promise<void>;
  /** The next calls fail so. */
  fail?(failure: WorldFailure): Promise<void>;
  /** So many of the next answers break off in the middle, after what was asked has been done. */
  breakOff?(times: number): Promise<void>;
  /** So many of the next answers are lost, after what was asked has been done. */
  dropAnswers?(times: number): Promise<void>;
  /**
   * The next call is answered after so long, and those until `calm` may be. A world may shorten it together with its caller's limit of 30 s, so that what
   * is above the limit stays above it.
   */
  delay?(ms: number): Promise<void>;
  /** The n-th write at the ad server from now on, counted from 1, never comes to be, and its call throws; 0: none. */
  stopBeforeWrite?(n: number): Promise<void>;
  /** What was written there since `calm`, oldest first. */
  writes?(): Promise<WorldWrite[]>;
  /** Lets so many milliseconds pass at the ad server; what runs delivers. Absent: the clock's `advance`, if it has one. */
  deliver?(ms: number): Promise<void>;
  /** This hour of a line is stated so from now on. */
  restate?(hour: { media_buy_id: string; package_id: string; hour: string; counts: AdCounts }): Promise<void>;
  /** Statements are untrue in this way, until `calm`. */
  lie?(lie: WorldLie): Promise<void>;
  /** A person at the ad server does so to a line. */
  trafficker?(act: {
    media_buy_id: string;
    package_id: string;
    action: 'pause' | 'resume' | 'edit' | 'archive';
  }): Promise<void>;
  /** What is put of this buy is refused for this reason, until `calm`. */
  refuse?(refusal: { media_buy_id: string; reason: Reason }): Promise<void>;
  /** What is put from now on is decided only after so many seconds, until `calm`. With `refuse`, it is refused then. */
  hold?(seconds: number): Promise<void>;
  /** The ad server's review says so of a creative from now on. */
  review?(review: { creative_id: string; verdict: 'undecided' | 'approved' | 'rejected' | 'suspended' }): Promise<void>;
  /** A line as it stands in the ad server itself, in the port's words: what a person would see who opens it there. */
  look?(
    media_buy_id: string,
    package_id: string,
  ): Promise<Partial<Pick<AdLine, 'targeting' | 'frequency_cap' | 'pacing' | 'daily_cap_minor' | 'budget_minor'>>>;
}

/** Something that a world may be able to do. */
export type WorldAbility = keyof World;
