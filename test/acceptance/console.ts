/** A point that the console, its command line and portal are accepted by, and the tests that hold it: file below `test`, and words of a title. */
export interface AcceptancePoint {
  says: string;
  proof: readonly (readonly [file: string, title: string])[];
  /** What no test holds, and why. */
  lacks?: string;
}

const BY_CLAIM = 'directory/operator/person-by-claim.test.ts';
const CONSOLE = 'admin/console/console.test.ts';
const BROWSER = 'admin/console/every-page-in-a-browser.test.ts';
const FORMS = 'admin/console/every-form.test.ts';
const KEYBOARD = 'admin/console/by-keyboard-in-a-browser.test.ts';
const KEYS = 'admin/console/keys-in-a-browser.test.ts';
const LIVE = 'admin/console/live.test.ts';
const LIVE_BROWSER = 'admin/console/live-in-a-browser.test.ts';
const LISTS = 'admin/console/queues-and-lists.test.ts';
const ONCE = 'admin/console/shown-once.test.ts';
const OIDC = 'admin/oidc-sign-in.test.ts';
const PAPERS = 'main/commands-in-papers.test.ts';
const POLICIES = 'admin/console/policies.test.ts';
const PORTAL = 'admin/portal/portal.test.ts';
const RANGES = 'admin/console/ranges.test.ts';
const RECORD = 'admin/operator/record.test.ts';
const SIGN_IN = 'admin/sign-in.test.ts';
const FAILING = 'admin/console/failing-receivers.test.ts';
const HOLD = 'sales/ad-order/hold-by-seller.test.ts';
const CLI = 'main/command-line.test.ts';
const TOOLS = 'main/deploy-tools.test.ts';
const WEBHOOKS = 'admin/operator/webhooks.test.ts';

/** By number, from 1 on; `npm run test:console` runs all files that are named here. */
export const ACCEPTANCE: readonly AcceptancePoint[] = [
  {
    says: 'A start on a bare machine prints a link that opens the console as an admin by name.',
    proof: [
      ['admin/first-admin.test.ts', 'opens the console as an admin by name, who says theirs'],
      ['main/processes.test.ts', 'tells people where everything is and how to make a media buy'],
      ['admin/queue-page.test.ts', 'opens with that link once only'],
    ],
    lacks: 'No test installs what npm brings: a clone’s own first step is CI’s.',
  },
  {
    says: 'What waits, why a webhook fails and whose key it is are three clicks from the overview at most.',
    proof: [
      [KEYBOARD, 'three clicks from the overview at most'],
      ['admin/console/search.test.ts', 'the last four characters of an API key find whose it is'],
    ],
  },
  {
    says: 'A server says how to sign in, and the sign-in page is true in both modes.',
    proof: [
      ['main/processes.test.ts', 'a server tells people where the console is and how to sign in'],
      [SIGN_IN, 'with 401 and a page that says how to get in'],
      ['admin/oidc-only.test.ts', 'a link that was made before opens nothing, and the page says where to sign in'],
      ['admin/oidc-only.test.ts', 'no link is made, which is told with where to sign in instead'],
    ],
  },
  {
    says: 'Where others reach it, no secret and no link stands on standard output.',
    proof: [['main/processes.test.ts', 'tells addresses and no secret, looks at nothing of this machine']],
  },
  {
    says: 'Every page answers 200, without an error of the browser or a request elsewhere.',
    proof: [
      [BROWSER, 'with all there is to show'],
      [BROWSER, 'the queue pages open without an error of the browser or a request elsewhere'],
      ['admin/portal/in-a-browser.test.ts', 'is signed in to and out of'],
    ],
  },
  {
    says: 'axe finds nothing (WCAG 2.2 AA), light and dark.',
    proof: [
      [BROWSER, 'has no fault that axe finds, and breaks no policy, with all there is to show'],
      [BROWSER, 'while there is nothing to show'],
      [BROWSER, 'nobody may, nobody is signed in, or a form is refused'],
      [BROWSER, 'says in its frame that the store is away'],
      ['admin/portal/in-a-browser.test.ts', 'gives axe nothing to say'],
    ],
  },
  {
    says: 'The keyboard alone does everything.',
    proof: [
      [KEYBOARD, 'signs in, approves, rejects, holds and releases, makes and revokes a key, resends and signs out'],
    ],
  },
  {
    says: 'Nothing scrolls sideways at 390 px or at 200 %, and what is pressed is 24 px high and wide.',
    proof: [
      [BROWSER, 'wide and narrow, light and dark, and at 200 %'],
      ['admin/portal/in-a-browser.test.ts', 'fits 390 pixels'],
    ],
    lacks: 'A link within a sentence is as high as its line.',
  },
  {
    says: 'All of it works without script.',
    proof: [
      [CONSOLE, 'every page is shown to all who are signed in, without script'],
      [KEYBOARD, 'resends and signs out, %s script'],
      [KEYS, 'without script: from the sign-in to a key'],
    ],
  },
  {
    says: 'The policy of pages has nothing unsafe, and is never broken.',
    proof: [
      [SIGN_IN, 'forbids frames, scripts from elsewhere and caching'],
      [POLICIES, 'of the console is under the one strict policy'],
      [POLICIES, 'of the job queues, of the portal, and that stands alone'],
      [BROWSER, 'breaks no policy, with all there is to show'],
      [LIVE_BROWSER, 'the policy is never broken'],
    ],
  },
  {
    says: 'What strangers wrote is text everywhere, and no formula in a CSV.',
    proof: [
      ['admin/console/html.test.tsx', 'what a stranger wrote, in a page'],
      ['admin/console/hostile-names.test.ts', 'are shown as the text they are, on every page that has them'],
      ['admin/console/hostile-names.test.ts', 'in addresses and searches are text, too'],
      ['admin/console/hostile-names-in-a-browser.test.ts', 'run nothing, load nothing and leave the layout as it is'],
      [ONCE, 'hostile names of a buyer and of a key are text'],
      [LISTS, 'takes no text for a formula'],
      ['main/operator-cli/output-form.test.ts', 'as CSV without formulas'],
      [PORTAL, 'shows the words of strangers as text'],
    ],
  },
  {
    says: 'A form from elsewhere, without its token or with another’s changes nothing.',
    proof: [
      [FORMS, 'of each action and of the sign-out is 403 from elsewhere, without its token and with another’s'],
      [FORMS, 'of the portal is so, too'],
      [CONSOLE, 'is refused from elsewhere, without its token, with another session’s'],
      [SIGN_IN, 'is not redeemed by the form of another site'],
    ],
  },
  {
    says: 'Each operation is for whom it says, by page, API and command.',
    proof: [
      ['main/who-may-call.test.ts', 'refuses whoever is not meant, and nobody who is'],
      ['admin/operator/authorization.test.ts', 'is held to the role that the paper says'],
      [FORMS, 'of each action is for the role of its operation'],
      [CONSOLE, 'is not there for those who may not'],
    ],
  },
  {
    says: 'An identity provider signs in who was invited, and nobody else.',
    proof: [
      [OIDC, 'makes nobody a person, and lets nobody in who was not invited'],
      [OIDC, 'by code, PKCE and nonce'],
      [OIDC, 'is taken from the browser that began, once, and within ten minutes'],
      [OIDC, 'with an ID token that has %s signs nobody in'],
      [OIDC, 'let in who has one and was not invited, end other sessions'],
      [BY_CLAIM, 'has the role of their invitation again once the claim has gone'],
      ['admin/people.test.ts', 'end with them in every process at once'],
    ],
  },
  {
    says: 'Sessions end by time, by disuse, by hand and with their person, everywhere.',
    proof: [
      [SIGN_IN, 'is what a session becomes after 12 hours'],
      [SIGN_IN, 'is what a session becomes after 2 hours without use'],
      [OIDC, 'ends the session that the browser had'],
      ['admin/console/access.test.ts', 'another role, and the end of all sessions, hold at once'],
      ['admin/people.test.ts', 'sessions end one person’s or all, in every process at once'],
      [LIVE, 'ends with its session, which it does not prolong'],
    ],
  },
  {
    says: 'What looks at links in mail uses none up; of two that sign in one does.',
    proof: [
      [SIGN_IN, 'is used up by the form alone, not by what looks at links in mail'],
      [SIGN_IN, 'works once only, also when twenty follow it at once'],
    ],
  },
  {
    says: 'Each action leaves one row that says who, from where and what became of it.',
    proof: [
      [CONSOLE, 'a decision is taken as it was shown, on record by who took it'],
      ['admin/operator/http.test.ts', 'a click whose process died in the middle is done by the next one under its key'],
      ['main/on-record.test.ts', 'of what operators do with who did it'],
      [RECORD, 'one was refused, one done anew and one killed midway'],
      [RECORD, 'finds a row that was altered, whatever of it was'],
      [RECORD, 'finds that a row was removed'],
      ['admin/changes-on-record.test.ts', 'how its target was seen before and after'],
    ],
    lacks: 'What has no view of its own, such as a queue or a key, is on record by what was asked and answered alone.',
  },
  {
    says: 'Of two who decide at once one does, and the other sees it without a reload.',
    proof: [
      ['sales/approval/approval-desk.test.ts', 'of fifty operators at once one decides'],
      ['sales/approval/two-people.test.ts', 'of forty who say yes at once one is the first'],
      [LIVE, 'of two who decide at once at two servers one does, the other is told so'],
      [LIVE_BROWSER, 'shows that another has decided'],
    ],
  },
  {
    says: 'A form sent twice is one click.',
    proof: [
      [CONSOLE, 'sent twice, at once or after, is one click'],
      ['admin/operator/answers.test.ts', 'is what each operation says it answers'],
    ],
  },
  {
    says: 'An undo brings back what was, and both are on record.',
    proof: [
      ['admin/undo.test.ts', 'each opposite is an action about the same thing'],
      ['admin/undo.test.ts', 'does the opposite, on record by who undid it and with what it undoes'],
      ['admin/undo.test.ts', 'of a buyer and of a property that were suspended'],
      ['journeys/buyer-limits.test.ts', 'refused by name, on record, and undone'],
    ],
  },
  {
    says: 'What the seller holds stands still until it is released, wherever a process dies.',
    proof: [
      [HOLD, 'stands still at the ad server, says why, and cannot be resumed'],
      [HOLD, 'is held once and released once, wherever the process is killed'],
      [CONSOLE, 'a media buy is held back by an operator'],
    ],
  },
  {
    says: 'A media buy is canceled by who types which, and its buyer is told.',
    proof: [
      [CONSOLE, 'a media buy is canceled by an admin who types which'],
      ['sales/ad-order/cancel-by-seller.test.ts', 'ends at the ad server first, says why in its history once'],
    ],
  },
  {
    says: 'A suspended buyer is refused on every wire in seconds, and goes on once restored.',
    proof: [['journeys/take-back.test.ts', 'an organization: 403 on every wire by key and by token']],
  },
  {
    says: 'A key made in the console works in the line beside it, is shown once, and ends when it is revoked.',
    proof: [
      [ONCE, 'a key made on a buyer’s page works in the line beside it'],
      [ONCE, 'stands on no later page, in no log and in no stored row'],
      ['journeys/take-back.test.ts', 'an API key of any organization: listed, revoked'],
      ['journeys/reroll.test.ts', 'the former one is good until exactly the end of the overlap'],
      ['journeys/reroll.test.ts', 'by its buyer’s page: shown once, with until when the former one is good'],
    ],
  },
  {
    says: 'A signing key is rotated, and webhooks verify all the while.',
    proof: [
      ['admin/console/access.test.ts', 'a signing key is rotated by a form'],
      [
        'webhooks/keys/key-set.test.ts',
        'publishes the new key before it signs, and the old one until its last signature has expired',
      ],
      ['admin/console/key-rotation.test.ts', 'leaves every webhook verifiable, those on their way too'],
    ],
    lacks: 'Two hundred are sent around the rotation, and not 50 a second: no test measures time.',
  },
  {
    says: 'A receiver that fails is told of with its cause and what to do.',
    proof: [
      ['webhooks/delivery/classify.test.ts', 'explains in its own words and repeats nothing of the receiver'],
      ['webhooks/delivery/answers.test.ts', '410 ends the registration'],
      [FAILING, 'names cause and remedy, with the row’s figures'],
    ],
  },
  {
    says: 'The bytes that are shown verify.',
    proof: [
      ['main/buyer-commands.test.ts', 'verifies a webhook that was kept, as of its time'],
      ['journeys/verify-it-yourself.test.ts', 'the commands beside a webhook verify the bytes shown'],
      ['webhooks/operator.test.ts', 'is what is sent, to the byte'],
      [
        FAILING,
        'the command that is copied as a whole verifies signature, bytes and headers that are shown, and no others',
      ],
    ],
  },
  {
    says: 'A long range is sent again, whatever dies, and no event twice.',
    proof: [
      [WEBHOOKS, 'a range whose process died goes on where it stood'],
      [WEBHOOKS, 'a long range is left to the workers after a while, and none of it is left out'],
      [RANGES, 'is counted first, confirmed by that number, followed while it is sent, and sent once'],
      [RANGES, 'says at its end how many were sent, and what was left out and why'],
    ],
    lacks: 'On MongoDB each run tries 240; 10,000 were tried by hand, which take a minute there.',
  },
  {
    says: 'A task with faults, waits and webhooks shows them in order, and runs at once when it is brought forward.',
    proof: [
      ['admin/console/timeline.test.tsx', 'has all in order, in words'],
      ['runtime/faults.test.ts', 'is taken now and once'],
      [CONSOLE, 'a task by an operator'],
      ['runtime/faults.test.ts', 'are the last five in order, each in our words with an id that the log has'],
      [CONSOLE, 'a task shows its faults in order, on its page and by the API'],
      ['main/agent-command.test.ts', 'shows the faults of a task in order'],
    ],
  },
  {
    says: 'Every list is as quick at 100,000 rows.',
    proof: [['main/query-plans.test.ts', 'in the order of an index, reading nothing that comes before']],
    lacks: 'No test measures time; docs/performance.md has what was measured.',
  },
  {
    says: 'A change of one process shows in another’s pages in seconds, also once Redis has died.',
    proof: [
      [LIVE, 'for what is written in any process'],
      ['admin/console/live-crash.test.ts', 'with Redis dead pages are fresh still and say so'],
      [LIVE_BROWSER, 'fetches itself anew when a stream that ended begins again'],
      [LIVE_BROWSER, 'and every 30 seconds where there is none'],
    ],
  },
  {
    says: 'Too many open pages are refused a stream, and work.',
    proof: [
      [LIVE, 'is refused with 503 where this process has 200 already'],
      [LIVE, 'has room again when one is closed'],
    ],
    lacks: 'No test measures memory; docs/performance.md has what was measured.',
  },
  {
    says: 'Charts say what buyers are told, to the cent, in words and as a table, with any number of points.',
    proof: [
      ['admin/console/pacing.test.tsx', 'tells to the cent what the buyer is told'],
      ['admin/console/pacing.test.tsx', 'without a point has the even pace and the budget'],
      ['admin/console/pacing.test.tsx', 'with one point is a line'],
      ['admin/console/pacing.test.tsx', 'with 10,000 points stays small'],
      ['admin/console/money-by-day.test.tsx', 'to the cent what get_media_buy_delivery tells of all buys'],
      ['admin/console/step-bars.test.tsx', 'with the same in words and in numbers'],
    ],
  },
  {
    says: 'The queue pages change nothing; an admin pauses on record, and /readyz says so.',
    proof: [
      [LISTS, 'nobody at all changes a queue by the queue pages’ own API'],
      [LISTS, 'an admin pauses a queue with a reason, on record'],
      [LISTS, 'each job leads to its task'],
      [LISTS, 'a job with the payload %j leads to %s'],
    ],
  },
  {
    says: 'In the portal each sees their own alone, and its cookie opens nothing else.',
    proof: [
      [PORTAL, 'shows an organization its own webhooks alone'],
      [PORTAL, 'once for a double click, and 60 an hour'],
      [PORTAL, 'refuses a key in a URL'],
      ['admin/portal/by-account.test.ts', 'for the organization that they choose, and out again'],
      [PORTAL, 'opens nothing of the console'],
    ],
  },
  {
    says: 'The APIs are described by valid documents that answers fit, and every operation has page, command and role.',
    proof: [
      ['admin/operator/openapi.test.ts', 'is a valid OpenAPI 3.1 document'],
      ['admin/operator/openapi.test.ts', 'describes every operation of the list: its words, its role, its parameters'],
      ['admin/operator/answers.test.ts', 'is what each operation says it answers, and nothing more'],
      ['registry/openapi.test.ts', 'is a valid OpenAPI 3.1 document'],
      ['registry/openapi.test.ts', 'describes every endpoint of the list, with its access'],
      ['admin/operator/operations.test.ts', 'and the command line helps in its words'],
      [CONSOLE, 'pages read and act by the list of operations'],
      ['admin/console/page-of-operation.test.ts', 'every operation is read or done on a page of the console'],
    ],
  },
  {
    says: 'The command line helps in 80 columns, ends with 0 to 3, and prints what the API says.',
    proof: [
      [CLI, 'the help of every command is what docs/cli.md says, in 80 columns'],
      [CLI, 'an agent that does not answer is exit status 3'],
      ['main/operator-cli/output-form.test.ts', 'as the API’s JSON'],
      ['main/operator-cli/completion.test.ts', 'every command at its place, and every option of each'],
    ],
    lacks: 'How soon it helps is not tested, since no test has an upper bound on time.',
  },
  {
    says: 'Metrics are read, dashboards and alerts name those there are, and a buy is one trace.',
    proof: [
      ['main/metrics.test.ts', 'shows them at /metrics on this machine alone'],
      ['main/alerts.test.ts', 'ask for metrics and labels that there are'],
      [TOOLS, 'fire after their time, with what they say, and not below their threshold'],
      ['main/metrics.test.ts', 'has no more labels for 1,000 buyers than for one'],
      ['platform/metrics/metrics.test.ts', 'never have more than 500 label sets each'],
      ['journeys/traces.test.ts', 'Redis forgot everything between the call and the turn'],
    ],
  },
  {
    says: 'What it is run by is checked, a backup brings everything back, and a rolling restart loses nothing.',
    proof: [
      ['main/deploy.test.ts', 'runs two servers and two workers, of settings that there are'],
      ['main/deploy-linted.test.ts', 'has nothing that it complains of'],
      ['main/deploy-linted.test.ts', 'has nothing that they complain of but that its proxy is reached from everywhere'],
      ['sources/kubernetes-manifests.test.ts', 'are objects that there are, with members that these have'],
      [TOOLS, 'is a configuration and rules that it takes'],
      [TOOLS, 'is one that Caddy takes, as it would write it'],
      [TOOLS, 'are right as far as systemd itself can tell'],
      ['main/backup.test.ts', 'restored, the same buys, keys and record'],
      ['journeys/rolling-restart-crash.test.ts', 'replaced one after another under load refuse no request'],
    ],
    lacks: 'Containers are not started and no image is built, since there is no daemon: docs/running.md says so.',
  },
  {
    says: 'Papers name what there is, their examples run, and one script makes pictures of every page.',
    proof: [
      ['docs.test.ts', '%s names only paths that exist'],
      ['docs.test.ts', '%s leads only to places that it has, and says only scripts that there are'],
      [PAPERS, 'are of commands that there are, with options that these have'],
      ['main/who-may-call.test.ts', 'papers name no other'],
      ['journeys/buyers-examples.test.ts', '%s finds products and buys'],
      ['acceptance/console.test.ts', 'the pictures'],
    ],
    lacks:
      'Of the commands in papers, those of the examples are run; of the others it is tested that they can be. Links to other sites are not followed.',
  },
];
