import { styleSource } from '../../platform/html-page.ts';

/** How a preview looks, whatever is in it; without what JSX escapes. */
export const PREVIEW_STYLE = `
html { color-scheme: light; background: #fff; color: #1b2430; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 1rem; }
figure { margin: 0 0 1.5rem; }
figcaption { color: #566170; font-size: .9rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
img, video, iframe { display: block; max-width: 100%; border: 1px solid #dde1e6; }
img, video { height: auto; }
p, pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** Where pictures and sound come from, on a machine that may be called over http. */
const LOOPBACK = ['http://127.0.0.1:*', 'http://localhost:*'];

interface Shown {
  /** Pictures, video and sound, which are had from elsewhere; else nothing is. */
  isLoading: boolean;
  /** A document of the buyer's, which brings its own styles; else our one style alone is. */
  hasStyles: boolean;
  /** As the installation's outbound rules have it (`ALLOW_LOOPBACK`). */
  allowLoopback: boolean;
}

/**
 * What a preview may do (rule O1.preview): no script, no form, no window, no frame from elsewhere, and an origin that nobody else has, by
 * whatever it is opened. The one policy with `unsafe-inline`, and of styles alone: banners are made of them.
 */
export function previewPolicy({ isLoading, hasStyles, allowLoopback }: Shown): string {
  const from = ['https:', ...(allowLoopback ? LOOPBACK : [])].join(' ');
  return [
    "default-src 'none'",
    ...(isLoading ? [`img-src ${from} data:`, `media-src ${from}`] : []),
    `style-src ${hasStyles ? "'unsafe-inline'" : styleSource(PREVIEW_STYLE)}`,
    ...["form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'", 'sandbox'],
  ].join('; ');
}
