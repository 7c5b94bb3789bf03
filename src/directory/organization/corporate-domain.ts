import providers from 'email-providers/all.json' with { type: 'json' };
import { normalizeHost, registrableDomain, withParents } from '../domain/normalize-domain.ts';

/**
 * The domain an e-mail address proves a company by; undefined for a free-mail address (rule R7), for a public suffix,
 * and for what is no address.
 */
export function corporateDomainOf(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  if (at < 1) return undefined;
  const domain = normalizeHost(email.slice(at + 1));
  if (
    domain === undefined ||
    /[^\w.-]/.test(
      email
        .slice(at + 1)
        .normalize('NFKC')
        .replace(/\p{L}|\p{M}/gu, 'a'),
    )
  )
    return undefined;
  const registrable = registrableDomain(domain);
  if (registrable === null) return undefined;
  const ownAndAbove = withParents(domain).filter((parent) => parent.length >= registrable.length);
  return ownAndAbove.some(isFreeMailDomain) ? undefined : domain;
}

/**
 * Providers that the package's list does not have, and hosts of addresses that are made up for a person who hides one. The package
 * is data, `email-providers` on npm, and runs nothing when it is installed.
 */
const PROVIDERS = `
passport.com tutanota.com tutanota.de tutamail.com tuta.io tuta.com keemail.me fastmail.com zohomail.com zohomail.eu
gmx.ch gmx.us posteo.de posteo.net mail.de bbox.fr fastwebnet.it telefonica.net ya.com ono.com clix.pt ziggo.nl
xs4all.nl proximus.be hispeed.ch sunrise.ch aon.at chello.at bredband.net telia.com passagen.se online.no
broadpark.no mail.dk ofir.dk jubii.dk elisanet.fi suomi24.fi onet.eu interia.eu op.pl tlen.pl volny.cz azet.sk
zoznam.sk citromail.hu indamail.hu mail.bg dir.bg internet.ru lenta.ru meta.ua bigmir.net tut.by inbox.lt one.lt
mynet.com plusnet.com sohu.com 139.com 189.cn nifty.com biglobe.ne.jp mweb.co.za telkomsa.net vodamail.co.za
tempmail.com duck.com mozmail.com simplelogin.com anonaddy.me disroot.org riseup.net mailfence.com startmail.com
noreply.github.com
`;

/** Brands that give addresses under many country suffixes, such as `yahoo.co.jp`. */
const BRANDS = new Set([
  'gmail',
  'googlemail',
  'hotmail',
  'outlook',
  'live',
  'yahoo',
  'ymail',
  'msn',
  'aol',
  'yandex',
  'gmx',
]);

/** Looked up by A-label. */
const LISTED = new Set(
  [...providers, ...PROVIDERS.trim().split(/\s+/)].map((name) =>
    /^[a-z0-9.-]+$/.test(name) ? name : (normalizeHost(name) ?? name),
  ),
);

/** Whether a canonical domain gives addresses to anybody (rule R7). */
function isFreeMailDomain(domain: string): boolean {
  if (LISTED.has(domain)) return true;
  const [brand = '', ...suffix] = domain.split('.');
  return BRANDS.has(brand) && suffix.length <= 2 && suffix.every((label) => label.length <= 3);
}
