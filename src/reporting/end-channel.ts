import { toTimestamp } from '../platform/clock.ts';
import { isSameUrl } from '../platform/crypto/sealed-url.ts';
import type { Sealer } from '../platform/crypto/sealer.ts';
import type { Registration } from '../runtime/registration.ts';
import { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { Delivery } from '../webhooks/delivery/delivery.ts';
import { CHANNEL_IDS } from './channels.ts';
import type { BuySchedule } from './schedule.ts';
import type { ReportingDependencies } from './dependencies.ts';

/** A receiver is gone for good: nothing more goes there. */
export async function endChannel(
  { schedules, clock, sealer }: Pick<ReportingDependencies, 'schedules' | 'clock'> & { sealer: Sealer },
  { subject_id, registration_id, url }: Pick<Delivery, 'registration_id' | 'subject_id' | 'url'>,
): Promise<void> {
  if (subject_id === null) return;
  const ended_at = toTimestamp(clock.now());
  const isMeant = (registration: Registration) =>
    registration.registration_id === registration_id && isSameUrl(sealer, registration.url, url);
  const name = registration_id === CHANNEL_IDS.push ? 'push' : 'reporting';
  await schedules.update(MediaBuyId.parse(subject_id), (row) => withoutChannel(row, name, { isMeant, ended_at }));
}

function withoutChannel(
  row: BuySchedule,
  name: 'push' | 'reporting',
  { isMeant, ended_at }: { isMeant: (registration: Registration) => boolean; ended_at: string },
): BuySchedule | undefined {
  const channel = row[name];
  if (channel === null || channel.registration.ended_at !== undefined || !isMeant(channel.registration))
    return undefined;
  const { registration } = channel;
  return { ...row, [name]: { ...channel, registration: { ...registration, ended_at } } };
}
