import type { Markup } from '../html/markup.ts';
import { IdLink, pageOfId, Said } from './words.tsx';

/** An organization, and its name where that is known. */
interface Whose {
  organization_id: string;
  organization_name?: string | null | undefined;
}

/** Whose something in a list is: the name, or else the id, and the page that it leads to. */
export function BuyerLink({ of: { organization_id, organization_name } }: { of: Whose }): Markup {
  return (
    <a href={`/admin${pageOfId('/buyers', organization_id)}`} title={organization_id}>
      <Said>{organization_name ?? organization_id}</Said>
    </a>
  );
}

/** The same among facts: name and id. */
export function BuyerFact({ of: { organization_id, organization_name } }: { of: Whose }): Markup {
  return (
    <>
      <Said>{organization_name}</Said> <IdLink of={organization_id} to={pageOfId('/buyers', organization_id)} />
    </>
  );
}
