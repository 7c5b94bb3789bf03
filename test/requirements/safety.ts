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
    'its parts are; what is sealed with a secret that leaked is another matter',
  ),
  proved(
    'S5.people',
    SAFETY,
    'Operators are people, or programs, with a role and credentials of their own; the record names who was authenticated, and a name that a caller says is a note beside it. Whoever holds the shared key is an admin of its name. The last admin among people can neither be removed nor become less.',
  ),
  proved(
    'S5.roles',
    SAFETY,
    "Every operation of an operator states the role it takes, and is refused with 403 `FORBIDDEN` to whoever has less; what no operator's credential opens is 401.",
  ),
  proved(
    'S5.session',
    SAFETY,
    'A link into the console is redeemed once, by a form and not by its page, and signs in whom it was made for. A session ends after 12 hours, after 2 without use, when somebody ends it, when its person is removed and when their role changes; each ends it in every process at once.',
  ),
  proved(
    'S5.take-back',
    SAFETY,
    'An operator can end every credential that was handed out: API keys of any organization, OAuth grants with their refresh and access tokens, sign-ins, operator keys and console sessions. Every process knows within 3 seconds.',
  ),
  proved(
    'S5.suspend',
    SAFETY,
    'While an organization is suspended, every wire answers its API keys and tokens with 403 `FORBIDDEN`, in every process within 3 seconds. Its queued tasks wait as they are and go on once it is restored; what is to be undone is undone. Its webhooks go on, or wait when the operator says so.',
  ),
  proved(
    'S5.slot',
    SAFETY,
    "`BOOTSTRAP_API_KEY` is the one key of its slot: another value revokes the former, and a former value that comes back revokes nothing. The demo's key ends where an agent starts that is no demo.",
  ),
  proved(
    'S5.record',
    SAFETY,
    'Each decision about access is on record once: a log line `security` with its kind, outcome, address, who, what and request id, and a count; never a credential. Of what strangers cause at will, one address has five lines a minute and all together 120; the rest is counted and told within a minute.',
  ),
  proved(
    'S5.request-id',
    SAFETY,
    'Every HTTP answer has an id in `X-Request-Id`, every answer over gRPC in its metadata and trailers, and so has what is logged and said of errors. One that came with the request is kept where a proxy in front is believed and it is 8 to 128 of letters, digits and `_ . : = -`.',
  ),
  proved(
    'S5.queues',
    SAFETY,
    'Nobody changes the queues on their pages. Admins pause and resume them by the operator API, with a reason on record, and `/readyz` says `degraded` meanwhile. A job with any data harms no worker.',
  ),
  proved(
    'S5.no-secret',
    SAFETY,
    'No log line at any level, metric, event, or refusal holds a secret: no key, token, password, code, cookie, one-time link or webhook credential, neither one that is good nor one that somebody tried.',
  ),
  proved(
    'S5.matrix',
    SAFETY,
    'Of every route, every method of A2A and every skill it is said who may call it, and others are refused; a new one that nobody has said it of fails a test. No skill tells or changes anything of another organization.',
  ),
  proved(
    'S5.papers',
    SAFETY,
    '`SECURITY.md`, `LICENSE` and `docs/hardening.md` are there; `/.well-known/security.txt` names `SECURITY_CONTACT`. A bill of materials can be made, and no dependency runs a script when it is installed but those that are listed with a reason.',
  ),
  proved(
    'S6',
    SAFETY,
    'Stored rows may grow: keys that this release does not know survive a write at any depth, and nobody is shown or told of them; new fields have defaults. A row that cannot be read fails no page and no sweep, stays as it is, is an error when asked for by its id, and stands on a list until a start can read it. Each collection has a schema version; migrations go forward under a lease, and a program refuses to start on data newer than it can read.',
  ),
];
