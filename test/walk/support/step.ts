/**
 * One step of a walk. It names what it is about by ordinals (the third buy that was asked for), so that it is chosen from the seed
 * alone, whatever became of the steps before.
 */
export type Step = BuyerStep | SellerStep | AdServerStep | WorkStep | { do: 'advance'; seconds: number };

export type BuyerStep =
  | {
      do: 'create';
      lines: 1 | 2;
      isLarge: boolean;
      startsIn: number;
      hours: number;
      creative: number | null;
      isTargeted: boolean;
      tells: boolean;
      mark: '' | ' sim-correct' | ' sim-reject';
    }
  | { do: 'update'; buy: number; change: Change; line: number; amount: number; namesRevision: boolean }
  | { do: 'sync'; creative: number; mark: '' | ' sim-reject' | ' sim-hold'; buy: number | null; isDry: boolean }
  | { do: 'cancel_task'; asked: number }
  | { do: 'ask_again'; asked: number }
  | { do: 'read'; what: Reading; buy: number };

export const CHANGES = [
  ...([
    'raise',
    'raise',
    'raise_far',
    'cut',
    'cut',
    'cut_line',
    'pause',
    'pause',
    'resume',
    'resume',
    'cancel',
  ] as const),
  ...(['pause_line', 'resume_line', 'target', 'creatives', 'end_later', 'raise_and_pause', 'webhook'] as const),
] as const;
export type Change = (typeof CHANGES)[number];

export const READINGS = [
  ...(['get_media_buys', 'get_media_buy_delivery', 'list_creatives', 'list_tasks', 'get_products'] as const),
  ...(['list_creative_formats', 'list_authorized_properties', 'get_agent_capabilities'] as const),
] as const;
export type Reading = (typeof READINGS)[number];

export type SellerStep =
  | { do: 'approve' | 'reject'; which: number }
  | { do: 'decide_creative'; creative: number; to: 'approved' | 'rejected' | 'suspended' }
  | { do: 'give_up'; buy: number; isForced: boolean }
  | { do: 'push' | 'look'; buy: number };

export type AdServerStep =
  | { do: 'link'; to: Link; times: number }
  | { do: 'pending'; seconds: number }
  | { do: 'refuse'; buy: number | null }
  | { do: 'half_put'; writes: number }
  | { do: 'late_put'; which: number }
  | { do: 'lie'; how: 'negative' | 'future' | 'foreign' | 'going_back' | null }
  | { do: 'trafficker'; buy: number; action: 'pause' | 'resume' | 'edit' | 'archive' };

/** What becomes of the next so many puts; of all calls while it is `away`. */
export type Link = 'back' | 'away' | 'loses_requests' | 'loses_answers' | 'doubles' | 'delays' | 'misconfigured';

export const JOBS = [
  ...(['approvals', 'orders', 'order_looks', 'probe', 'flights', 'creative_reviews', 'creative_effects'] as const),
  ...(['impairments', 'reporting', 'reconcile'] as const),
] as const;
export type Job = (typeof JOBS)[number];

/** Work of a process: one owed turn, one periodic job, or everything that is due once. */
export type WorkStep =
  { do: 'turn'; which: number; fate?: Fate } | { do: 'job'; job: Job; fate?: Fate } | { do: 'all'; fate?: Fate };

/** What happens to a process at its n-th write to the store, or its n-th put. */
export interface Fate {
  at: 'write' | 'put';
  n: number;
  when: 'before' | 'after';
  /** It is killed there; or something else is done there, while it holds still. */
  then: 'dies' | Step;
}

/** A step in one line, for people. */
export function words(step: Step): string {
  const { do: name, ...rest } = step;
  const { fate, ...said } = rest as { fate?: Fate };
  const text = Object.entries(said).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  if (fate === undefined) return [name, ...text].join(' ');
  const { when, at, n, then } = fate;
  return `${[name, ...text].join(' ')}, and ${when} its ${at} ${n} ${then === 'dies' ? 'it dies' : `{ ${words(then)} }`}`;
}
