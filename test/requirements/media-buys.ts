import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const BUYS = 'Media buys';

export const MEDIA_BUY_RULES: readonly Requirement[] = [
  proved(
    'B1',
    BUYS,
    'A buy is `pending`, `active`, `paused`, `completed`, `canceled` or `rejected`. `pending_reason` says what a pending one waits for: `approval`, `creatives` or `start_time`. `reporting_delayed` describes late figures in delivery rows and is never stored as a state.',
  ),
  proved(
    'B1.ad-server',
    BUYS,
    'A buy that was ordered and not yet answered by the ad server is `pending` with the reason `ad_server`.',
  ),
  proved(
    'B2.hold',
    BUYS,
    'The seller can hold a buy back, with a reason: what runs is paused by a stop, what waits does not begin, and a resume answers `INVALID_STATE` with the reason, as `valid_actions` says. A pause of its buyer’s is taken meanwhile, too. Released, it goes on as its buyer last asked. Killed anywhere, or with the ad server away, it is held once and released once.',
  ),
  proved(
    'B2.resumed',
    BUYS,
    'In the public protocol a buy that was paused while it waits can be resumed: it waits on, and runs once nothing is left to wait for, never before. In our own words it stays `paused` until it is `active`, so that no move is made which the table has not; meanwhile `valid_actions` has `pause`, which takes that back. Killed anywhere, it is resumed once and runs once.',
  ),
  proved(
    'B2.begun-paused',
    BUYS,
    'A buy may be booked `paused`: it is held, approved and confirmed like any other, waits for what any waits for, and never runs until its buyer has it resumed; the ad server is told so. A package may be booked `paused`, with a buy or added to one: the others run, and it stands still until it is resumed.',
  ),
  proved(
    'B2.several',
    BUYS,
    'Up to 50 buys are held or released by one click: each as if by itself, on record as that, and answered with what became of it; what one is refused keeps no other from it. The same click again does what is left, and nothing twice.',
  ),
  proved(
    'B2',
    BUYS,
    'A buy begins `pending` or `active` and moves by one table: `pending` to `active`, `paused`, `rejected`, `canceled`; `active` to `paused` and back; both to `completed` or `canceled`. After an end an update answers `INVALID_STATE`, a second cancel `NOT_CANCELLABLE`. Each move adds one to `revision`; an update that names an older revision answers `CONFLICT`.',
  ),
  proved(
    'B2.revision',
    BUYS,
    'The `revision` of a buy grows by one with each move or change that a buyer can see in its row, and by nothing else: flight hours, reports, refused changes and book-keeping leave it, and `updated_at`, as they were. It never goes back, and the same revision shows the same row.',
  ),
  proved(
    'B3',
    BUYS,
    'Amounts are decimals on the wire, in US dollars unless the pricing option names another ISO 4217 `currency`, and whole minor units inside. No money is ever computed in floating point.',
  ),
  proved(
    'B3.thresholds',
    BUYS,
    'From which amount a person must approve is set per currency (`APPROVAL_OVER=USD:50000,EUR:45000`). Once one is set, a currency without one always needs a person.',
  ),
  proved(
    'B3.buyers',
    BUYS,
    'An operator may set a buyer amounts of its own (`buyers limits`): for these currencies they stand in place of the setting, be they more or less. What takes two people is never let pass.',
  ),
  proved(
    'B3.credit',
    BUYS,
    'An operator may set a buyer a credit by currency: what its buys that are not over come to together, waiting ones and changes on their way among them. What would go beyond is refused with `BUDGET_EXCEEDED` and what is left, and so is all in a currency without one, once one is set; of several that are asked for at once, by any processes, no more are booked than fit. Less credit takes nothing back.',
  ),
  proved(
    'B4',
    BUYS,
    "`cpm` and `flat-fee` have a `price`; `cpm-auction` has a `floor`, which the package's `bid_price` must reach. Catalog files may also use the public protocol's `flat_rate`, `fixed_price`, `floor_price` and `price_guidance.floor`.",
  ),
  proved(
    'B5',
    BUYS,
    '`start_time` is an object (`{type: "asap"}`, or `{type: "scheduled", datetime}`) or the string `asap` or a date-time. A date-time without an offset is refused, and so is an `end_time` that is not after the start.',
  ),
  proved(
    'B5.package-flight',
    BUYS,
    'A package may be booked with a `start_time` or `end_time` of its own, with a buy or added to one, within the buy’s flight, and one that its product is sold for: it delivers in that alone, and its budget is spent, and its fee falls due, there. Without, it goes along with the buy wherever that is moved. It keeps its times; a buy is not moved so that a package would never run.',
  ),
  proved(
    'B6',
    BUYS,
    '`updates` takes `status` (`active`, `paused`, `canceled`), `budget_change` (a signed amount, or one with its `package_id`), `start_time`, `end_time`, `targeting`, `packages` (`budget`, `bid_price`, `targeting_overlay`, `creative_ids`, `paused`), `new_packages`, `push_notification_config` and `reporting_webhook`; any other key is refused by name. The answer has `media_buy_id`, `status`, `revision`, `affected_packages`, `new_packages` where it added any, and `implementation_date`, which is null while a person must approve.',
  ),
  proved(
    'B6.new-packages',
    BUYS,
    'An update adds packages (`new_packages`) as a create takes them: checked alike, with the approval that the new total needs, in the currency of the buy and with at most 100 packages in all; in one version of the order with all else that it changes, or not at all. Each begins with the buy, or as soon as it can; its id is made of the task’s, told in the answer, and never another’s. A stop that comes before the ad server has answered gives it another id.',
  ),
  proved(
    'B6.cuts',
    BUYS,
    'A cut of a budget is judged at the instant from which it holds; one that goes too far is `BUDGET_TOO_LOW` with the least that would pass in `details.least_budget`, and billed spend never passes the budget in force. Where the ad server takes any budget, the packages concerned stand still until what they have come to is sure.',
  ),
  proved(
    'B6.creatives',
    BUYS,
    'The creatives that an update names for a package are checked as on a create: they are of the caller, not archived, and of a format that the product takes. One that is not is refused at its path, and nothing is changed.',
  ),
  proved(
    'B7',
    BUYS,
    'A change takes an `idempotency_key` of 16 to 255 characters of `A-Za-z0-9_.:-`, valid within the organization for 24 hours. The same key with the same request (SHA-256 over its RFC 8785 form without key, `context` and webhook secrets) answers the same with `replayed: true` and sends no second webhook; with another request it is `IDEMPOTENCY_CONFLICT`; while the first is under way it waits or answers `IDEMPOTENCY_IN_FLIGHT` with `retry_after`. A refused request frees its key. `buyer_ref` is unique among the open buys of an organization: a second create answers `CONFLICT` with the existing `media_buy_id`.',
  ),
  proved(
    'B7.effect',
    BUYS,
    'A key is freed exactly when its request had no effect, and its 24 hours begin when the task is over: while the task is open, the key stays bound, so that no retry becomes a second order. A failure with `details.effect: "unknown"` keeps it as a success does.',
  ),
  proved(
    'B8',
    BUYS,
    'Lists take `limit` (1 to 100, 50 unless given) and an opaque `cursor`. A page with more to come has `has_more: true` and the next `cursor`; the one never stands without the other.',
  ),
  proved(
    'B9',
    BUYS,
    '`get_media_buys` filters by ids, status and `buyer_ref`. A row has the buy, its packages, `valid_actions`, `history`, `impairments`, and `health`, which is `impaired` exactly when there are impairments, else `ok`. `webhook_activity` comes only when asked for: the latest first, at most 200, kept for 30 days.',
  ),
  proved(
    'B9.valid-actions',
    BUYS,
    '`valid_actions` lists what would be taken for the buy as it stands, and nothing that its state refuses: a paused buy that waits for approval, creatives or its start has no `resume`.',
  ),
  proved(
    'B9.no-creatives',
    BUYS,
    'A buy that runs, or was paused after it ran, is impaired while a package of it has no creative: the `resource_type` is `package`, the `reason_code` `no_creatives`. It is told once, and again when a creative is assigned.',
  ),
  proved(
    'B9.stopped',
    BUYS,
    'A buy that runs is impaired while a person at the seller has paused or ended a package of it at the ad server: the `resource_type` is `package`, the `reason_code` `stopped_by_seller`. It is found within an hour where there are at most ten orders, else after the first whole hour in which the package has delivered nothing any more; told once, and again when the package runs; nothing is undone by itself.',
  ),
  proved(
    'B10',
    BUYS,
    '`get_media_buy_delivery` takes one `media_buy_id` or several; `granularity` and `time_granularity` (`hourly`, `daily`, `monthly`) are one field, and `date_range` is in UTC with its start in and its end out. Totals (impressions, spend, clicks, ctr, cpm), packages and timeseries add up exactly, and several buys have `aggregated_totals`. Another granularity is `UNSUPPORTED_GRANULARITY` with those there are.',
  ),
  proved(
    'B11',
    BUYS,
    '`sync_creatives` takes at most 100 creatives, adds or changes them by `creative_id`, and answers for each its `action` (`created`, `updated`, `unchanged`, `failed`, `archived`), `status`, `changes` and `errors`; a bad one never stops the others, unless `validation_mode` is `strict`: then the request is refused with all that is wrong, and nothing is stored. `assignment_operations` assign, unassign and replace creatives in packages, with creatives or without, all of them or none. `dry_run` answers the same plan and writes nothing; `delete_missing` leaves a creative that serves an active buy and names the buy. A creative goes from `processing` to `pending_review`, then `approved` or `rejected`; an approved one may be `suspended` and come back, or be `archived`. Assets must fit the format: kind, presence, size, duration, MIME type, https URL.',
  ),
  proved(
    'B13',
    BUYS,
    'An unknown `product_id`, `media_buy_id`, `package_id` or `creative_id` answers 404 with `PRODUCT_NOT_FOUND`, `MEDIA_BUY_NOT_FOUND`, `PACKAGE_NOT_FOUND` or `CREATIVE_NOT_FOUND` and, as `field`, its path in the request, such as `packages[1].product_id`.',
  ),
  proved(
    'B14',
    BUYS,
    "Targeting has a closed schema: the public protocol's names, and `geo` with `countries` and `regions`. An axis or a value that the product does not offer is `UNSUPPORTED_FEATURE` at its path, at create and at update, everything at once. What is accepted is told to the ad server, narrowed to the product, and echoed as it was sent. Hours of dayparts are in UTC. Of an overlay that 0.1.0 stored, what is not understood is told to no ad server, and the buy goes on.",
  ),
  proved(
    'B14.ad-server',
    BUYS,
    'What the ad server says that it cannot do of a targeting is `UNSUPPORTED_FEATURE` likewise, and what it holds is read back from it and held against what was told.',
  ),
  proved(
    'B15',
    BUYS,
    "An approval holds for exact terms: the total, the dates, and each package's money, bid and targeting, as they are to be. What is written is reckoned anew on the buy as it is then: less money, in all and in each package, passes; more of it, or any other term that differs, makes the approval `superseded`, and the next round (`apr_{task}_2`, and so on) asks again, told to the buyer once a round.",
  ),
  proved(
    'B15.grant',
    BUYS,
    'A decision grants the terms that it was asked with or, if it sends their `digest`, those that the approval shows as `terms_now`; when these have changed since, it answers `CONFLICT` and decides nothing. A decision about a superseded round is refused by the name of the round that asks again.',
  ),
  proved(
    'B15.shown',
    BUYS,
    "A waiting approval shows the buy's total as it stands and what it would become by an approval now. The history of a buy has `approved` by `seller` for an update as for a create; it keeps who that was, and buyers are not told.",
  ),
  proved(
    'B15.two',
    BUYS,
    'An approval of a total above the amount of its currency in `SECOND_APPROVER_OVER` (`USD:250000,EUR:225000`; in others, any total) takes the yes of two people, judged when a yes is given. The first is stored with its exact terms, and wakes and tells nobody; it counts for nothing once the terms are others, or its person may approve no more. The second must be of another person, to the same terms. What stands for no one person, such as the shared key, approves nothing there. Anybody who may decide may reject.',
  ),
  proved('B16', BUYS, 'No flight may be longer than 100 years; a product may set a shorter limit of its own.'),

  proved(
    'C.resources.media-buy',
    BUYS,
    '`create_media_buy` answers `media_buy_id`, `status`, and `packages` with the ids they were given.',
  ),
  proved(
    'C.resources.product',
    BUYS,
    'A product has `product_id`, `name`, `description`, `pricing_options`, `format_ids` and `targeting`. A pricing option has `pricing_option_id`, `pricing_model`, and a `price` (fixed) or a `floor` (auction).',
  ),
  proved(
    'C.states.media-buys',
    BUYS,
    'A new buy that waits for approval is `pending`. One that ends while its delivery is reported gets its queued impairments and one `final` report, and then nothing more.',
  ),
];
