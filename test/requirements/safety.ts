import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const SAFETY = 'Safety and operation';

export const SAFETY_RULES: readonly Requirement[] = [
  proved(
    'S1',
    SAFETY,
    'Every input passes one gate before a schema sees it: bytes, depth, members, elements, values, and half-sent requests by address and in time. The gate has its limits in one file, and `docs/limits.md` tells them. Which problems a refusal tells is decided before any is explained, and whatever comes in is read or refused.',
  ),
  proved(
    'S1.grpc',
    SAFETY,
    'Over gRPC, nothing of a body beyond the first window of HTTP/2 is read before its caller is known, and a message must then come within 30 s, of a size that is checked by its announcement. One connection has 100 calls at a time, one process 1,000 connections, of which those on which nobody is known make room. A stream is ended after 30 minutes as UNAVAILABLE, and its client subscribes again. A status says at most a kibibyte, as percent-encoded, and repeats nothing of what was sent.',
  ),
  proved(
    'S2',
    SAFETY,
    'Requests, queued tasks, bytes a day, rows, streams and crawls have budgets per organization, and per address where nobody is known, that hold over all processes. A refusal names the budget, its size, and when it is free again.',
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
    'Crawls that anybody asks for make at most 50 publishers a day known below one registrable domain and 200 an address, and change at most 5,000 authorizations and lists of properties a day and store at most 100,000 entries and identifiers, counted for the address and for that domain. Where the files that they read only point to, an origin is asked for one at a time, and a site for 200 an hour.',
  ),
  proved(
    'S2.credentials',
    SAFETY,
    'Wrong credentials are counted by address, an IPv6 /64 being one, over A2A, the registry, the operator API, the authorization server and where ad servers ring together: 60 different ones a minute. Then, at the first three, one that has not been good within a day, nor is of somebody who had a good one there, is refused as RATE_LIMITED, without a look at store or signature; there one that was wrong is not looked up again for 5 s. A credential that has been good is never refused for its neighbours.',
  ),
  proved(
    'S2.sign-in',
    SAFETY,
    'Failed sign-ins count by account and address together, by address, and by account from addresses where it is not known; a sign-in makes one known for 30 days. What strangers fail at locks nobody out where that person is known.',
  ),
  proved(
    'S3',
    SAFETY,
    'Workers take turns round-robin over organizations, so that none waits behind all of another, and none starves; no organization has more than half of the places of a worker.',
  ),
  proved(
    'S4',
    SAFETY,
    "`DATA_DIR` has mode 0700 and its files 0600. The installation's secret stands in `DATA_DIR/secret` and never in the embedded store; on MongoDB, `SECRET_KEY` must be set. A secret that 0.1.0 left in the store is used, warned of at each start, and moved out by `agent secret move-out`, beside the embedded store by the first start: either ends the operator's key and the access tokens' keys that it sealed, and seals everything else anew. A folder that other accounts may enter is refused at start, with the command that closes it. Conveniences of the demo exist on loopback only, or where a setting of their own asks for them; a key is told once, on loopback, by the start that made it.",
  ),
  proved(
    'S4.headers',
    SAFETY,
    'Every answer over HTTP has `X-Content-Type-Options`, `Referrer-Policy` and `Cache-Control`, which is `no-store` for whatever was asked with a credential, and over https `Strict-Transport-Security` for this host alone.',
  ),
  proved(
    'S4.operator-addresses',
    SAFETY,
    'Addresses that the operator sets (ad server, identity provider, `OPERATOR_WEBHOOK_URL`) are held to the limits of rule W16 in bytes, time and redirects, but not to its address rules. What an identity provider names at another origin is held to both.',
  ),
  proved(
    'S5',
    SAFETY,
    'An operator is a person with a role (viewer, operator, admin). Whatever was handed out can be taken back, and each decision about access is on record.',
  ),
  proved(
    'S5.people',
    SAFETY,
    'Operators are people, or programs, with a role and credentials of their own; the record names who was authenticated, and a name that a caller says is a note beside it. Whoever holds the shared key is an admin of its name. The last admin among people can neither be removed nor become less.',
  ),
  proved(
    'S5.first-admin',
    SAFETY,
    'While there is no admin by name, a link of the shared key that makes an admin (the one that a start on this machine prints, and `sign-in` at the terminal) asks whoever opens it for their name, and signs them in as the first admin; the link is used up by that alone, and makes one person however often it is followed. Afterwards such a link is the shared key’s.',
  ),
  proved(
    'S5.roles',
    SAFETY,
    "Every operation of an operator states the role it takes, and is refused with 403 `FORBIDDEN` to whoever has less; what no operator's credential opens is 401.",
  ),
  proved(
    'S5.oidc',
    SAFETY,
    "Operators sign in to the console at the identity provider of `OPERATOR_OIDC_ISSUER`: by authorization code with PKCE, state and nonce, from the browser that began, once, within ten minutes. The ID token's signature (asymmetric), issuer, audience, authorized party, nonce and age must be right. Only a person who was invited is signed in: by the account that their first sign-in bound, which a verified address finds; their role stays ours. A removed person is refused, and nobody becomes one by signing in, unless a claim gives roles (S5.oidc-roles).",
  ),
  proved(
    'S5.oidc-roles',
    SAFETY,
    'Where `OPERATOR_OIDC_ROLE_CLAIM` and `OPERATOR_OIDC_ROLES` say so, the greatest role that a token’s claim gives is that of who signs in, at each sign-in, on record, and other sessions end where it has changed. It lets in who was not invited, by a verified address, and refuses them once it gives none; who was invited has the role of their invitation then. It takes the last admin’s role from nobody, and brings back nobody who was removed.',
  ),
  proved(
    'S5.console-cookie',
    SAFETY,
    'Where the agent is reached by https, the session of the console is kept in `__Host-console` (Secure, Path=/, no Domain), and no other name opens it; on plain HTTP of a loopback address in `console_session` below `/admin`. Scripts never read it, and no form of another site sends it.',
  ),
  proved(
    'S5.oidc-only',
    SAFETY,
    'With `SIGN_IN_LINKS=false` the identity provider alone opens the console: no link is made, none that was made before is taken, and sessions of the shared key end. It is refused at start without an identity provider; keys of the operator API and the command line go on.',
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
    'S5.streams',
    SAFETY,
    'What a credential has open over A2A ends with it: in every process, within 3 seconds of its revocation or end, of the end of its grant or membership, or of the suspension of its organization, its streams end on every wire with `UNAUTHORIZED` or `FORBIDDEN` as their last event. While that cannot be found out they go on. A token that has only grown old ends no stream where its grant is known to go on; one of an issuer elsewhere does.',
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
    'Each decision about access is on record once: a log line `security` with its kind, outcome, address, who, what and request id, the operator whose act it was, and a count; never a credential. Of what strangers cause at will, one address has five lines a minute and all together 120; the rest is counted and told within a minute.',
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
  proved(
    'S7',
    SAFETY,
    'A backup is one file for its account alone, made while agents write, checked before it has its name; any byte altered or missing is found. It is restored into an empty store only: buys, keys and the record are the same, what is owed is sent with the same bytes, and queues are made anew. A restore that was killed leaves a store that no release starts on, until the same restore has ended.',
  ),
  proved(
    'S9',
    SAFETY,
    'A process that is told to stop finishes what it has begun. A server says 503 `draining` at `/readyz` for `DRAIN_SECONDS` and answers all the while, keeping no connection; then it listens no more, ends its streams as streams end, so that clients go on elsewhere and miss nothing, answers those who wait with the task as it is, and lets the other requests finish. A worker takes nothing more and finishes turns and webhooks under way. Both end with status 0; told again later than a second after, at once with 1, and what was under way is owed as after any crash.',
  ),
];
