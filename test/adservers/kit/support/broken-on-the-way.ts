import type { AdOrder } from '../../../../src/sales/ad-server/ad-order.ts';
import { isAdServerFault, Unreachable } from '../../../../src/sales/ad-server/faults.ts';
import { orderDigestOf } from '../../../../src/sales/ad-server/order-digest.ts';
import { mediaBuyId } from '../../../support/ids.ts';
import type { Wrap } from './embedded-subject.ts';

/** Ad servers that break one rule each between two calls, or between two processes. */

/** Knows what it has made from its own memory, and looks nothing up. */
export const remembersInItsOwnProcess: Wrap = (inner) => {
  const made = new Set<string>();
  return {
    ...inner,
    put: async (order) => {
      made.add(order.media_buy_id);
      return await inner.put(order);
    },
    read: async (media_buy_id) => (made.has(media_buy_id) ? await inner.read(media_buy_id) : { found: false }),
  };
};

/** Raises and resumes before it cuts and pauses. */
export function startsBeforeItStops(): Wrap {
  const before = new Map<string, AdOrder>();
  return (inner) => ({
    ...inner,
    put: async (order) => {
      const { media_buy_id, version } = order;
      const known = before.get(media_buy_id);
      before.set(media_buy_id, order);
      if (known !== undefined && known.digest !== order.digest) {
        const lines = order.lines.map((line, i) => {
          const was = known.lines[i];
          return was === undefined || was.state === 'paused' ? line : was;
        });
        const starts = { ...order, lines };
        await inner.put({ ...starts, digest: orderDigestOf(starts), version: version * 2 - 1 });
      }
      return await inner.put({ ...order, version: version * 2 });
    },
  });
}

/** Makes another order where it has had no answer. */
export function makesAnewWithoutLooking(): Wrap {
  const unanswered = new Set<string>();
  return (inner) => ({
    ...inner,
    put: async (order) => {
      if (unanswered.has(order.media_buy_id)) {
        const twin = { ...order, media_buy_id: mediaBuyId(`${order.media_buy_id}_twin`) };
        return await inner.put({ ...twin, digest: orderDigestOf(twin) });
      }
      try {
        return await inner.put(order);
      } catch (error) {
        if (isAdServerFault(error)) unanswered.add(order.media_buy_id);
        throw error;
      }
    },
  });
}

/** Takes a second question for a yes. */
export function decidesWhenAskedTwice(): Wrap {
  const asked = new Set<string>();
  return (inner) => ({
    ...inner,
    put: async (order) => {
      const answer = await inner.put(order);
      const isSecond = asked.has(order.digest);
      asked.add(order.digest);
      if (answer.outcome !== 'pending' || !isSecond) return answer;
      return { outcome: 'done', native: { order: 'soon', lines: {}, creatives: {} }, lines: [] };
    },
  });
}

/** Says that it sells in dollars, and takes whatever comes. */
export const takesAnyCurrency: Wrap = (inner) => ({
  ...inner,
  describe: async () => ({ ...(await inner.describe()), currencies: ['USD'] }),
});

/** Rounds each hour's share of a fee by itself. */
export const roundsEachHour: Wrap = (inner) => ({
  ...inner,
  statements: async (query) => {
    const statement = await inner.statements(query);
    const rows = statement.rows.map((row) => ({ ...row, spend_minor: Math.floor((row.spend_minor ?? 0) / 10) * 10 }));
    return { ...statement, rows };
  },
});

/** Uploads a creative whenever it is asked about it. */
export function uploadsAgainAndAgain(): Wrap {
  let uploads = 0;
  return (inner) => ({
    ...inner,
    putCreative: async (creative) => {
      uploads += 1;
      return await inner.putCreative({ ...creative, version: uploads });
    },
  });
}

/** Puts a line's new creative on it some other time. */
export const takesCreativesOffAtChanges: Wrap = (inner) => ({
  ...inner,
  put: async (order) => {
    if (order.version === 1) return await inner.put(order);
    const bare = { ...order, lines: order.lines.map((line) => ({ ...line, creatives: [] })) };
    return await inner.put({ ...bare, digest: orderDigestOf(bare) });
  },
});

/** Says that it keeps frequency caps, and drops them. */
export const dropsFrequencyCaps: Wrap = (inner) => ({
  ...inner,
  put: async (order) => {
    const lines = order.lines.map(({ frequency_cap: _cap, ...line }) => line);
    const open = { ...order, lines };
    return await inner.put({ ...open, digest: orderDigestOf(open) });
  },
});

/** Tells an instant to ask again that nobody has told it. */
export const inventsWhenToAskAgain: Wrap = (inner) => ({
  ...inner,
  put: async (order) => {
    try {
      return await inner.put(order);
    } catch (error) {
      throw new Unreachable('come again', { sent: 'unknown', retryAtMs: 0, cause: error });
    }
  },
});
