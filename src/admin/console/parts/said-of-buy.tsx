import type { BuyInFullView } from '../../operator/buys/buy-view.ts';
import type { Child, Markup } from '../html/markup.ts';
import { Data, Day, Said } from './words.tsx';

/** What the buyer said of a media buy for people to know it by, as facts. Pure. */
export function saidFacts({ said = {} }: BuyInFullView): (readonly [name: string, value: Child])[] {
  const { io_acceptance: signed } = said;
  const words = (text: string | undefined) => text !== undefined && <Said>{text}</Said>;
  return [
    ['Name', words(said.name)],
    ['PO number', words(said.po_number)],
    ['Agency estimate', words(said.agency_estimate_number)],
    ['Industry', words(said.advertiser_industry?.replaceAll('_', ' '))],
    ['Insertion order', signed && <InsertionOrder signed={signed} />],
    ['Governance plan', words(said.plan_id)],
  ];
}

/** The buyer's word for it; nothing is signed here. */
function InsertionOrder({ signed: { io_id, signatory, accepted_at } }: { signed: Record<string, unknown> }): Markup {
  return (
    <>
      <Said>{textOf(io_id)}</Said>
      {', signed by '}
      <Said>{textOf(signatory)}</Said>
      {typeof accepted_at === 'string' && !Number.isNaN(Date.parse(accepted_at)) && (
        <>
          {' on '}
          <Day at={accepted_at} />
        </>
      )}
      {', by the buyer’s word'}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '-';
}

/** What only the buyer's own agent has a use for, and is told again. */
export function SaidBesides({ buy: { said = {}, said_of_packages = [] } }: { buy: BuyInFullView }): Markup {
  const packages = said_of_packages.filter(({ context, ext }) => (context ?? ext) !== undefined);
  if (said.ext === undefined && packages.length === 0) return <></>;
  const all = { ...(said.ext && { ext: said.ext }), ...(packages.length > 0 && { packages }) };
  return (
    <>
      <h2>What the buyer said besides</h2>
      <p>It is told again to the buyer’s agent and has no effect.</p>
      <Data of={all} />
    </>
  );
}
