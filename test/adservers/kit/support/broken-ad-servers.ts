import type { AdOrder } from '../../../../src/sales/ad-server/ad-order.ts';
import type { AdServer } from '../../../../src/sales/ad-server/ad-server.ts';
import { Broken, Misconfigured, Unreachable } from '../../../../src/sales/ad-server/faults.ts';
import { orderDigestOf } from '../../../../src/sales/ad-server/order-digest.ts';
import type { PutAnswer } from '../../../../src/sales/ad-server/put-answer.ts';
import { mediaBuyId } from '../../../support/ids.ts';
import type { Wrap } from './embedded-subject.ts';

/** Ad servers that break one rule each and are right otherwise. Two processes share what such a one remembers. */

type Put = AdServer['put'];

function putting(put: (inner: AdServer, order: AdOrder) => Promise<PutAnswer>): Wrap {
  return (inner) => ({ ...inner, put: (order) => put(inner, order) });
}

function resealed(order: AdOrder, changes: Partial<AdOrder>): AdOrder {
  const changed = { ...order, ...changes };
  return { ...changed, digest: orderDigestOf(changed) };
}

/** The same order under another of our ids: another native order. */
function twinOf(order: AdOrder): AdOrder {
  return resealed(order, { media_buy_id: mediaBuyId(`${order.media_buy_id}_twin`) });
}

/** Takes what comes, in the order in which it comes. */
export const takesLowerVersions = putting(async (inner, order) => {
  const answer = await inner.put(order);
  return answer.outcome === 'stale' ? await inner.put({ ...order, version: answer.version + 1 }) : answer;
});

export function ordersAgainOnRepeat(): Wrap {
  const taken = new Set<string>();
  return putting(async (inner, order) => {
    const isRepeated = taken.has(order.digest);
    taken.add(order.digest);
    return await inner.put(isRepeated ? twinOf(order) : order);
  });
}

/** Lets each line run as soon as it is made. */
export const servesHalfAnOrder: Wrap = (inner) => {
  const put: Put = async (order) => {
    const half = resealed(order, { lines: order.lines.slice(0, 1), version: order.version * 2 - 1 });
    await inner.put(half);
    return await inner.put({ ...order, version: order.version * 2 });
  };
  return { ...inner, put };
};

export const changesWhatItRefuses: Wrap = (inner, take) => ({
  ...inner,
  put: async (order) => {
    const answer = await inner.put(order);
    const { media_buy_id } = order;
    if (answer.outcome === 'refused') await take({ trafficker: { media_buy_id, action: 'pause' } });
    return answer;
  },
});

export function reusesRefusedNumbers(): Wrap {
  const refused = new Set<string>();
  const keyOf = ({ media_buy_id, version }: AdOrder) => JSON.stringify([media_buy_id, version]);
  return putting(async (inner, order) => {
    try {
      const answer = await inner.put(order);
      if (answer.outcome === 'refused') refused.add(keyOf(order));
      return answer;
    } catch (error) {
      if (error instanceof Broken && refused.has(keyOf(order))) return await inner.put({ ...order, version: 1000 });
      throw error;
    }
  });
}

export const revivesWhatHasEnded = putting(async (inner, order) => {
  const answer = await inner.put(order);
  return answer.outcome === 'refused' && order.state !== 'ended' ? await inner.put(twinOf(order)) : answer;
});

/** Forgets that an order it never had was ended. */
export const forgetsTombstones = putting(async (inner, order) => {
  const held = await inner.read(order.media_buy_id);
  if (order.state !== 'ended' || held.found) return await inner.put(order);
  return { outcome: 'done', native: { order: 'none', lines: {}, creatives: {} }, lines: [] };
});

export const answersOtherDigestsDone = putting(async (inner, order) => {
  try {
    return await inner.put(order);
  } catch (error) {
    const held = await inner.read(order.media_buy_id);
    if (!(error instanceof Broken) || !held.found) throw error;
    return { outcome: 'done', native: held.native, lines: held.lines };
  }
});

/** Says that it has no topics, and leaves out those that it is asked for. */
export const leavesOutWhatItCannot: Wrap = (inner) => ({
  ...putting((by, order) => by.put(withoutAxis(order, 'topics')))(inner, never),
  describe: async () => {
    const description = await inner.describe();
    const { topics: _topics, ...targeting } = description.targeting;
    return { ...description, targeting };
  },
});

/** Says that it has every axis, and leaves audiences out. */
export const widensInSilence = putting((inner, order) => inner.put(withoutAxis(order, 'audiences')));

function withoutAxis(order: AdOrder, axis: 'topics' | 'audiences'): AdOrder {
  const lines = order.lines.map((line) => {
    const { [axis]: _left, ...targeting } = line.targeting;
    return { ...line, targeting };
  });
  return resealed(order, { lines });
}

const never = () => Promise.resolve();

export const writesWhenItChecks: Wrap = (inner) => ({
  ...inner,
  check: async (order) => {
    await inner.put(order);
    return await inner.check(order);
  },
});

export const statesAnHourTwice: Wrap = (inner) => ({
  ...inner,
  statements: async (query) => {
    const statement = await inner.statements(query);
    return { ...statement, rows: [...statement.rows, ...statement.rows.slice(-1)] };
  },
});

/** Knows what an hour was once, and says nothing else of it. */
export function neverRestates(): Wrap {
  const known = new Map<string, number>();
  return (inner) => ({
    ...inner,
    statements: async (query) => {
      const statement = await inner.statements(query);
      const rows = statement.rows.map((row) => {
        const key = JSON.stringify([row.media_buy_id, row.package_id, row.hour]);
        const impressions = known.get(key) ?? row.counts.impressions;
        known.set(key, impressions);
        return { ...row, counts: { ...row.counts, impressions } };
      });
      return { ...statement, rows };
    },
  });
}

export const mendsWhatIsStated: Wrap = (inner) => ({
  ...inner,
  statements: async (query) => {
    const statement = await inner.statements(query);
    const rows = statement.rows.map((row) => {
      const { impressions } = row.counts;
      return { ...row, counts: { ...row.counts, impressions: Math.max(0, impressions) } };
    });
    return { ...statement, rows };
  },
});

export const cutsBelowWhatIsSpent = putting(async (inner, order) => {
  const answer = await inner.put(order);
  const isCut = answer.outcome === 'refused' && answer.reasons.some(({ code }) => code === 'budget_below_spend');
  return isCut ? { outcome: 'done', native: await nativeOf(inner, order), lines: [] } : answer;
});

async function nativeOf(inner: AdServer, { media_buy_id }: AdOrder) {
  const held = await inner.read(media_buy_id);
  if (!held.found) throw new Error('the order is not there');
  return held.native;
}

export const keepsPausesByHandToItself: Wrap = (inner) => ({
  ...inner,
  read: async (media_buy_id) => {
    const held = await inner.read(media_buy_id);
    return held.found ? { ...held, lines: held.lines.map((line) => ({ ...line, by_hand: false })) } : held;
  },
});

/** Makes what it is asked for so, whoever has made it otherwise. */
export function undoesPausesByHand(): Wrap {
  const taken = new Set<string>();
  return (inner, take) => ({
    ...inner,
    put: async (order) => {
      const { media_buy_id, digest } = order;
      if (taken.has(digest)) await take({ trafficker: { media_buy_id, action: 'resume' } });
      taken.add(digest);
      return await inner.put(order);
    },
  });
}

export const takesTheWrongKeyForAnOutage = throwing((error) =>
  error instanceof Misconfigured ? new Unreachable(error.message, { sent: 'no' }) : error,
);

export const saysThatNothingWasSent = throwing((error) =>
  error instanceof Unreachable ? new Unreachable(error.message, { sent: 'no' }) : error,
);

export const forgetsWhenToAskAgain = throwing((error) =>
  error instanceof Unreachable ? new Unreachable(error.message, { sent: error.sent }) : error,
);

export const throwsWhatItLikes = throwing((error) => (error instanceof Unreachable ? new Error('ECONNRESET') : error));

function throwing(other: (error: unknown) => unknown): Wrap {
  return putting(async (inner, order) => {
    try {
      return await inner.put(order);
    } catch (error) {
      throw other(error);
    }
  });
}
