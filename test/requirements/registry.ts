import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const REGISTRY = 'Registry';

export const REGISTRY_RULES: readonly Requirement[] = [
  proved(
    'R1',
    REGISTRY,
    'One normalizer reads all domains: trims; drops scheme, userinfo, port, path, query, fragment and dots at the end; lower case; international names as A-labels; then strips one leading `www.`, or else one leading `m.`, where a registrable domain (public suffix list) remains. A property check tells the change as `www_stripped`, `m_stripped` or `normalized`.',
  ),
  proved(
    'R1.once',
    REGISTRY,
    'One prefix is stripped and no more: `www.m.example.com` is `m.example.com`. However often one stands there, a name costs one look-up in the public suffix list.',
  ),
  proved(
    'R2',
    REGISTRY,
    'Each input of a property check lands in exactly one bucket, and `summary` adds up. In this order: unreadable, `assess` as given; a later copy of a domain, `remove` as `duplicate`; blocked, or below a blocked domain, `remove` as `blocked` with `domain_type` (`ad_server`, `cdn`, `tracker`, `intermediary`) and `blocked_reason`; changed by normalizing, `modify`; known, `ok` with its `source` (`hosted`, `adagents_json`, `catalog`) and when it was last seen; else `assess`. Buckets keep the order of the input, and an empty list is valid.',
  ),
  proved(
    'R2.rows',
    REGISTRY,
    'What is blocked is stored, 10,000 domains at most. `catalog/blocked-domains.json` is what it begins with: each start adds what is not there yet and changes nothing else. An admin looks a domain up in any spelling, blocks it with its type and the reason that is told, and takes it off with a reason, by page, API and terminal, on record; a block can be undone. Every server follows at once, and within 3 s where it was not told. A public suffix is blocked by the catalog alone.',
  ),
  proved(
    'R3',
    REGISTRY,
    '`GET /api/properties/check/{report_id}` answers a report for 7 days, until its `expires_at`; after that, and for an unknown id, 404. Expired reports are deleted.',
  ),
  proved(
    'R4',
    REGISTRY,
    'Bulk resolve answers `results` by each input as it was sent: null when unknown, else `publisher_domain`, `source`, `authorized_agents` (`url`, `authorized_for`), `properties`, `verified` and `seen_at`. 1 to 100 domains, and an answer of at most 16,000,000 characters, else 400; 429 after 20 requests a minute and address.',
  ),
  proved(
    'R5',
    REGISTRY,
    'An operator look-up takes `domain` (normalized without stripping prefixes) and `scope`. The member is the one whose verified domain this is, else the nearest parent; an unknown domain is 200 with `member: null` and no agents. Entries of `authorized_by` tell their `source`. An owner without the API tier sees no `members_only` agents. A credential that is not good is 401, never taken for none.',
  ),
  proved(
    'R5.kept',
    REGISTRY,
    'An operator look-up, and what is resolved of a publisher, where it is answered from what a process has kept, says, letter for letter, what one that is made anew says at that moment: whatever any process has written since, wherever one has died, and whichever entry has begun or ended. Where the store cannot tell what was written, nothing is kept.',
  ),
  proved(
    'R6',
    REGISTRY,
    'The tiers, lowest first, are `individual_academic` (Academic), `individual_professional` (Professional), `company_standard` (Builder), `company_icl` (Partner) and `company_leader` (Leader); all but the first have API access. Only a subscription that is active, past due or on trial gives one.',
  ),
  proved(
    'R7',
    REGISTRY,
    '`POST /api/organizations` answers 201 when it creates, 200 when it adopts, 409 with `existing_org_id` when the domain is claimed. `organization_name` is trimmed, NFC, 1 to 200 characters without control characters or markup. A company needs an e-mail of its own domain (400), and a second personal workspace is 409. A prospect is adopted only while it has no members, and becomes `active`. Each is atomic: of two at once, one is the owner.',
  ),
  proved(
    'R7.profile',
    REGISTRY,
    'A private member profile comes with the organization, so that an operator look-up knows the member at once; an owned organization that has none gets it when it is looked up.',
  ),
  proved(
    'R8',
    REGISTRY,
    '`POST /api/organizations/{orgId}/join-requests` answers 201 with `id`, `organization_id`, `status: "pending"` and `created_at`; a second one while the first is pending is 409. Owners list requests, approve them with a `role`, and reject them below the same path.',
  ),
  proved(
    'R8.members',
    REGISTRY,
    'Members see each other; owners give them other roles, remove them, and transfer the organization; anybody leaves. There is an owner at every instant, whatever owners do at once, and the only one is refused with 409 and the way out. Whoever has left can do nothing more at once: their grants for the organization end, an old approval lets nobody in again, and API keys that they made are named with their maker. People read their organizations with role, tier and date, read what they asked for, and take it back while it is pending.',
  ),
  proved(
    'R8.operator',
    REGISTRY,
    'Operators see who waits to join which organization, and whether it has an owner. An admin lets them in or turns them away in its owners’ place, for a reason that is put on record: once, by the same rules as an owner, and nobody into a personal workspace.',
  ),
  proved(
    'R8.claims',
    REGISTRY,
    'An organization that nobody owns is claimed by having the domain that it is on record with show a token, as a TXT record or as a file over https, within a week; an alias that leads out of the registrable domain shows nothing. The same claim again is the open one. Owners add further domains in the same way, which then go before a prospect that only has one on record; one domain has one organization (409), and a further one can be let go of.',
  ),
  proved(
    'R8.released',
    REGISTRY,
    'A domain stays with who proved it first, whatever others prove. An operator takes it from an organization, for a reason that is put on record, and whoever has it then can prove it; and gives a company without one its first, so that its keys register agents and its people can claim it. Who loses a domain in any way loses the agents there and every claim of it.',
  ),
  proved(
    'R9',
    REGISTRY,
    "`POST /api/me/agents` takes `url`, `type`, and may take `name` and `visibility`; nothing is created before all of it is valid, and the host must be the organization's verified domain or below it. 201 for a new one, 200 for a change; `org_auto_created` and `profile_auto_created` say when organization or profile came into being on the way.",
  ),
  proved(
    'R10',
    REGISTRY,
    '`POST /api/checkout-session` takes `price_id` and `org_id` and answers the URL of a session: of the embedded `sandbox`, which on confirmation sends a signed event, or of Stripe when `STRIPE_SECRET_KEY` is set. Only a verified subscription event changes a tier.',
  ),
  proved(
    'R11',
    REGISTRY,
    "A badge is of one role: `media-buy`, `creative`, `signals`, `governance`, `brand` or `sponsored-intelligence`. Its picture is `/api/registry/agents/{encodedUrl}/badge/{role}/{version}.svg`, or the legacy `/badge/{role}.svg`, with an ETag, without script and with all text escaped; the agent's URL is canonicalized first. An agent, role or release without a badge is 200, `verified: false`, a grey Not Verified; so, in the same bytes and headers, is an agent that is not public. A bad role is 400 with the roles there are, a bad version 400, a store that does not answer 503: never a false verdict.",
  ),
  proved(
    'R11.away',
    REGISTRY,
    'While the store does not answer, every endpoint of the registry answers 503 with `Retry-After` within 3 seconds, pictures too, and begins no write. A write that had begun is waited for, and its 503 says that it may have been done. A store that is slow and answers is waited for.',
  ),
  proved(
    'R11.verified',
    REGISTRY,
    "A badge stands at one of three steps. Declared: the agent's card has the tasks of the role and names a known release. Verified besides: the task that only reads, called without a credential and by its schema, was answered with every member that all releases require there; the address that is called and the key set are on the agent's own site; and a key there has material to verify with. Protected, which is not verified: all that, but the call was answered by a challenge of a scheme that the agent's card requires, or the code of the protocol for that. Other refusals prove nothing, except where only clients know an id to ask about: there nobody's id must not be found, and its want refused otherwise. The picture says which, and is green for none but verified; `verification.json` beside it says so, signed where it is verified, for a day at most; what is not verified is never signed.",
  ),
  proved(
    'R11.history',
    REGISTRY,
    'Every check of an agent that came to an end is kept: when, how long it took, whether the agent could be read, and what was found of each role; of 90 days the newest 100 daily ones and, apart from them, the newest 10 that its owner asked for. No badge changes by a check that is not kept. `GET /api/registry/agents/{encodedUrl}/checks` tells them, newest first, and the health they say together, to whoever may see the agent; to others the agent is unknown. They end with the agent: whoever registers its URL afterwards begins without any.',
  ),
  proved(
    'R12',
    REGISTRY,
    'Discovery takes `url` and asks by A2A (`/.well-known/agent-card.json`, then `/.well-known/agent.json`) and by MCP; the type (sales, creative, signals, governance, brand, else unknown) is told by exact names of tasks. A bad URL is 400, a timeout 504, an agent out of reach 502, each with `error` and `message`. 60 requests a minute and address, 10 s in all, and the bounds of rule W16.',
  ),
  proved(
    'R13',
    REGISTRY,
    "API keys `mk_live_…` hold 256 random bits, are stored as SHA-256, shown once, can be revoked, and record their last use. Every endpoint says whether it reads or writes, and a key or token without that scope is 403 there. Users' JWTs are checked for issuer, audience, expiry and signature. A 401 names the resource's metadata in `WWW-Authenticate`. Without an external issuer, an OAuth 2.1 server of our own serves: code flow, PKCE S256, rotating refresh tokens; the issuer is spelled the same in both metadata documents.",
  ),
  proved(
    'R13.expiry',
    REGISTRY,
    "An API key has the scopes that were asked for, and without any those that only read; it may have an end, from which on it is refused. An organization that there is not is refused as another's is.",
  ),
  proved(
    'R13.reroll',
    REGISTRY,
    'An API key is made anew with the same name and scopes; the former one goes on for 0 to 30 days, as was asked, and ends by itself exactly then, or sooner where it was to. Of two clicks at once one does it. Killed anywhere, the former key is as it was, or has its successor and its end; the same click again completes it. What the new one sends again of the former one’s messages is the same message (rule T6), and both count in the same quotas.',
  ),
  proved(
    'R13.rotation',
    REGISTRY,
    'Codes and refresh tokens that were made under a former secret are good as long as it stands in `PREVIOUS_SECRET_KEYS`; new ones are made under the present one.',
  ),
  proved(
    'R13.one-decision',
    REGISTRY,
    'A form of consent decides once, however often it is sent: the same code, and one grant.',
  ),
  proved('R13.sign-out', REGISTRY, 'A person ends their session of the authorization server at `/oauth/sign-out`.'),
  proved(
    'R13.self-registered',
    REGISTRY,
    'A person who is asked is told that an application registered itself. Its name holds no control or invisible characters and none that turn writing; redirect URIs are parsed, and their hosts are letters, digits, dots and hyphens.',
  ),
  proved(
    'R14',
    REGISTRY,
    'Rate limits are counted in Redis and so hold over all processes; of those of look-ups each process takes a twentieth ahead, so that a caller may be refused so much earlier for each other process that it used. Answers tell them in `RateLimit-*`, refusals also in `Retry-After` and as `{error, retry_after}`.',
  ),
  proved(
    'R15',
    REGISTRY,
    "Who may sell for whom is crawled from publishers' `adagents.json` by a scheduled job: https, at most 3 redirects within the site, one hop by `authoritative_location`, bounded size; what was read stays for 7 days when a crawl fails. An operator-hosted entry goes before a crawled one.",
  ),
  proved(
    'R15.scope',
    REGISTRY,
    'Authorizations are stored as published, and judged by time and scope when somebody asks. An older fetch never overwrites a newer one; redirects, sizes and grace are those of the public norm of adagents.json. Of a publisher the first 20,000 identifiers that are no domains find it, and more are told as a problem. By schedule a process asks each origin one thing at a time, wherever a redirect or an `authoritative_location` leads, and nobody else waits for those who wait. A file that several publishers point to is fetched once in a round, and is for each as old as that fetch; a failure counts for nobody else.',
  ),
  proved(
    'R15.browse',
    REGISTRY,
    "Agents and publishers are browsed in pages by an index, under the public protocol's paths and in its shapes: private agents never, members' ones with a tier that has API access. What the registry does not have on record is empty or null and says so; a filter that is not served is refused, as is by its name whatever a query of the registry does not know; the stream alone passes it over, since its clients add parameters of their own.",
  ),
  proved(
    'R15.all',
    REGISTRY,
    "What is told of an agent's publishers is bounded by publishers, never by entries: however often somebody names an agent, no other publisher is left out for it. An operator's look-up tells of 10,000 together, shared among its agents; whatever is cut says so, and with what cursor the rest is read.",
  ),
  proved(
    'R15.managed',
    REGISTRY,
    'The publishers of an agent are those whose own entries name it and, after each, those that it manages by their `ads.txt` (MANAGERDOMAIN) and that have no file of their own: page by page, each once.',
  ),
  proved(
    'R15.held',
    REGISTRY,
    'However many publishers an answer is about, of long lists of properties 8 million characters of JSON are in memory, which take 8 to 30 MB, besides those of the publisher in hand and its manager, at most 4 million each. A crawled list that stands in its publisher’s row has at most 250,000, and at most 50 publishers’ rows and their managers’ are read at once. The properties that one question about a product means have at most 8 million together.',
  ),
  proved(
    'R15.search',
    REGISTRY,
    "Agents and publishers are found by role, channel, country, domain, whether they are verified, and words of which the last may be a beginning, however their accents are written, by an index of bounded terms, in pages whose cost does not grow. What changed is found so within seconds, rows of before likewise; what may not be seen leaves no word, and a filter's bad value is refused with those that are allowed.",
  ),
  proved(
    'R15.export',
    REGISTRY,
    'All public agents, all publishers and all entries as published are exported as CSV (RFC 4180, safe in spreadsheets) or NDJSON: streamed in the order of a key by an index, a page in memory at a time, from the beginning or behind any key without gap or double. What a client no longer takes is no longer read, and one that takes nothing for a minute is given up. A line of NDJSON holds nothing that anybody takes for its end.',
  ),
  proved(
    'R15.validate',
    REGISTRY,
    'A publisher can have a file checked before and after publishing it: what is wrong, where and how to mend it, and what buyers will be answered, judged as look-ups are. Whatever a crawl leaves out is an error. Nothing is stored.',
  ),
  proved(
    'R15.hosted',
    REGISTRY,
    "Owners and admins of the organization that has proved a domain have its `adagents.json` hosted here: checked before it is saved, changed by ETag, served to anybody. It lets nobody sell anything until the domain's own origin names it by `authoritative_location`, and counts by the rules of every crawl. A change is looked at by its save, or, where that look was not made or does not count, as soon as it can be. Taken down, or with the domain in other hands, it is no longer served at once, and what it let agents sell is taken back without grace.",
  ),
  proved(
    'R15.generate',
    REGISTRY,
    'A publisher has an adagents.json written from who may sell what: valid by the public schema, without errors in our own check, letting in those that were asked for and nobody else. What would not count as meant is refused by its field. Nothing is stored.',
  ),
  proved(
    'R15.planted',
    REGISTRY,
    "A registry's first entries, those of the seed file and this house's own publishers, are planted by whichever process starts first, once for all of them; another goes on where a killed one had come to. A start after that costs one read, and an agent with a new address is followed there.",
  ),
  proved(
    'R15.shown',
    REGISTRY,
    'Of every publisher that the registry knows anything of, `GET /api/registry/publishers/{domain}` and the page `/registry/publishers/{domain}` show file, crawls, problems, properties and who may sell, bounded; who manages the organization that has proved the domain sees more. Pages run no script, load nothing, escape all that is not ours, name their one address, and are 404 and not to be indexed for what is unknown.',
  ),
  proved(
    'R15.history',
    REGISTRY,
    'What changed of a publisher is read newest first, as long as the feed keeps it, by `GET /api/registry/publishers/{domain}/history` and, in the public shape, `GET /api/properties/history`.',
  ),
  proved(
    'R15.sellers',
    REGISTRY,
    "A publisher's ads.txt and the sellers.json of the ad systems that it names are read beside its adagents.json, bounded, each daily, a sellers.json once for all; what cannot be read any more stays for seven days, what is gone for one. `GET /api/registry/publishers/{domain}/sellers` says of every account whether its ad system confirms it, each by its own `source`. Neither ever authorizes an agent. A kill at any write loses nothing.",
  ),
  proved(
    'R15.told',
    REGISTRY,
    "Owners have changes of who may sell for their proved domains told by webhook, signed and delivered as all are: agents listed, changed and gone, authorizations that begin and end by their dates, files that fail and recover. A kill at any write loses nothing, and nothing is told under two ids. A registration ends with its deletion, with a 410, and with the organization's hold on the domain.",
  ),
  proved(
    'R16.public',
    REGISTRY,
    "What the public registry's client calls is answered under the paths that it calls, beside our own, from the same rows, judged by the same code. A method answers with data, or with an error that says why not; 404 means that somebody has looked.",
  ),
  proved(
    'R16.refused',
    REGISTRY,
    "What this registry does not do, policies, brands of others' making, references to manifests and storyboards, is 501 `NOT_IMPLEMENTED` with a sentence and what to do instead: never 404, and never made-up data.",
  ),
  proved(
    'R16.feed',
    REGISTRY,
    "An event of the feed has the public protocol's members beside our own. With a credential a feed begun without a cursor folds to the present state, tells authorizations one by one, judged when asked, and says `cursor_expired` for what is 410 without one. Filters take the types of both, and all of a kind as `agent.*`. A full page without a filter ends at a multiple of its limit, and is the same each time it is asked for, in gzip for whoever takes it.",
  ),
  proved(
    'R16.pages',
    REGISTRY,
    'Domains are listed by name, at most 100 a page, and gone on from by the last of them at a cost that does not grow; passing over by `offset` ends at 1,000.',
  ),
  proved(
    'R16.brands',
    REGISTRY,
    "A domain's brand is what its `/.well-known/brand.json` says, in any of the five forms, over three redirects at most. A brand in a portfolio is trusted by the house alone; one with a document of its own belongs to the house that it names and that lists it in turn, and is itself either way. Who is not named by where it points to stands for itself. 404 is that there is no file; what cannot be read, leads in a circle or is no brand.json is 502, what does not answer in time 504, each with a code.",
  ),
  proved(
    'R16.brand-files',
    REGISTRY,
    'A brand.json is read when somebody asks, once at a time for each domain over all processes, and used for 24 hours, that there is none for one, that it failed for five minutes. What cannot be read again is believed for 48 hours and called stale. The newest 20 changes are kept, and a brand that nobody asks for is forgotten after 90 days.',
  ),
];
