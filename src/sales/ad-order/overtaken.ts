import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { BuyChange } from '../media-buy/buy-change.ts';
import type { OpenChange } from '../media-buy/open-change.ts';
import { renewedPackageId } from '../media-buy/package-id.ts';

/** So many dropped packages are remembered of a buy: no statement restates what is older. */
const MOST_DROPPED = 300;

/**
 * The parts of a buy's row after a stop, told as `version`, has come before its open change: that takes no version with it, and
 * resumes nothing that was stopped after it. Packages that it adds may have been begun, and the stop, which does not name them,
 * has ended them for good then: they are told by other ids when it is planned anew. Pure.
 */
export function withOvertaken(
  buy: Pick<MediaBuy, 'dropped_packages'>,
  open: OpenChange | null,
  { version, isPause }: { version: number; isPause: boolean },
): Pick<MediaBuy, 'open_change' | 'dropped_packages'> {
  if (open === null) return { open_change: null };
  const { cut: _begunAnew, ...rest } = open;
  const free = {
    ...rest,
    order: null,
    ...(open.change !== undefined && { change: withoutResumption(open.change, isPause) }),
  };
  const told = new Set(open.order?.lines.map(({ package_id }) => package_id));
  const dropped = (open.change?.new_packages ?? []).flatMap(({ package_id }) =>
    told.has(package_id) ? package_id : [],
  );
  if (free.change === undefined || dropped.length === 0) return { open_change: free };
  return {
    open_change: { ...free, change: withOtherIds(free.change, version) },
    dropped_packages: [...(buy.dropped_packages ?? []), ...dropped].slice(-MOST_DROPPED),
  };
}

/** What only goes on waiting is stopped by a pause alone: nothing of it runs meanwhile. */
function withoutResumption(change: BuyChange, isPause: boolean): BuyChange {
  const { status, resumes, ...others } = change;
  const kept = { ...others, ...(resumes !== undefined && !isPause && { resumes }) };
  return status === undefined || status === 'active' ? kept : { ...kept, status };
}

function withOtherIds(change: BuyChange, version: number): BuyChange {
  const { new_packages = [] } = change;
  const ids = new Map(new_packages.map(({ package_id }) => [package_id, renewedPackageId(package_id, version)]));
  const renewed = (package_id: string) => ids.get(package_id) ?? package_id;
  return {
    ...change,
    new_packages: new_packages.map((line) => ({ ...line, package_id: renewed(line.package_id) })),
    affected_packages: change.affected_packages.map(renewed),
  };
}
