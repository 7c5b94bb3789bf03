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
    'Every page is a GET behind the sign-in that needs no script and loads nothing from elsewhere, under a policy that allows neither script nor inline style. It is well-formed for assistive technology (WCAG 2.2 AA by axe), light and dark, and scrolls sideways at no width from 390 px on.',
  ),
  proved(
    'O1.text',
    CONSOLE,
    'What strangers wrote is shown as the text it is: never a tag, an attribute or an address, and nothing in it turns the direction of what follows.',
  ),
  proved(
    'O1.forms',
    CONSOLE,
    'Every action is a form, made for one session and one thing to be done: from another origin, without its token, or with another’s, it is 403 and changes nothing. Sent twice it is one click. It is done in the name of who is signed in, on record, by their role; it is answered by a redirect to where it was, and never out of the console. What makes a secret answers with it instead (O1.once).',
  ),
  proved(
    'O1.once',
    CONSOLE,
    'An API key, an operator key, an invitation and a sign-in link that the console makes stand in the answer of the form that made them, and nowhere after: on no page, in no address, no log and no record. The form sent again makes no second one; once the key has been used, or revoked, it is left as it is.',
  ),
  proved(
    'O1.typed',
    CONSOLE,
    'What cannot be taken back and others depend on, is done from a page only once its name is typed: a form that asks for it is refused without, whatever else is sent with it.',
  ),
];
