import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const CONSOLE = 'the console';

export const CONSOLE_RULES: readonly Requirement[] = [
  proved(
    'O1',
    CONSOLE,
    'What operators see and do stands on one list of operations, with a role each: the operator API, the command line and the console’s pages read and act by it alone, so that none shows or does more than another.',
  ),
  proved(
    'O1.pages',
    CONSOLE,
    'Every page is a GET behind the sign-in that needs no script and loads nothing from elsewhere (but O1.preview), under a policy that allows no script but the console’s one file, and no inline style. It is well-formed for assistive technology (WCAG 2.2 AA by axe), light and dark, full, empty and in error; it scrolls sideways at no width from 390 px on, nor at 200 %, and what is pressed is 24 px high and wide, but for links within a sentence. While the store is away, and where there is no such page, that is told in the console’s frame.',
  ),
  proved(
    'O1.live',
    CONSOLE,
    'Where scripts run, a page keeps itself fresh: it fetches itself anew when a stream rings, and every 30 seconds while it is looked at. A stream tells topic and id, never content, once a second and topic at most, from every process that writes; it ends with its session, which it does not prolong. Who has 10, or a process that has 200, gets 503 with `Retry-After`. Focus, scroll and what is typed stay, and rows under the pointer move only when asked for.',
  ),
  proved(
    'O1.queues',
    CONSOLE,
    'The job queues are looked at and changed by nobody there, not by the pages’ own API either; each job leads to its task or webhook. An admin pauses and resumes a queue on record, and says why; while one is paused every page and `/readyz` say so.',
  ),
  proved(
    'O1.search',
    CONSOLE,
    'What has the very id, or a receiver’s URL, opens at once; else API keys are found by their last four characters, media buys by their whole reference or PO number and organizations by how their name begins, each by an index and at most ten. Where nothing is, the page says what is looked for.',
  ),
  proved(
    'O1.pacing',
    CONSOLE,
    'A media buy’s page draws what was spent against an even pace and the budget, to the cent what the buyer is told, and says the same in words and as a table; however many points there are.',
  ),
  proved(
    'O1.money',
    CONSOLE,
    'Money by day is from the books: delivered to the cent what buyers are told by `get_media_buy_delivery`, with hours that were stated otherwise since, and booked the budgets as they stand. It is summed by a worker a minute after something changed, once and right whoever dies or sums beside; to look at it reads no buy.',
  ),
  proved(
    'O1.lists',
    CONSOLE,
    'Each list is had as JSON and as CSV, by the same filters and for the same people, in the console and at the terminal; nothing in a CSV is taken for a formula, and nothing printed is obeyed by a terminal. The operator API streams each as NDJSON, too, to its end or 100,000 rows, a page at a time as it is taken; what fails midway is cut, never a list that looks whole. A buyer is chosen by its id, its name, or how that begins: where several are meant they are named, and nothing is listed. What is told of each of many is counted by indexes, and only so far: where there is more, it says so.',
  ),
  proved(
    'O1.undo',
    CONSOLE,
    'A pause, a hold and a suspension are undone by their opposite, by whoever may do that, from beside what was done, from the record, by API and at the terminal: once, and as long as nothing has come between. Both stand on record, the second with what it undoes.',
  ),
  proved(
    'O1.text',
    CONSOLE,
    'What strangers wrote is shown as the text it is: never a tag, an attribute or an address, and nothing in it turns the direction of what follows.',
  ),
  proved(
    'O1.verify',
    CONSOLE,
    'The page of a webhook, at the seller’s and at the buyer’s, has a command that is copied as a whole: it verifies the signature of the last attempt over the bytes and headers that the page shows, and the digest alone where the mode signs nothing or part of the URL is not shown. It ends with exit status 0 for what was sent, and with another for anything else.',
  ),
  proved(
    'O1.forms',
    CONSOLE,
    'Every action is a form, made for one session and one thing to be done: from another origin, without its token, or with another’s, it is 403 and changes nothing. Sent twice it is one click. All of it is done by the keyboard alone, and what a form did, or what is wrong with it, has the focus then. It is done in the name of who is signed in, on record, by their role; it is answered by a redirect to where it was, and never out of the console. What makes a secret answers with it instead (O1.once), and what is done to several with what became of each.',
  ),
  proved(
    'O1.once',
    CONSOLE,
    'An API key, an operator key, an invitation and a sign-in link that the console makes stand in the answer of the form that made them, and nowhere after: on no page, in no address, no log and no record. The form sent again makes no second one; once the key has been used, or revoked, it is left as it is.',
  ),
  proved(
    'O1.fresh',
    CONSOLE,
    'What hands out access or takes it back, and what concerns signing keys, a session does only within `FRESH_SIGN_IN_MINUTES` (15) of its person’s proof of who they are: of a link’s use, or of the provider’s `auth_time`, which signing in again asks for by `max_age` and `prompt=login`. Each form that asks for it says so beforehand to whoever’s is older. Else nothing is done: the console says how to sign in again, keeps what was typed for half an hour, shows it to the same person in the same browser after that sign-in, and does it by one click, once. Keys of the operator API, and so the command line, are asked for nothing more.',
  ),
  proved(
    'O1.policy',
    CONSOLE,
    'Every page of the console, its sign-in, the portal and the pages that stand alone is sent under a policy without `unsafe-inline` and `unsafe-eval`, and breaks it nowhere: no script, style or handler stands in a page’s tags, but for one style of a page that stands alone, which its policy names by hash. A creative’s own document alone is shown with its own styles (O1.preview).',
  ),
  proved(
    'O1.preview',
    CONSOLE,
    'What a creative looks like is loaded only once that is asked for, in a frame on its page: sandboxed by the frame and by the document’s own policy, so that no script runs, no form is sent, no window opens and no link leads out of the console. Pictures, video and sound come by https from where they are kept, as far as this agent would call there; addresses are told as text, and a document of the buyer’s is shut in a frame of its own. The way in is sealed, for five minutes, one session and one version: with another session’s cookie it is 404, and later 410, in words.',
  ),
  proved(
    'O1.typed',
    CONSOLE,
    'What cannot be taken back and others depend on, is done from a page only once its name is typed: a form that asks for it is refused without, whatever else is sent with it.',
  ),
  proved(
    'O1.record',
    CONSOLE,
    'Each row of what operators did carries, for each write of it, a hash of what it said then and the hash of what its process wrote before. A row that is altered or removed is found by the console, by `verify-log` and by the operator API, which name it; so is one that was altered with its own hash made anew. Rows are kept for 400 days after their last write: what is gone by age is no alarm, nor is a process that died midway, whose row says `begun`. Rows of 0.1.0, which have no hash, are read and counted.',
  ),
  proved(
    'O1.portal',
    CONSOLE,
    'In the buyers’ portal an organization sees its own webhooks, to the byte, its receivers, registrations, success and keys; it sends one or many again, ends a registration once that was confirmed, and tries one, by the buyers’ API and in its budgets; another’s id is 404. An API key with `webhooks:read` opens it, by a form and never in a URL; what changes anything takes `webhooks:write`. So does a one-time link of a key or of an operator, good for 15 minutes: looking at it uses nothing up, and of any number of attempts one opens. So does a person’s own account, at this agent’s authorization server or at `OAUTH_ISSUER`, by code and PKCE, in the browser that began it and once: for an organization that they belong to, as a grant of the portal’s alone of which no token is made; such a session ends with grant, membership and account. A session ends with its key, while its organization is suspended, after 2 hours without use and after 12, and at an operator’s wish. Its cookie opens nothing of the console, nor the console’s anything of it.',
  ),
];
