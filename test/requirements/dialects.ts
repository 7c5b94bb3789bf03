import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const DIALECTS = 'Dialects';

export const DIALECT_RULES: readonly Requirement[] = [
  proved(
    'D1',
    DIALECTS,
    'A call is in the public protocol when its skill exists there alone, when its input has `adcp_version`, `adcp_major_version` or `account`, or when the header `A2A-Extensions` names `https://adcontextprotocol.org/extensions/adcp/v3`; else it is in our own words. Over A2A, `get_task_status` without any of these is in the dialect and the release of the task that it asks about. Results are stored once, in our own form, and put into words for whoever asks.',
  ),
  proved(
    'D1.release',
    DIALECTS,
    'A call is answered in the release that `adcp_version` names, or else in the highest below it of the same major version, never a pre-release; one that names the major version alone in `ADCP_MAJOR_ONLY_RELEASE`, one that names nothing in 3.1. The tasks of 3.2 are listed with all others and are of no other release; those that are not built are refused by name. `ADCP_ALIASES` gives releases other names, which answers repeat. Every answer says its `adcp_version`. What cannot be served is refused by `VERSION_UNSUPPORTED` with `details.supported_versions`.',
  ),
  proved(
    'D2',
    DIALECTS,
    'A public call is answered by a completed A2A task whose first artifact holds the payload, with `status`, `adcp_version` and the `context` of the request; work that goes on after ten seconds, or that waits for a person, by `status: "submitted"` with the `task_id`.',
  ),
  proved(
    'D2.expired',
    DIALECTS,
    'A key of the public protocol that comes again more than 24 hours after its request was over is `IDEMPOTENCY_EXPIRED` as long as the task or its open media buy is stored, and nothing is done again. A request that had no effect does not bind its key.',
  ),
  proved(
    'D2.refusals',
    DIALECTS,
    'A refusal is an answer, too: `status: "failed"` with the error in `errors[0]` and in `adcp_error`, in a task that can be read again for an hour; completed on A2A 0.3, failed on 1.0. So is a fault of ours, and a store that is away (`SERVICE_UNAVAILABLE`, transient), of which no task is kept. Only what has no credential, comes too often, or is no message is refused by the wire itself.',
  ),
  proved(
    'D2.credentials',
    DIALECTS,
    'A 401 over A2A and MCP says in `adcp_error`, beside our own error, which refusal it is: `AUTH_MISSING`, correctable, where no credential was sent, and `AUTH_INVALID`, terminal, where one was that is not good. It is in the words of the newest release; where the call was read, being without a credential, in those that it asks for, which in 3.0 are `AUTH_REQUIRED`. Over gRPC, `adcp_error_code` and `adcp_error_recovery` are facts of the error. Tools in our own words (`MCP_TASKS=contract`) say no more than before.',
  ),
  proved(
    'D2.errors',
    DIALECTS,
    'Every error code of ours has its public name and recovery; fields are told by the names that the public request has.',
  ),
  proved(
    'D2.task',
    DIALECTS,
    'A message of the public dialect that names an earlier task begins a new one in the same conversation, though that be at work still: clients name it in all they ask. Unless it is of the same public task and waits for its caller: then the message is the answer, with the request that was made, or an empty one, and what it says besides. An empty one to a change that does not wait is `INVALID_STATE` at `message.taskId`. The answer again, by its message or its `idempotency_key`, is answered with the task; another request is refused at `message.taskId`, and nothing is booked twice.',
  ),
  proved(
    'D2.shown',
    DIALECTS,
    'A task that was asked for in the public protocol is shown over A2A in its words, however it is come by: `GetTask`, `ListTasks`, `SubscribeToTask` and `tasks/resubscribe` tell the same of it. Work that goes on is shown as it is. To followers on 0.3, whom a question is told by a completed task, the stream ends with it. `ListTasks` finds by the state that a task has here.',
  ),
  proved(
    'D2.asked',
    DIALECTS,
    'A task that waits for its caller is `input-required`: its answer tells the question in `message` and in `errors[0]`, with the `reason` `APPROVAL_REQUIRED`, and nothing that is known here alone; `get_task_status` tells it in `message`.',
  ),
  proved(
    'D2.types',
    DIALECTS,
    'From 3.2 on, a task that was asked for by `buy_products` or `control_media_buy` is of that type in `get_task_status` and `list_tasks`, as in webhooks, and is found by it; before, it is `create_media_buy` or `update_media_buy`, which the others are.',
  ),
  proved(
    'D3.claims',
    DIALECTS,
    'The capabilities claim no `specialisms`, since the storyboards of none pass as a whole, and no `in_flight_max_seconds`: a repeat of what is under way is answered with its task, never by `IDEMPOTENCY_IN_FLIGHT`, and no time ends it.',
  ),
  proved(
    'D3.dayparts',
    DIALECTS,
    'Hours of packages are of UTC. In 3.2 they are taken where each names it (`timezone: "UTC"` or `"Etc/UTC"`); without a name they would be those of the place, which is not known, so that these and all other clocks are `UNSUPPORTED_FEATURE` at `timezone`. What is told in 3.2 names it, however it was booked; 3.0 and 3.1 have no word for it.',
  ),
  proved(
    'D3.products',
    DIALECTS,
    '`get_products` takes a brief, lists the whole catalog by pages, or answers wishes about products one by one. A filter that nothing here can be shown to meet leaves nothing, and is named. `list_products` of 3.2 lists the catalog by pages that are full, in canonical words alone, and what it cannot hold products against is refused by its path. In 3.2 products tell what a package may be narrowed to (`overlay_support`): what they tell is taken. Of what canceling costs (`cancellation_policy`) and what creatives must be (`creative_policy`) a catalog can set only what happens here.',
  ),
  proved(
    'D3.formats',
    DIALECTS,
    'From 3.1 on, a product tells its formats as canonical ones too (`format_options`), and a creative may be sent by its `format_kind`, with `format_option_ref` where the kind leaves open which format is meant: else it is the only one that its assets fit. 3.2 lists creatives by their canonical names, and finds products by them. What a package names of formats is told again, and in 3.2 must be the same in whichever way. A kind, an option or a format that is not taken is refused by `UNSUPPORTED_FEATURE`, by its path.',
  ),
  proved(
    'D3.delivery',
    DIALECTS,
    'Delivery is read in the public protocol in whole, by package, and by package and day (`include_package_daily_breakdown`) or window (`include_window_breakdown`, with `time_granularity`): all from the same counts, adding up to the cent. A window is final once its hours are older than the ad server restates, or nothing of the flight can change any more. From 3.2 on `requested_metrics` narrows what is told, never impressions and spend, and several currencies are told without a sum. Of more than a hundred media buys that no ids name, the newest hundred are told, and `errors` says that there are others; revisions of reports, and pages of one, are refused by name.',
  ),
  proved('D3.schema', DIALECTS, 'What is answered in a release is valid by the official JSON Schemas of that release.'),
  proved(
    'D3.changes',
    DIALECTS,
    '`create_media_buy`, `update_media_buy` and `sync_creatives` are spoken in the public protocol. Each needs an `idempotency_key`; a repeat is told what was told first, with the context of the repeat: `submitted` stays `submitted`, and what was done is told as it stood then, whatever has become of it, as it is by its task; who repeats it in another release is told it in the words of that, as it stands. A change that finds all as it wants it takes place without a change; canceling wins over whatever else is asked. `new_packages` of an update are told whole, each with its `context`. In 3.2 `control_media_buy` changes what goes on within a booking, by the revision that was seen, with targeting dimension by dimension and a bid as `max_bid`; `buy_products` books what `list_products` told, by its `feed_version` and at no other price, and tells the terms with their digest, the same whatever becomes of the media buy. What is bought in one dialect is read in the other.',
  ),
  proved(
    'D3.order',
    DIALECTS,
    'Of all that is wrong with a change of a media buy in the public protocol, that is told first which the rest hangs on: that there is no such media buy under this account (`MEDIA_BUY_NOT_FOUND`), that it is over (`INVALID_STATE`, `NOT_CANCELLABLE`), that it has changed since (`CONFLICT`), each package that it has not (`PACKAGE_NOT_FOUND`), then the values; a request that does not fit its schema before all of these. A package is not canceled by itself (`NOT_CANCELLABLE`).',
  ),
  proved(
    'D3.actions',
    DIALECTS,
    'What a media buy says may be done with it (`valid_actions`; from 3.1 on `available_actions`), in the names of the release, is taken, and nothing else is: by the one table of moves (B9), none under an account that is not active, no other start once the flight has begun, bids and caps for the packages that can have them alone. A name that stands for several is told where all of these are done. Products say the same of what is bought of them (`allowed_actions`, from 3.1 on), with the states in which it can be.',
  ),
  proved(
    'D3.said',
    DIALECTS,
    'What a buyer says of a media buy or a package that has no effect is told again wherever the release has a place for it (`name`, `ext`, `context`, `agency_estimate_number`; of a change by its own answer), and people at the seller see all of it, the PO number and the insertion order, too: on the page of the media buy, by the operator API and at a terminal. A PO number finds what was booked under it, and is told to the ad server with the order, as the name is.',
  ),
  proved(
    'D3.renamed',
    DIALECTS,
    'From 3.2 on `update_media_buy` and `control_media_buy` give a media buy another `name` (`update_name`), alone or beside other changes, as long as it is not over. It costs nothing, so nobody is asked; it is one change with a revision and a place in the history, the ad server is told it as the name of the order, and `get_media_buys` tells it from then on, while a repeat of an earlier request tells what it did. The name that it has is no change; in an earlier release `name` is refused by name, and our own words have none.',
  ),
  proved(
    'D4',
    DIALECTS,
    'An account is one of the organization’s, by its id or by its brand and operator, which make one where there is none. A media buy that was booked under one is neither seen nor changed under another; what was booked in our own words is of none, and is read and changed under each, by whichever task.',
  ),
  proved(
    'D4.accounts',
    DIALECTS,
    '`sync_accounts` opens an account for each brand and operator that has none, tells what is wrong with one of that one, and changes none; `list_accounts` lists exactly the organization’s. An operator moves an account: under one that is not active nothing is booked or changed in the public protocol (`ACCOUNT_SUSPENDED`, `ACCOUNT_PAYMENT_REQUIRED`, `ACCOUNT_SETUP_REQUIRED`), while all is read and what is booked runs on; `closed` and `rejected` are for good.',
  ),
  proved(
    'D4.creatives',
    DIALECTS,
    'An account has creatives of its own: one id synced under two accounts is two creatives, each with its assets, state and history. Under an account an id means its own creative, else the one of the library that all accounts of the organization share; without an account, which is how all calls in our own words are, it means the shared one, and rows of former releases are shared. A sync writes, and `delete_missing` archives, what is the account’s own. A media buy keeps the creative that it named whatever is synced later, until a call under the account names the id anew; another account’s is unknown there. `list_creatives` without an account tells of all libraries, and whose each creative is; `filters.accounts` leaves what is these accounts’ own; people at the seller see that, too, and decide on that one.',
  ),
  proved(
    'D4.creative-words',
    DIALECTS,
    'What a buyer says of a creative besides, `industry_identifiers` and `provenance`, is kept with it whichever way it comes, told again by `list_creatives`, and gone when the creative is sent without it. Another provenance begins a new review.',
  ),
  proved(
    'D4.governance',
    DIALECTS,
    '`sync_governance` keeps whom a buyer names to judge what is bought under an account of theirs, in place of whom they named before, and tells what is wrong with one account of that one. Credentials for these agents are not kept, since none is ever asked: a media buy that names a plan (`plan_id`) under such an account is refused by name, and no capability claims governance.',
  ),
  proved(
    'D4.feedback',
    DIALECTS,
    '`provide_performance_feedback` keeps a buyer’s score of a media buy of theirs, of a package or creative in it, once, for two years, in a daily budget; what is not theirs, a period that is not measured yet or lies outside the flight, and an account that is not active are refused. Operators read it; nothing follows of it by itself, and no capability claims so.',
  ),
  proved(
    'D4.sandbox',
    DIALECTS,
    'What is asked for under a sandbox account, or is about what is booked under one, is answered with `sandbox: true` by every task whose answer has a place for it, and by no refusal; so does each delivery report that is sent of such a buy; nothing else is.',
  ),
  proved(
    'D4.tested',
    DIALECTS,
    'With `COMPLIANCE_TESTING`, and nowhere else, `comply_test_controller` is a task of the public protocol; beside a real ad server the agent does not start so. It touches what is of sandbox accounts of the caller’s organization alone (`FORBIDDEN`), moves accounts, creatives and media buys by their tables alone (`INVALID_TRANSITION`), and has the embedded simulator deliver what is to be delivered. From 3.1 on a request without `account` is `INVALID_PARAMS`.',
  ),
  proved(
    'D4.seeded',
    DIALECTS,
    'A media buy that a test seeds is booked for a sandbox account by the steps of any other, held and run at the ad server, under the id that the test names, and is read, changed and canceled as any other; seeded again it is the same one. No id that is made here, or that means another media buy, is taken; and nobody else learns what an id means.',
  ),
  proved(
    'D4.forced',
    DIALECTS,
    'A test may say, once, that the next booking of a sandbox account waits for a person, in a task of an id of its own, or for the buyer’s answer to one; it is consumed by the booking that is taken, and by no refused one, in whichever process. `force_task_completion` grants it as a person would: the result is what was done, told by webhook as any other.',
  ),
  proved(
    'D4.refused',
    DIALECTS,
    'What would change money or reach and cannot be kept is refused by `UNSUPPORTED_FEATURE` (terms: `TERMS_REJECTED`) with its field, never passed over, whatever stands beside it: caps, targets and divisions of what is spent, counts of impressions, paces, goals, evidence, catalogs, committed metrics, rights, localizations and components of creatives, and filters and orders that would show other rows. What becomes of each property that a release has for a request that changes something, or reads what is for sale, bought and delivered, is known.',
  ),
  proved(
    'D4.terms',
    DIALECTS,
    'A product tells the terms of measurement that it promises, and a package may name them: the same vendor and window, no smaller variance, none but its remedies. What was agreed is kept with the package and told with it, in answers, reads and webhooks, whatever becomes of the catalog. Else it is refused by `TERMS_REJECTED`, with each term, what was asked, and what the product offers; a product without terms refuses all.',
  ),
  proved(
    'D5',
    DIALECTS,
    'Webhooks of a registration made in the public protocol are told in its release, whatever our own are in: the envelope without `domain`, the public name of the task, and as `result` what an answer would say, valid by the official schemas. It is put into words when the event is recorded, so that every copy has the same bytes; where it could not be, the webhook says to read the task. A registration made later by the wire’s own mechanism is in the dialect of its task.',
  ),
  proved(
    'D5.signed',
    DIALECTS,
    'They are proved by the names of the public protocol (tag, header names), whatever `PROTOCOL_NAME` says: for 3.1 with the agent’s own keys, which are published for `request-signing` under both names; for 3.0 with keys of their own, published for `webhook-signing`, as its SDK wants them.',
  ),
  proved(
    'D5.operation',
    DIALECTS,
    'A registration in the input that names no `operation_id` gets one, which all its events repeat. One that comes with a call that is answered at once is passed over.',
  ),
  proved(
    'D5.reports',
    DIALECTS,
    '`reporting_webhook` is told delivery reports as `media_buy_delivery`, with price and currency of each package, always impressions and spend, and of other metrics those asked for that are measured here. From 3.1 on, what impairs a media buy is told to the webhook of the task that made it, and to the reporting webhook where that one has ended, or is in a release that has no word for it.',
  ),
  proved(
    'D5.accounts',
    DIALECTS,
    'From 3.1 on, `notification_configs` of `sync_accounts` are the webhooks that hear of an account, up to 16: all of them in place of those before, kept where they are left out, none where the list is empty, told back by `subscriber_id` without secrets by `sync_accounts` and `list_accounts`; what is not `active` is kept and told nothing. Each hears what it names: `creative.status_changed`, when the review or the seller approves, rejects, suspends or archives a creative that the account sees, and from 3.2 on `account.status_changed`, when the seller moves the account. A change stands in the row that changed, in the same write, until its webhooks are made: each is told once to each subscriber by the official schemas, with a `notification_id` that stands for the change and is the same to all and when it is sent again. A receiver is asked first, by a signed challenge that it repeats, and again when its address, proof or events change; one that does not agree, a `subscriber_id` twice, an event of media buys or of another release (`VALIDATION_ERROR`), one that is never told here (`UNSUPPORTED_FEATURE`), and an address that no webhook may go to fail that account’s row by field and leave its webhooks as they were. What is pending ends with a subscriber that is taken out, paused, or gone (410).',
  ),
  proved(
    'D6',
    DIALECTS,
    'Without a credential `get_adcp_capabilities` is answered over JSON-RPC and MCP, and unless `ANONYMOUS_DISCOVERY=capabilities` also `list_creative_formats` and `get_products`, the latter without an amount, and without what would tell one step by step. No task is kept of it, it is counted by address, and its answer says that a credential would open more. All else is 401, whatever is wrong with it besides; a credential that is not good is never taken for none.',
  ),
];
