import type { Mutant } from './mutant.ts';

const VERSIONS = { file: 'test/adservers/simulator/versions.test.ts', named: /^(?!.*mongodb)/ };
const HALF_ORDERS = { file: 'test/adservers/simulator/half-orders.test.ts', named: /^(?!.*mongodb)/ };

/** P1 to P8 of the port, in the simulator, and the way to an ad server elsewhere. */
export const AD_SERVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'another order under a version that was taken is taken for the same',
    rule: 'P1',
    file: 'src/adservers/simulator/put-turn.ts',
    text: "if (isSame && last.digest !== order.digest) return { steps: [], answer: 'broken' };",
    by: '',
    seenBy: [VERSIONS],
  },
  {
    name: 'a lower version takes effect',
    rule: 'P2',
    file: 'src/adservers/simulator/put-turn.ts',
    text: 'if (last !== null && order.version < last.version) {',
    by: 'if (last !== null && order.version < 0) {',
    seenBy: [VERSIONS],
  },
  {
    name: 'a version that was refused is judged anew',
    rule: 'P3',
    file: 'src/adservers/simulator/put-turn.ts',
    text: "if (isSame && last.outcome !== 'making') return",
    by: "if (isSame && last.outcome === 'done') return",
    seenBy: [VERSIONS],
  },
  {
    name: 'half of what is refused stays made',
    rule: 'P3',
    file: 'src/adservers/simulator/put-turn.ts',
    text: 'const target = isRefused ? (isMaking ? record.held?.order : undefined) : order;',
    by: 'const target = isRefused ? undefined : order;',
    seenBy: [HALF_ORDERS],
  },
  {
    name: 'raises come before pauses and cuts',
    rule: 'P4',
    file: 'src/adservers/simulator/native-steps.ts',
    text: '    ...known.flatMap(stopsOf),\n',
    by: '    ...known.flatMap(raisesOf),\n    ...known.flatMap(stopsOf),\n',
    seenBy: [HALF_ORDERS],
  },
  {
    name: 'a line is made that serves before its order is whole',
    rule: 'P4',
    file: 'src/adservers/simulator/native-steps.ts',
    text: "state: state === 'running' ? ('idle' as const) : state, by_hand",
    by: 'state, by_hand',
    seenBy: [HALF_ORDERS],
  },
  {
    name: 'lines are made without a look for what is there',
    rule: 'P5',
    file: 'src/adservers/simulator/native-steps.ts',
    text: 'found: native?.lines.find(({ package_id }) => package_id === wanted.package_id),',
    by: 'found: native?.lines.find(({ package_id }) => package_id === order.media_buy_id),',
    // Step by step it would never come to an end.
    seenBy: [{ ...VERSIONS, named: /sqlite.*a lower version is stale/ }],
  },
  {
    name: 'what a stop left half made counts as made',
    rule: 'P5',
    file: 'src/adservers/simulator/put-turn.ts',
    text: "if (isSame && last.outcome !== 'making') return",
    by: 'if (isSame) return',
    seenBy: [HALF_ORDERS],
  },
  {
    name: 'an order runs again after its end',
    rule: 'P6',
    file: 'src/adservers/simulator/refusal.ts',
    text: 'if (hasEnded(record)) return',
    by: 'if (hasEnded(record) && order.lines.length === 0) return',
    seenBy: [VERSIONS],
  },
  {
    name: 'what is pending is decided only when it is asked for',
    rule: 'P7',
    file: 'src/adservers/simulator/decided-records.ts',
    text: 'const decided = stored && decidePending(stored, timing());',
    by: 'const decided = stored && { ...decidePending(stored, timing()), record: stored };',
    seenBy: [VERSIONS],
  },
  {
    name: 'a cut is decided by what is reported, not by what is spent when it holds',
    rule: 'I7',
    file: 'src/adservers/simulator/refusal.ts',
    text: 'tallyAt(record, atMs).map(',
    by: 'tallyAt(record, Math.floor(atMs / 3_600_000) * 3_600_000).map(',
    seenBy: [{ file: 'test/adservers/simulator/budget-cuts.test.ts', named: /half an hour after/ }],
  },
  {
    name: 'the ad server is told of more than the product offers',
    rule: 'B14',
    file: 'src/sales/targeting/told-targeting.ts',
    text: 'const chosen = asked?.filter((value) => available === undefined || covers(axis, available, value));',
    by: 'const chosen = available === undefined ? asked : asked?.slice();',
    seenBy: [{ file: 'test/sales/targeting/told-targeting.test.ts' }],
  },
  {
    name: 'what may have reached the ad server is said not to have been sent',
    rule: 'faults',
    file: 'src/adservers/http/answer-fault.ts',
    text: "const sent = result.address === undefined ? 'no' : 'unknown';",
    by: "const sent = result.address === undefined ? 'unknown' : 'no';",
    seenBy: [{ file: 'test/adservers/http/http-ad-server.test.ts' }],
  },
];
