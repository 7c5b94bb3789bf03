import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const ORDERS = 'Orders at the ad server';

export const ORDER_RULES: readonly Requirement[] = [
  proved(
    'I1',
    ORDERS,
    'Of a task that is `canceled`, the ad server has never taken a version; of a create, none that runs.',
  ),
  proved('I2', ORDERS, 'When a task is `completed`, the ad server holds its version, or a higher one.'),
  proved(
    'I3',
    ORDERS,
    'When a task has `failed`, the ad server holds nothing of it, unless it says `details.effect: "unknown"`.',
  ),
  proved('I4', ORDERS, 'The same request under the same key, however often it is sent, takes effect once.'),
  proved(
    'I5',
    ORDERS,
    'The versions that an ad server takes of an order strictly grow, none is given to two orders, and one that comes late changes nothing.',
  ),
  proved('I6', ORDERS, 'Where nothing is open, the buy and what the ad server holds of it agree.'),
  proved('I7', ORDERS, 'What is billed is never more than the budget in force.'),
  proved('I8', ORDERS, 'Where a total needs the leave of a person, it is never more than was granted last.'),
  proved('I9', ORDERS, 'A buy is one native order and a package one native line, whoever dies when.'),
  proved(
    'I10',
    ORDERS,
    'The book is what the ad server stated last, hour by hour, and corrections explain each difference from what was told before.',
  ),
  proved(
    'I11',
    ORDERS,
    'Nothing is served by a line that is held, that shows what nobody has approved, or that is wider than its overlay. Who withdraws a creative stops also what waits to be told.',
  ),
  proved('I12', ORDERS, 'A stop is put before any raise that is open.'),
  proved('I13', ORDERS, 'After an outage of any length, orders stand as they would without it.'),
  proved('I14', ORDERS, 'Several workers at the same buy make each change once: sums are exact.'),
];
