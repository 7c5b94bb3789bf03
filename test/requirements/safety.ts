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
  proved(
    'S1.grpc',
    SAFETY,
    'Over gRPC, nothing of a body beyond the first window of HTTP/2 is read before its caller is known, and a message must then come within 30 s, of a size that is checked by its announcement. One connection has 100 calls at a time, one process 1,000 connections, of which those on which nobody is known make room. A stream is ended after 30 minutes as UNAVAILABLE, and its client subscribes again. A status says at most a kibibyte, as percent-encoded, and repeats nothing of what was sent.',
  ),
  open(
    'S2',
    SAFETY,
    'Requests, queued tasks, bytes a day, rows, streams and crawls have budgets per organization, and per address where nobody is known, that hold over all processes. A refusal names the budget, its size, and when it is free again.',
    'not built yet',
  ),
  proved(
    'S2.credentials',
    SAFETY,
    'Over A2A, one address (IPv6: a /64) may send 60 different wrong credentials a minute; then one that has not been good within a day, nor is of somebody who had a good one there, is refused as RATE_LIMITED, without a look at store or signature. One that was wrong is not looked up again for 5 s. A credential that has been good is never refused for its neighbours.',
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
