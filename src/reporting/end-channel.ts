import { toTimestamp } from '../platform/clock.ts';
import { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { Delivery } from '../webhooks/delivery/delivery.ts';
import { CHANNEL_IDS } from './channels.ts';
import type { BuySchedule } from './schedule.ts';
import type { ReportingDependencies } from './dependencies.ts';

/** A receiver is gone for good: nothing more goes there. */
export async function endChannel(
  { schedules, clock }: Pick<ReportingDependencies, 'schedules' | 'clock'>,
  { subject_id, registration_id, url }: Pick<Delivery, 'registration_id' | 'subject_id' | 'url'>,
): Promise<void> {
  if (subject_id === null) return;
  const ended_at = toTimestamp(clock.now());
  await schedules.update(MediaBuyId.parse(subject_id), (row) =>
    withoutChannel(row, { registration_id, url, ended_at }),
  );
}

function withoutChannel(
  row: BuySchedule,
  { registration_id, url, ended_at }: { registration_id: string; url: string; ended_at: string },
): BuySchedule | undefined {
  const name = registration_id === CHANNEL_IDS.push ? 'push' : 'reporting';
  const channel = row[name];
  const { registration } = channel ?? {};
  if (channel === null || registration?.registration_id !== registration_id || registration.url !== url) {
    return undefined;
  }
  if (registration.ended_at !== undefined) return undefined;
  return { ...row, [name]: { ...channel, registration: { ...registration, ended_at } } };
}
