import { ICON_PATH, STYLE_PATH } from '../console/files.ts';
import type { Markup } from '../console/html/markup.ts';
import { Menu } from '../console/parts/menu.tsx';
import { framed } from '../page-frame.tsx';

/** Where all of the portal is. */
export const PORTAL = '/portal';
/** Where people go on to another of their organizations; below the portal. */
export const ORGANIZATION = '/organization';

export interface PortalPage {
  title: string;
  body: Markup;
  /** Which entry of the menu it belongs to. */
  menu?: string;
}

/** Who is signed in. */
export interface PortalGuestShown {
  /** The organization's name. */
  name: string;
  /** Whether they may go on to another organization of theirs. */
  hasOthers: boolean;
}

const MENU = [
  ['', 'Webhooks'],
  ['/ranges', 'Send many again'],
  ['/registrations', 'Registrations'],
  ['/receivers', 'Receivers'],
  ['/success', 'Success'],
  ['/keys', 'Keys'],
] as const;

/** A page in the portal's frame; `guest` is absent where nobody is signed in. */
export function portalShell({
  title,
  body,
  menu,
  guest,
}: PortalPage & { guest?: PortalGuestShown | undefined }): string {
  return framed({
    ...{ title: `${title} · webhooks`, style: `${PORTAL}${STYLE_PATH}`, icon: `${PORTAL}${ICON_PATH}` },
    header: (
      <>
        <a class="name" href={PORTAL}>
          Your webhooks
        </a>
        {guest !== undefined && (
          <>
            <span class="who">
              <bdi>{guest.name}</bdi>
              {' · '}
              {guest.hasOthers && (
                <>
                  <a href={`${PORTAL}${ORGANIZATION}`}>Another organization</a>
                  {' · '}
                </>
              )}
              <a href={`${PORTAL}/sign-out`}>Sign out</a>
            </span>
            <Menu
              label="Portal"
              entries={MENU.map(([path, label]) => ({ href: `${PORTAL}${path}`, label }))}
              current={menu === undefined ? undefined : `${PORTAL}${menu}`}
            />
          </>
        )}
      </>
    ),
    children: body,
  });
}
