import type { Json } from '../../tasks/support/calls.ts';
import { mustHold } from './must-hold.ts';

interface Counts {
  impressions: number;
  spend: number;
  clicks: number;
}
export interface DeliveryReading {
  media_buy_id: string;
  status: string;
  delivery: Counts;
  by_package: (Counts & { package_id: string })[];
  timeseries: (Counts & { start: string })[];
  corrections: unknown[];
}

/** What must hold of an answer by itself. @throws {InvariantBroken}. */
export function checkReading(task_type: string, answer: Json): void {
  if (task_type === 'get_media_buys') {
    for (const buy of answer['media_buys'] as Json[]) {
      const impaired = ((buy['impairments'] as unknown[] | undefined) ?? []).length > 0;
      const how = () =>
        `${String(buy['media_buy_id'])} is ${String(buy['health'])}: ${JSON.stringify(buy['impairments'])}`;
      mustHold((buy['health'] === 'impaired') === impaired, 'health', how);
    }
  }
  if (task_type === 'get_media_buy_delivery') checkDelivery(answer as unknown as DeliveryReading);
}

function checkDelivery({ media_buy_id, delivery, by_package, timeseries }: DeliveryReading): void {
  const sums = [by_package, timeseries].map(sumOf);
  const isOne = sums.every((sum) => JSON.stringify(sum) === JSON.stringify(sumOf([delivery])));
  mustHold(isOne, 'delivery', () => `of ${media_buy_id} adds up to ${JSON.stringify([delivery, ...sums])}`);
}

/** In whole cents, so that sums are exact. */
function sumOf(parts: readonly Counts[]): Counts {
  const add = (field: keyof Counts) => parts.reduce((sum, part) => sum + Math.round(part[field] * 100), 0);
  return { impressions: add('impressions'), spend: add('spend'), clicks: add('clicks') };
}
