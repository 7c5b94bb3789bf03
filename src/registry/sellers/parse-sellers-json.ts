import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import type { Seller } from '../../directory/seller/seller-page.ts';
import { SellerType } from '../../directory/seller/seller-page.ts';
import type { SellersJsonFacts } from '../../directory/seller/sellers-json-file.ts';
import { parseJsonInSlices } from '../../platform/intake/parse-json-in-slices.ts';
import { isObject } from '../../platform/json-object.ts';
import { shownText } from '../probe/tool.ts';

/** What a sellers.json says. */
export interface SellersJson {
  /** In the file's order, each id once. */
  sellers: Seller[];
  facts: SellersJsonFacts;
}

/** Sellers that are read; a file with more is cut there. */
const MAX_SELLERS = 150_000;
const MAX_PROBLEMS = 20;
const MAX_IDENTIFIERS = 20;

const Line = shownText(200);

/**
 * Reads a sellers.json (version 1.0), a seller at a time. A bad entry is left out and told; it never loses the others. `isCut`: the
 * text ends early. For what is no such file, answers why, in our own words.
 */
export async function parseSellersJson(
  bytes: Uint8Array,
  { isCut = false, most = MAX_SELLERS }: { isCut?: boolean; most?: number } = {},
): Promise<SellersJson | { reason: string }> {
  const reader = new SellerReader(most);
  const element = (key: string, value: unknown) => {
    if (key === 'sellers') reader.read(value);
    return key === 'sellers';
  };
  let json: Record<string, unknown>;
  try {
    json = await parseJsonInSlices(bytes, { isCut, element });
  } catch (error) {
    return { reason: (error as Error).message };
  }
  if (!Array.isArray(json['sellers'])) return { reason: 'the file has no list sellers' };
  const { version, contact_email, contact_address, identifiers } = json;
  const known: unknown[] = Array.isArray(identifiers) ? identifiers.slice(0, MAX_IDENTIFIERS) : [];
  return {
    sellers: reader.sellers,
    facts: {
      ...{ version: shown(version), contact_email: shown(contact_email), contact_address: shown(contact_address) },
      identifiers: known.flatMap((one) => {
        const [name, value] = isObject(one) ? [shown(one['name']), shown(one['value'])] : [null, null];
        return name === null || value === null ? [] : [{ name, value }];
      }),
      ...{ bad_entries: reader.badEntries, problems: reader.problems, is_cut: isCut || reader.isFull },
    },
  };
}

class SellerReader {
  readonly sellers: Seller[] = [];
  readonly problems: string[] = [];
  badEntries = 0;
  isFull = false;
  readonly #known = new Set<string>();
  readonly #most: number;
  #index = 0;

  constructor(most: number) {
    this.#most = most;
  }

  read(raw: unknown): void {
    const index = this.#index++;
    if (this.sellers.length >= this.#most) {
      this.isFull = true;
      return;
    }
    const seller = sellerIn(raw);
    const problem =
      seller === undefined
        ? 'has no usable seller_id'
        : this.#known.has(seller.seller_id)
          ? 'has the seller_id of one before it'
          : undefined;
    if (seller === undefined || problem !== undefined) {
      if (++this.badEntries <= MAX_PROBLEMS) this.problems.push(`sellers[${index}] ${problem ?? ''}`);
      return;
    }
    this.#known.add(seller.seller_id);
    this.sellers.push(seller);
  }
}

function sellerIn(raw: unknown): Seller | undefined {
  if (!isObject(raw)) return undefined;
  const id = raw['seller_id'];
  const seller_id = typeof id === 'number' ? String(id) : typeof id === 'string' ? id.trim() : '';
  if (!SELLER_ID.test(seller_id)) return undefined;
  const type = raw['seller_type'];
  const domain = typeof raw['domain'] === 'string' ? normalizeDomain(raw['domain'])?.domain : undefined;
  const name = shown(raw['name']);
  return {
    seller_id,
    seller_type: SellerType.safeParse(typeof type === 'string' ? type.trim().toUpperCase() : undefined).data ?? null,
    ...(name !== null && { name }),
    ...(domain !== undefined && { domain }),
    ...(isSet(raw['is_confidential']) && { is_confidential: true as const }),
    ...(isSet(raw['is_passthrough']) && { is_passthrough: true as const }),
  };
}

const SELLER_ID = /^[^\s\p{Cc}]{1,200}$/u;

/** A flag of the norm is 0 or 1; files have it as a text or a truth value too. */
function isSet(flag: unknown): boolean {
  return flag === 1 || flag === '1' || flag === true;
}

/** A text or a number as it is shown, bounded; null for an empty one and for anything else. */
function shown(value: unknown): string | null {
  const text = Line.parse(typeof value === 'number' ? String(value) : value);
  return text === '' ? null : text;
}
