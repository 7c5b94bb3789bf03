import { checkUrl } from '../../platform/outbound/url-guard.ts';
import type { UrlRules } from '../../platform/outbound/url-guard.ts';
import type { AssetKind } from '../../sales/format/format.ts';
import type { Child, Markup } from '../console/html/markup.ts';
import type { OperatorCreativeInFull } from '../operator/creatives/operations.ts';
import { documentOf } from '../page-frame.tsx';
import { PREVIEW_STYLE } from './preview-policy.ts';

type Asset = OperatorCreativeInFull['assets'][string];

/** A creative's assets as they look, each under its name, as a document by itself. */
export function previewDocument(creative: OperatorCreativeInFull, rules: UrlRules): string {
  const figures = Object.entries(creative.assets).map(([key, asset]) => {
    const kind = creative.asset_kinds[key] ?? 'text';
    return (
      <figure>
        <figcaption>
          <bdi>{key}</bdi>
          {`: ${kind}`}
        </figcaption>
        <Shown asset={asset} kind={kind} name={key} rules={rules} />
      </figure>
    );
  });
  return preview('Preview', figures.length === 0 ? <p>It has no assets.</p> : figures);
}

/** What is said where there is no preview. */
export function noPreviewDocument(words: string): string {
  return preview('No preview', <p>{words}</p>);
}

/** Whether it has a document of the buyer's own, which is shown with its styles. */
export function hasDocument({ assets, asset_kinds }: OperatorCreativeInFull): boolean {
  return Object.entries(assets).some(([key, asset]) => asset_kinds[key] === 'html' && textIn(asset) !== undefined);
}

function Shown({ asset, kind, name, rules }: { asset: Asset; kind: AssetKind; name: string; rules: UrlRules }): Markup {
  const url = typeof asset['url'] === 'string' ? asset['url'] : undefined;
  const text = textIn(asset);
  const size = { width: pixelsIn(asset, 'width'), height: pixelsIn(asset, 'height') };
  if (kind === 'html' && text !== undefined) {
    // In a frame of its own: what it leaves open, or lays over things, ends with it.
    return <iframe sandbox="" srcdoc={text} title={name} {...{ width: 300, height: 250, ...given(size) }} />;
  }
  if (url === undefined || kind === 'text') return <pre>{bidi(text ?? url ?? 'Nothing of it can be shown.')}</pre>;
  if (kind !== 'image' && kind !== 'video' && kind !== 'audio') return <p>{bidi(url)}</p>;
  const { src, reason } = addressOf(url, rules);
  if (src === undefined) {
    return (
      <>
        <p>{`It is not loaded: ${reason}.`}</p>
        <p>{bidi(url)}</p>
      </>
    );
  }
  if (kind === 'image') return <img src={src} alt={`${name}, as the buyer keeps it`} {...size} />;
  if (kind === 'audio') return <audio controls preload="metadata" src={src} />;
  return <video controls preload="metadata" src={src} {...size} />;
}

/** Where a browser may load from, or why it may not: it does not look where a name leads, so that http is for what is this machine by its spelling. */
function addressOf(url: string, rules: UrlRules): { src?: string; reason?: string } {
  const verdict = checkUrl(url, rules);
  if (!verdict.ok) return { reason: verdict.reason };
  const { href, isSecure, isThisMachine } = verdict.target;
  return isSecure || isThisMachine ? { src: href } : { reason: 'url scheme is not https' };
}

/** What was sent inline; undefined where nothing was. */
function textIn(asset: Asset): string | undefined {
  return typeof asset['content'] === 'string' ? asset['content'] : undefined;
}

function pixelsIn(asset: Asset, side: 'width' | 'height'): number | undefined {
  const pixels = asset[side];
  return typeof pixels === 'number' && Number.isSafeInteger(pixels) && pixels > 0 ? pixels : undefined;
}

function given(size: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(Object.entries(size).filter((side): side is [string, number] => side[1] !== undefined));
}

function bidi(text: string): Markup {
  return <bdi>{text}</bdi>;
}

function preview(title: string, body: Child): string {
  return documentOf({ title, head: <style>{PREVIEW_STYLE}</style>, body });
}
