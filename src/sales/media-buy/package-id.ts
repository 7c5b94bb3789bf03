import { partOfIds } from '../../platform/task-id.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { MediaBuyId } from './media-buy-id.ts';

/** The id of a buy's n-th package, counted from 1. */
export function packageId(media_buy_id: MediaBuyId, n: number): string {
  return `${media_buy_id}_p${n}`;
}

/**
 * The id of the n-th package that a task adds to a buy, counted from 1: the same however often the task runs, whatever else is
 * added meanwhile, and never another's.
 */
export function addedPackageId(media_buy_id: MediaBuyId, task_id: TaskId, n: number): string {
  return `${media_buy_id}_p${partOfIds(task_id)}_${n}`;
}

/** Another id for a package to be added, of which the ad server may have ended the line: what has ended is so for good. */
export function renewedPackageId(package_id: string, version: number): string {
  return `${package_id.replace(/^(.*_p[0-9a-z]+_\d+)_\d+$/, '$1')}_${version}`;
}

/** The buy that a package of this id would belong to; whether there is one, only the store knows. */
export function mediaBuyIdOfPackage(package_id: string): MediaBuyId {
  return MediaBuyId.parse(package_id.replace(/_p[0-9a-z]+(?:_\d+)*$/, ''));
}
