import { open, proved } from './row.ts';
import type { Requirement } from './row.ts';

const SAFETY = 'Safety and operation';

export const SAFETY_RULES: readonly Requirement[] = [
  proved(
    'S1',
    SAFETY,
    'Every input passes one gate before a schema sees it: bytes, depth, members, elements, values, and half-sent requests by address and in time. The gate has its limits in one file, and `docs/limits.md` tells them. Which problems a refusal tells is decided before any is explained, and whatever comes in is read or refused.',
  ),
  open(
    'S2',
    SAFETY,
    'Requests, queued tasks, bytes a day, rows, streams and crawls have budgets per organization, and per address where nobody is known, that hold over all processes. A refusal names the budget, its size, and when it is free again.',
    'not built yet',
  ),
  open(
    'S3',
    SAFETY,
    'Workers take turns of organizations one after the other, so that none waits behind all of another.',
    'not built yet',
  ),
  open(
    'S4',
    SAFETY,
    "`DATA_DIR` has mode 0700 and its files 0600. The installation's secret stands in `DATA_DIR/secret` and never in the embedded store; on MongoDB, `SECRET_KEY` must be set. A secret that 0.1.0 left in the store is used, warned of at each start, and moved out by `agent secret move-out`, which seals everything anew. Conveniences of the demo exist on loopback only. Addresses that the operator sets (ad server, identity provider, telemetry) are held to the limits of rule W16 but not to its address rules.",
    'not built yet',
  ),
  open(
    'S5',
    SAFETY,
    'An operator is a person with a role (viewer, operator, admin). Whatever was handed out can be taken back, and each decision about access is on record.',
    'not built yet',
  ),
  proved(
    'S6',
    SAFETY,
    'Stored rows may grow: keys that this release does not know survive a write at any depth, and nobody is shown or told of them; new fields have defaults. A row that cannot be read fails no page and no sweep, stays as it is, is an error when asked for by its id, and stands on a list until a start can read it. Each collection has a schema version; migrations go forward under a lease, and a program refuses to start on data newer than it can read.',
  ),
];
