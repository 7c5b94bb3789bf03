import { open, proved } from './row.ts';
import type { Requirement } from './row.ts';

const SAFETY = 'Safety and operation';

export const SAFETY_RULES: readonly Requirement[] = [
  open(
    'S1',
    SAFETY,
    'Every input passes one gate before a schema sees it; the gate has its limits in one file, and the docs tell them.',
    'not built yet',
  ),
  open(
    'S2',
    SAFETY,
    'Requests, queued tasks, bytes a day, rows, streams and crawls have budgets per organization, and per address where nobody is known, that hold over all processes. A refusal names the budget, its size, and when it is free again.',
    'queued tasks and destinations that never answered have their rows in the table, and are counted elsewhere',
  ),
  proved(
    'S2.refusal',
    SAFETY,
    'Whoever is over a budget is told `RATE_LIMITED` on every wire, with the name, size and unit of the budget, and when there is some again: in `free_at`, and in a `Retry-After` that is true; null and none where it is free once something is ended. A refusal takes nothing of the budget and changes nothing.',
  ),
  proved(
    'S2.table',
    SAFETY,
    'All budgets stand in one table with their setting, default, unit and scope; `docs/budgets.md`, the settings and the metrics follow from it.',
  ),
  proved(
    'S2.processes',
    SAFETY,
    'What is spent, and what is held over the installation, counts over all processes; streams of A2A count at each.',
  ),
  proved(
    'S2.away',
    SAFETY,
    'While Redis hangs or is away each process counts for itself; after a flush counting begins anew. No budget disappears, and no request fails for want of one.',
  ),
  proved(
    'S2.bytes',
    SAFETY,
    'What an organization has stored by calls in a day has a budget in bytes of the rows as stored, reads included.',
  ),
  proved(
    'S2.rows',
    SAFETY,
    'Rows that stay have budgets: agents, API keys and members an organization by their number; media buys, creatives, join requests by the day.',
  ),
  proved(
    'S2.queued',
    SAFETY,
    'An organization has at most 1,000 tasks that no worker has begun with, counted in the store; one more is refused before anything of it is stored, and the same request again is answered with its task.',
  ),
  proved(
    'S2.registrations',
    SAFETY,
    "Webhooks of a task that have ended leave its row once nothing is owed to them, but for the newest five; what they were sent stays in the buy's activity. While fifty are being ended the task takes no new one.",
  ),
  proved(
    'S2.unproven',
    SAFETY,
    'Of the places for webhooks to destinations that never answered, each organization gets at most a third of what is left, so that the next one finds some however many hang.',
  ),
  proved(
    'S2.reports',
    SAFETY,
    'Reports of property checks are kept compressed. A check from an address that has used up its bytes of the day is refused, so that every `report_id` can be read for its seven days.',
  ),
  proved('S2.streams', SAFETY, 'An address has at most 20 streams of the feed at a time, over all processes.'),
  proved(
    'S2.crawls',
    SAFETY,
    'Crawls that anybody asks for make at most 50 publishers a day known below one registrable domain and 200 an address, and change at most 5,000 authorizations an address and day.',
  ),
  proved(
    'S2.credentials',
    SAFETY,
    'Wrong credentials are counted by address, an IPv6 /64 being one, at the operator API, the registry, the authorization server and where ad servers ring together; a good one from there goes on working.',
  ),
  proved(
    'S2.sign-in',
    SAFETY,
    'Failed sign-ins count by account and address together, by address, and by account from addresses where nobody signed in to it for 30 days: what strangers fail at locks nobody out where that person is known.',
  ),
  proved(
    'S3',
    SAFETY,
    'Workers take turns round-robin over organizations, so that none waits behind all of another, and none starves; no organization has more than half of the places of a worker.',
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
