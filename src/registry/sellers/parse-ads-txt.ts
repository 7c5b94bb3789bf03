import { normalizeDomain, normalizeHost } from '../../directory/domain/normalize-domain.ts';
import { recordKey } from '../../directory/seller/ads-txt-file.ts';
import type { AdsTxtFacts, AdsTxtManager } from '../../directory/seller/ads-txt-file.ts';
import type { AdsTxtRecord } from '../../directory/seller/seller-page.ts';
import { isCountry } from '../../platform/country.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { shownText } from '../probe/tool.ts';

/** What an ads.txt says. */
export interface AdsTxt {
  /** In the file's order; the same record once. */
  records: AdsTxtRecord[];
  facts: AdsTxtFacts;
}

/** Lines that are read; a file with more is cut there. */
export const MAX_LINES = 65_536;
/** A longer line is a bad one. */
const MAX_LINE = 2_000;
/** In characters, so that it fits keys. */
const MAX_SELLER_ID = 200;
/** Of each variable that may come many times. */
const MAX_VALUES = 100;
const MAX_PROBLEMS = 20;
/** Ad systems of one publisher whose sellers.json is read. */
export const MAX_SYSTEMS = 200;

/** A domain or host as it stands in a file: no URL, no address. */
const HOST = /^[a-z0-9][a-z0-9.-]{0,252}$/i;
/** Stands for "nobody may sell" in a file that is to have a record. */
const PLACEHOLDER = 'placeholder.example.com';

/**
 * Reads an ads.txt (version 1.1) in linear time, a part at a time. Bad lines are counted and the first named; they lose only themselves.
 * Undefined for a text in which no line is a record or a variable and some are bad: it is no ads.txt. `isCut`: its last line is not whole.
 */
export async function parseAdsTxt(bytes: Uint8Array, isCut = false): Promise<AdsTxt | undefined> {
  // The BOM goes with decoding; what is no UTF-8 makes a bad line at most.
  const lines = new TextDecoder().decode(bytes).split(LINE_END, MAX_LINES + 1);
  const isShortened = isCut || lines.length > MAX_LINES;
  if (isShortened) lines.pop();
  const reader = new LineReader();
  await mapInSlices(lines, (line, i) => {
    reader.read(line, i + 1);
  });
  return reader.end(isShortened);
}

/**
 * The manager that an ads.txt names for all countries by `MANAGERDOMAIN=`: the last such line counts, one with `#noagents` behind it does
 * not. Undefined where none does, and for the publisher itself.
 */
export function managerDomainIn({ facts }: AdsTxt, publisherDomain: string): string | undefined {
  const manager = facts.managers.find(({ country, no_agents }) => country === null && !no_agents)?.domain;
  return manager === publisherDomain ? undefined : manager;
}

const LINE_END = /\r\n|\n|\r/;

class LineReader {
  readonly #records = new Map<string, AdsTxtRecord>();
  readonly #systems = new Set<string>();
  readonly #managers = new Map<string, AdsTxtManager>();
  readonly #contacts = new Set<string>();
  readonly #subdomains = new Set<string>();
  readonly #partners = new Set<string>();
  readonly #problems: string[] = [];
  #ownerDomain: string | null = null;
  #badLines = 0;
  #isAdsTxt = false;

  read(line: string, number: number): void {
    const hash = line.indexOf('#');
    const said = (hash === -1 ? line : line.slice(0, hash)).trim();
    if (said === '') return;
    const problem =
      line.length > MAX_LINE
        ? `it has more than ${MAX_LINE} characters`
        : this.#take(said, hash === -1 ? '' : line.slice(hash + 1));
    if (problem === undefined) this.#isAdsTxt = true;
    else if (++this.#badLines <= MAX_PROBLEMS) this.#problems.push(`line ${number}: ${problem}`);
  }

  end(is_cut: boolean): AdsTxt | undefined {
    if (!this.#isAdsTxt && this.#badLines > 0) return undefined;
    return {
      records: [...this.#records.values()],
      facts: {
        ...{ owner_domain: this.#ownerDomain, managers: [...this.#managers.values()], contacts: [...this.#contacts] },
        ...{ subdomains: [...this.#subdomains], inventory_partner_domains: [...this.#partners] },
        ...{ bad_lines: this.#badLines, problems: this.#problems, is_cut },
        ...{ systems_count: this.#systems.size, systems: [...this.#systems].slice(0, MAX_SYSTEMS) },
      },
    };
  }

  /** Answers what is wrong. */
  #take(said: string, comment: string): string | undefined {
    const [, name, value = ''] = VARIABLE.exec(said) ?? [];
    return name === undefined ? this.#takeRecord(said) : this.#takeVariable(name.toUpperCase(), value, comment);
  }

  #takeRecord(said: string): string | undefined {
    const [fields = ''] = said.split(';', 1);
    const [system = '', seller_id, relation, certification] = fields.split(',', 4).map((field) => field.trim());
    if (seller_id === undefined || relation === undefined) return 'it is no record: it has fewer than three fields';
    const ad_system = domainIn(system);
    if (ad_system === undefined) return 'its first field is not the domain of an ad system';
    if (!SELLER_ID.test(seller_id)) return `its second field is not an account of 1 to ${MAX_SELLER_ID} characters`;
    const relationship = relation.toUpperCase();
    if (relationship !== 'DIRECT' && relationship !== 'RESELLER')
      return 'its third field is neither DIRECT nor RESELLER';
    if (ad_system === PLACEHOLDER) return undefined;
    const record = { ad_system, seller_id, relationship } as const;
    const key = recordKey(record);
    if (this.#records.has(key)) return undefined;
    const hasId = certification !== undefined && CERTIFICATION.test(certification);
    this.#records.set(key, { ...record, ...(hasId && { certification_id: certification }) });
    this.#systems.add(ad_system);
    return undefined;
  }

  #takeVariable(name: string, value: string, comment: string): string | undefined {
    switch (name) {
      case 'OWNERDOMAIN': {
        const domain = domainIn(value);
        // Of several the first counts.
        this.#ownerDomain ??= domain ?? null;
        return domain === undefined ? 'OWNERDOMAIN is not a domain' : undefined;
      }
      case 'MANAGERDOMAIN':
        return this.#takeManager(value, comment);
      case 'CONTACT':
        return add(this.#contacts, Contact.parse(value) || undefined, 'CONTACT is empty');
      case 'SUBDOMAIN':
        return add(this.#subdomains, hostIn(value), 'SUBDOMAIN is not a host');
      case 'INVENTORYPARTNERDOMAIN':
        return add(this.#partners, domainIn(value), 'INVENTORYPARTNERDOMAIN is not a domain');
      default:
        return 'it is no variable of ads.txt 1.1';
    }
  }

  #takeManager(value: string, comment: string): string | undefined {
    const [host = '', place] = value.split(',', 2).map((part) => part.trim());
    const domain = hostIn(host);
    const country = place === undefined || place === '' ? null : place.toUpperCase();
    if (domain === undefined) return 'MANAGERDOMAIN is not a domain';
    if (country !== null && !isCountry(country)) return 'MANAGERDOMAIN is for a country that is none of ISO 3166-1';
    const no_agents = /\bnoagents\b/i.test(comment);
    // For a country the last counts; a line that is not for agents takes nothing from one that is.
    this.#managers.set(`${country ?? ''} ${no_agents}`, { domain, country, no_agents });
    return undefined;
  }
}

const VARIABLE = /^([a-z]+)[ \t]*=(.*)$/i;
const SELLER_ID = new RegExp(`^[^\\s\\p{Cc}]{1,${MAX_SELLER_ID}}$`, 'u');
const CERTIFICATION = /^[\w.-]{1,100}$/;
const Contact = shownText(300);

function add(values: Set<string>, value: string | undefined, problem: string): string | undefined {
  if (value === undefined) return problem;
  if (values.size < MAX_VALUES) values.add(value);
  return undefined;
}

function hostIn(text: string): string | undefined {
  const host = text.trim();
  return HOST.test(host) ? normalizeHost(host.toLowerCase()) : undefined;
}

function domainIn(text: string): string | undefined {
  const host = text.trim();
  return HOST.test(host) ? normalizeDomain(host.toLowerCase())?.domain : undefined;
}
