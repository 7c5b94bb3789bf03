import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { AdLine, AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { NativeWriteKind } from './controls.ts';
import { creativeVersion } from './native-order.ts';
import type { NativeLine, NativeOrder } from './native-order.ts';

/** One write that brings what stands natively nearer to what is wanted. */
export interface NativeStep {
  kind: NativeWriteKind;
  package_id?: string;
  creative_id?: string;
  apply: (native: NativeOrder | null) => NativeOrder;
}

/** What an edit may change of a line. */
const EDITABLE = [
  'name',
  'product_id',
  'delivery_type',
  'config',
  'pricing',
  'goal',
  'pacing',
  'start',
  'end',
] as const;
const EDITABLE_TARGETING = ['targeting', 'frequency_cap'] as const;
const EDITS = [...EDITABLE, ...EDITABLE_TARGETING];

/**
 * The writes that are left to make an order what it is to be, in the order of P4 of the port: stops and cuts, then
 * what is new and idle, then raises, resumptions and releases. Found by looking at what stands (P5), so after a stop
 * anywhere the rest is found again. `seed`: what chance is drawn by. Pure.
 */
export function stepsTo(native: NativeOrder | null, order: AdOrder, seed: string): NativeStep[] {
  if (order.state === 'ended') return native === null || native.state === 'ended' ? [] : [orderState('end', 'ended')];
  const lines = order.lines.map((wanted, i) => ({
    wanted,
    found: native?.lines.find(({ package_id }) => package_id === wanted.package_id),
    seed: `${seed}/${order.name}/${wanted.product_id}/${i}`,
  }));
  const known = lines.flatMap(({ wanted, found }) => (found === undefined ? [] : [{ wanted, found }]));
  const stops = native !== null && native.state === 'running' && order.state !== 'running';
  const gone = (native?.lines ?? []).filter(
    ({ package_id, state }) => state !== 'ended' && !order.lines.some((line) => line.package_id === package_id),
  );
  return [
    ...(stops ? [orderState('pause', order.state)] : []),
    ...gone.map(({ package_id }) => lineStep('end', package_id, { state: 'ended', by_hand: false })),
    ...known.flatMap(stopsOf),
    ...known.flatMap(cutsOf),
    ...(native === null ? [] : orderEdits(native, order)),
    ...known.flatMap(editsOf),
    ...(native === null ? [createOrder(order)] : []),
    ...lines.flatMap(({ wanted, found, seed: drawnBy }) => (found === undefined ? [createLine(wanted, drawnBy)] : [])),
    ...lines.flatMap(({ wanted, found }) => associations(wanted, found)),
    ...known.flatMap(raisesOf),
    ...lines.flatMap(({ wanted, found }) => startsOf(wanted, found, order)),
    ...(!stops && (native?.state ?? 'held') !== order.state ? [orderStart(native, order)] : []),
  ];
}

interface KnownLine {
  wanted: AdLine;
  found: NativeLine;
}

function stopsOf({ wanted: { package_id, state }, found }: KnownLine): NativeStep[] {
  if (state === 'running' || found.state === state || found.state === 'ended') return [];
  return [lineStep(state === 'ended' ? 'end' : 'pause', package_id, { state, by_hand: false })];
}

function cutsOf({ wanted, found }: KnownLine): NativeStep[] {
  const { package_id, budget_minor, daily_cap_minor } = wanted;
  const isCapLower = (daily_cap_minor ?? Infinity) < (found.daily_cap_minor ?? Infinity);
  return [
    ...(budget_minor < found.budget_minor ? [lineStep('cut', package_id, { budget_minor })] : []),
    ...(isCapLower ? [lineStep('cut', package_id, { daily_cap_minor })] : []),
  ];
}

function raisesOf({ wanted, found }: KnownLine): NativeStep[] {
  const { package_id, budget_minor, daily_cap_minor } = wanted;
  const isCapHigher = (daily_cap_minor ?? Infinity) > (found.daily_cap_minor ?? Infinity);
  return [
    ...(budget_minor > found.budget_minor ? [lineStep('raise', package_id, { budget_minor })] : []),
    ...(isCapHigher ? [lineStep('raise', package_id, { daily_cap_minor })] : []),
  ];
}

function editsOf({ wanted, found }: KnownLine): NativeStep[] {
  const isSame = EDITS.every((field) => canonicalJson(wanted[field] ?? null) === canonicalJson(found[field] ?? null));
  if (isSame) return [];
  const changes = Object.fromEntries(EDITS.map((field) => [field, wanted[field]]));
  return [lineStep('edit', wanted.package_id, changes)];
}

function orderEdits(native: NativeOrder, { name, start, end }: AdOrder): NativeStep[] {
  if (native.name === name && native.start === start && native.end === end) return [];
  return [{ kind: 'edit', apply: (now) => ({ ...made(now), name, start, end }) }];
}

function createOrder({ name, start, end }: AdOrder): NativeStep {
  return {
    kind: 'create_order',
    apply: (now) => now ?? { name, start, end, state: 'held', lines: [], unapproved: [] },
  };
}

function createLine(wanted: AdLine, seed: string): NativeStep {
  const { package_id, state, ...rest } = wanted;
  const line = { ...rest, package_id, state: state === 'running' ? ('idle' as const) : state, by_hand: false, seed };
  return {
    kind: 'create_line',
    package_id,
    apply: (now) => ({ ...made(now), lines: [...made(now).lines, { ...line, creatives: [] }] }),
  };
}

/** Creatives put on a line, and only then those taken off, so that what delivers never stands without. */
function associations({ package_id, creatives: wanted }: AdLine, line: NativeLine | undefined): NativeStep[] {
  const found = line?.creatives ?? [];
  const missing = wanted.filter((one) => !found.some((other) => isSameUse(one, other)));
  const extra = found.filter((one) => !wanted.some(({ creative_id }) => creative_id === one.creative_id));
  return [
    ...missing.map((creative) =>
      lineUpdate('associate_creative', { package_id, creative_id: creative.creative_id }, (now) => ({
        ...now,
        creatives: [...now.creatives.filter(({ creative_id }) => creative_id !== creative.creative_id), creative],
      })),
    ),
    ...extra.map(({ creative_id }) =>
      lineUpdate('dissociate_creative', { package_id, creative_id }, (now) => ({
        ...now,
        creatives: now.creatives.filter((other) => other.creative_id !== creative_id),
      })),
    ),
    ...(line?.had_creatives === undefined ? [] : [lineStep('edit', package_id, { had_creatives: undefined })]),
  ];
}

function isSameUse(one: AdLine['creatives'][number], other: AdLine['creatives'][number]): boolean {
  return creativeVersion(one) === creativeVersion(other) && (one.weight ?? 1) === (other.weight ?? 1);
}

/** A line that a person has stopped stays so until a version that runs. */
function startsOf({ package_id, state }: AdLine, found: NativeLine | undefined, order: AdOrder): NativeStep[] {
  if (state !== 'running' || found?.state === 'running') return [];
  if (found?.by_hand === true && order.state !== 'running') return [];
  const kind = found === undefined || found.state === 'idle' ? 'release' : 'resume';
  return [lineStep(kind, package_id, { state, by_hand: false })];
}

function orderStart(native: NativeOrder | null, { state }: AdOrder): NativeStep {
  if (state !== 'running') return orderState('pause', state);
  return orderState((native?.state ?? 'held') === 'held' ? 'release' : 'resume', state);
}

function orderState(kind: NativeWriteKind, state: NativeOrder['state']): NativeStep {
  return { kind, apply: (now) => ({ ...made(now), state }) };
}

type LineChanges = { [K in keyof NativeLine]?: NativeLine[K] | undefined };

function lineStep(kind: NativeWriteKind, package_id: string, changes: LineChanges): NativeStep {
  return lineUpdate(kind, { package_id }, (line) => withoutUndefined({ ...line, ...changes }));
}

function lineUpdate(
  kind: NativeWriteKind,
  ids: { package_id: string; creative_id?: string },
  change: (line: NativeLine) => NativeLine,
): NativeStep {
  const applied = (line: NativeLine) => (line.package_id === ids.package_id ? change(line) : line);
  return { kind, ...ids, apply: (now) => ({ ...made(now), lines: made(now).lines.map(applied) }) };
}

function withoutUndefined(line: LineChanges): NativeLine {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined)) as unknown as NativeLine;
}

function made(native: NativeOrder | null): NativeOrder {
  if (native === null) throw new Error('a step was taken before its order was made');
  return native;
}
